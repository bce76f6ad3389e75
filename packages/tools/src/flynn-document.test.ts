// The examples of the Flynn document ("Tools API Documentation"), adapted to our names: the three patterns, the
// registration, the registry, the custom git tool. Its policy is in policy/, its execution in executor/.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyTool, failed, succeeded } from './contract.ts'
import { defineTool } from './define-tool.ts'
import type { Policy } from './policy/policy.ts'
import { ToolRegistry } from './registry.ts'
import { sampleContext } from './testing/sample-tools.ts'
import { compileSchema } from './validate.ts'

const run = promisify(execFile)
const common = { title: 'From the document', category: 'document' } as const

// Pattern 1: a static tool.
const shellExecTool = defineTool({
  ...common,
  name: 'shell.exec',
  description: 'Execute a shell command and return stdout/stderr',
  effect: 'execute',
  inputSchema: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The shell command to execute' },
      cwd: { type: 'string', description: 'Working directory (optional)' },
      timeout: { type: 'number', description: 'Timeout in milliseconds (default 30000)' },
    },
    required: ['command'],
  },
  execute: async ({ command, cwd, timeout }, { signal }) => {
    const { stdout } = await run('sh', ['-c', command], { cwd, timeout: timeout ?? 30_000, signal })
    return succeeded(stdout)
  },
})

// Pattern 2: a factory with one dependency.
interface MemoryStore {
  read(namespace: string): string
}

function createMemoryReadTool(store: MemoryStore): AnyTool {
  return defineTool({
    ...common,
    name: 'memory.read',
    description: 'Read memory from a namespace',
    effect: 'read',
    inputSchema: {
      type: 'object',
      properties: { namespace: { type: 'string', description: 'Memory namespace to read from' } },
      required: ['namespace'],
    },
    execute: async ({ namespace }) => {
      try {
        return succeeded(store.read(namespace))
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error))
      }
    },
  })
}

// Pattern 3: a factory that returns a related set.
interface BrowserManager {
  navigate(url: string): Promise<void>
  screenshot(): Promise<string>
}

function createBrowserTools(manager: BrowserManager): AnyTool[] {
  return [
    defineTool({
      ...common,
      name: 'browser.navigate',
      description: 'Navigate to a URL in the browser',
      effect: 'execute',
      inputSchema: {
        type: 'object',
        properties: { url: { type: 'string', description: 'URL to navigate to' } },
        required: ['url'],
      },
      execute: async ({ url }) => {
        await manager.navigate(url)
        return succeeded(`Navigated to ${url}`)
      },
    }),
    defineTool({
      ...common,
      name: 'browser.screenshot',
      description: 'Take a screenshot of the current page',
      effect: 'execute',
      inputSchema: { type: 'object', properties: {} },
      execute: async () =>
        succeeded('Screenshot taken', { media: [{ mimeType: 'image/png', data: await manager.screenshot() }] }),
    }),
  ]
}

// The complete example.
const gitStatusTool = defineTool({
  ...common,
  name: 'git.status',
  description: 'Get the status of a Git repository',
  effect: 'read',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Path to the repository (default: current directory)' } },
    required: [],
  },
  execute: async ({ path }, { signal }) => {
    try {
      const { stdout } = await run('git', ['status', '--short'], { cwd: path || process.cwd(), signal })
      return succeeded(stdout || 'No changes')
    } catch (error) {
      return failed(error instanceof Error ? `Git status failed: ${error.message}` : String(error))
    }
  },
})

const visited: string[] = []
const browser: BrowserManager = {
  navigate: async (url) => void visited.push(url),
  screenshot: async () => 'iVBORw0KGgo=',
}
const store: MemoryStore = {
  read(namespace) {
    if (namespace !== 'global/knowledge') throw new Error(`No namespace ${namespace}`)
    return 'We deploy on Tuesdays.'
  },
}

describe('the three patterns', () => {
  test('a static tool runs with nothing but its arguments', async () => {
    expect(await shellExecTool.execute({ command: 'echo hello' }, sampleContext())).toEqual({
      success: true,
      output: 'hello\n',
    })
  })

  test('a factory tool uses its dependency, and fails with a result', async () => {
    const tool = createMemoryReadTool(store)
    expect(await tool.execute({ namespace: 'global/knowledge' }, sampleContext())).toMatchObject({
      success: true,
      output: 'We deploy on Tuesdays.',
    })
    expect(await tool.execute({ namespace: 'other' }, sampleContext())).toEqual({
      success: false,
      output: '',
      error: 'No namespace other',
    })
  })

  test('the tools of a set share one dependency', async () => {
    const [navigate, screenshot] = createBrowserTools(browser)
    expect(await navigate?.execute({ url: 'https://example.com' }, sampleContext())).toMatchObject({
      output: 'Navigated to https://example.com',
    })
    expect(visited).toEqual(['https://example.com'])
    expect(await screenshot?.execute({}, sampleContext())).toMatchObject({
      output: 'Screenshot taken',
      media: [{ mimeType: 'image/png' }],
    })
  })
})

describe('the registration', () => {
  const allBuiltinTools: AnyTool[] = [shellExecTool, gitStatusTool]

  function createRegistry(): ToolRegistry {
    const toolRegistry = new ToolRegistry()
    for (const tool of allBuiltinTools) toolRegistry.register(tool)
    toolRegistry.register(createMemoryReadTool(store))
    for (const tool of createBrowserTools(browser)) toolRegistry.register(tool)
    return toolRegistry
  }

  test('static, factory and multi-factory tools are registered side by side', () => {
    expect(
      createRegistry()
        .list()
        .map(({ name }) => name),
    ).toEqual(['shell.exec', 'git.status', 'memory.read', 'browser.navigate', 'browser.screenshot'])
  })

  test('every method of the ToolRegistry of the document does what its comment says', () => {
    const registry = createRegistry()
    expect(() => registry.register(shellExecTool)).toThrow('already')
    expect(registry.get('shell.exec')).toBe(shellExecTool)
    expect(registry.getByApiName('shell-exec')).toBe(shellExecTool)
    expect(registry.has('shell.exec')).toBe(true)
    registry.unregister('shell.exec')
    expect(registry.get('shell.exec')).toBeUndefined()
    const policy = {} as Policy
    expect(registry.getPolicy()).toBeUndefined()
    registry.setPolicy(policy)
    expect(registry.getPolicy()).toBe(policy)
  })

  test('MCP tools are found by their API name, prefix and all', () => {
    const registry = createRegistry()
    for (const name of ['mcp:filesystem:read_file', 'mcp:filesystem:write_file', 'mcp:brave_search:search'])
      registry.register({ ...(shellExecTool as AnyTool), name })
    expect(registry.getByApiName('mcp__filesystem__read_file')?.name).toBe('mcp:filesystem:read_file')
    expect(registry.getByApiName('mcp__brave_search__search')?.name).toBe('mcp:brave_search:search')
  })
})

describe('the example schemas', () => {
  test.each<[string, object, unknown, unknown]>([
    [
      'a simple string',
      {
        type: 'object',
        properties: { message: { type: 'string', description: 'The message to display' } },
        required: ['message'],
      },
      { message: 'hello' },
      {},
    ],
    [
      'parameters with options',
      {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'File path to read' },
          encoding: { type: 'string', enum: ['utf8', 'base64'], description: 'File encoding' },
        },
        required: ['path'],
      },
      { path: 'a', encoding: 'utf8' },
      { path: 'a', encoding: 'latin1' },
    ],
    [
      'a nested object',
      {
        type: 'object',
        properties: {
          command: {
            type: 'object',
            properties: {
              program: { type: 'string', description: 'Program to execute' },
              args: { type: 'array', items: { type: 'string' }, description: 'Command arguments' },
            },
            required: ['program'],
          },
        },
        required: ['command'],
      },
      { command: { program: 'ls', args: ['-l'] } },
      { command: { args: ['-l'] } },
    ],
  ])('%s accepts what it describes and refuses the rest', (_name, schema, accepted, refused) => {
    const compiled = compileSchema(schema as AnyTool['inputSchema'])
    expect(compiled.validate(accepted).ok).toBe(true)
    expect(compiled.validate(refused).ok).toBe(false)
  })
})

describe('the custom git tool', () => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'qm-flynn-'))
    await run('git', ['init', '--quiet', join(folder, 'repository')])
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('returns the status of a repository', async () => {
    const path = join(folder, 'repository')
    expect(await gitStatusTool.execute({ path }, sampleContext())).toEqual({ success: true, output: 'No changes' })
    writeFileSync(join(path, 'new.txt'), 'new')
    expect(await gitStatusTool.execute({ path }, sampleContext())).toEqual({ success: true, output: '?? new.txt\n' })
  })

  test('fails with a result outside of a repository', async () => {
    const result = await gitStatusTool.execute({ path: folder }, sampleContext())
    expect(result).toMatchObject({ success: false, error: expect.stringContaining('Git status failed') })
  })
})
