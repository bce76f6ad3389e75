// Every row of the error table of the Glee document, for a tool that runs a command and one that is a function.
import { execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { failed, succeeded, type ToolContext } from '../contract.ts'
import { testExecutor, testTool } from './testing.ts'

interface CommandArguments {
  command: string
  exit_codes_ok?: number[]
}

/** As small as a command tool can be: its output streams, its process ends with the signal. */
const command = testTool(
  ({ command, exit_codes_ok = [0] }: CommandArguments, context: ToolContext) =>
    new Promise((resolve) => {
      const child = spawn('sh', ['-c', command], { detached: true })
      let stderr = ''
      child.stdout.on('data', (chunk) => context.write(chunk))
      child.stderr.on('data', (chunk) => {
        stderr += chunk
      })
      context.signal.addEventListener('abort', () => process.kill(-(child.pid as number), 'SIGKILL'))
      child.on('close', (code, signal) => {
        if (code !== null && exit_codes_ok.includes(code)) resolve(succeeded(''))
        else resolve(failed(code === null ? `killed by ${signal}` : `exit code ${code}: ${stderr.trim()}`))
      })
    }),
  {
    name: 'test.command',
    timeoutMs: 200,
    inputSchema: {
      type: 'object',
      properties: { command: { type: 'string' }, exit_codes_ok: { type: 'array', items: { type: 'integer' } } },
      required: ['command'],
      additionalProperties: false,
    },
  },
)

it('input validation fails: the violations are returned, the tool is not run', async () => {
  let ran = false
  const tool = {
    ...command,
    execute: async () => {
      ran = true
      return succeeded('')
    },
  }
  const outcome = await testExecutor([tool]).finish('test.command', { comand: 'ls', exit_codes_ok: ['0'] })
  expect(outcome).toMatchObject({ success: false, code: 'invalid_arguments' })
  for (const word of ['command', 'comand', 'exit_codes_ok.0']) expect(outcome.error).toContain(word)
  expect(ran).toBe(false)
})

it('HTTP request fails: the status and the message are returned', async () => {
  const server = createServer((_, response) => void response.writeHead(503).end('try later')).listen(0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetcher = testTool(async (args: { url: string }, { signal }) => {
    const response = await fetch(args.url, { signal })
    return response.ok ? succeeded(await response.text()) : failed(`${response.status}: ${await response.text()}`)
  })
  const { finish } = testExecutor([fetcher])
  expect(await finish('test.tool', { url })).toMatchObject({
    success: false,
    code: 'tool_failed',
    error: '503: try later',
  })
  await new Promise((closed) => server.close(closed))
  expect((await finish('test.tool', { url })).error).toMatch(/failed: TypeError: fetch failed/)
})

it('command exits with a code that is not accepted: the code and stderr are returned', async () => {
  const { finish } = testExecutor([command])
  expect(await finish('test.command', { command: 'echo half; echo broken >&2; exit 3' })).toMatchObject({
    success: false,
    output: 'half\n',
    error: 'exit code 3: broken',
  })
  expect((await finish('test.command', { command: 'exit 3', exit_codes_ok: [0, 3] })).success).toBe(true)
})

it('function raises an exception: its type and message are returned', async () => {
  const tool = testTool(async () => {
    throw new RangeError('index 7 is out of bounds')
  })
  expect((await testExecutor([tool]).finish('test.tool')).error).toContain('RangeError: index 7 is out of bounds')
})

it('timeout is exceeded: the process is killed, with its children, and the result says so', async () => {
  const { finish } = testExecutor([command])
  const outcome = await finish('test.command', { command: 'echo $$; sleep 30 & sleep 30' })
  expect(outcome).toMatchObject({ success: false, code: 'timed_out' })
  expect(outcome.error).toMatch(/^Tool 'test\.command' timed out after 200ms\. It says: killed by SIGKILL/)
  const group = Number(outcome.output.trim())
  expect(group).toBeGreaterThan(1)
  // A zombie is dead; nobody has collected it yet.
  const alive = execFileSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pgid, state]) => Number(pgid) === group && !state?.startsWith('Z'))
  expect(alive).toEqual([])
})

it('output validation fails: a warning, and the output is still returned', async () => {
  const outputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] }
  const tool = (data: unknown) => testTool(async () => succeeded('3 files', { data }), { outputSchema })
  const wrong = await testExecutor([tool({ count: 'three' })]).finish('test.tool')
  expect(wrong).toMatchObject({ success: true, output: '3 files', data: { count: 'three' } })
  expect(wrong.warnings).toHaveLength(1)
  expect(wrong.warnings[0]).toMatch(/do not match its output schema: count /)
  expect((await testExecutor([tool({ count: 3 })]).finish('test.tool')).warnings).toEqual([])
})

it('secret is not found: an error that names it, and the tool is not run', async () => {
  let ran = false
  const tool = testTool(
    async () => {
      ran = true
      return succeeded('')
    },
    { requiredSecretScopes: ['weather_api'] },
  )
  const outcome = await testExecutor([tool], { secrets: { read: () => null } }).finish('test.tool')
  expect(outcome).toMatchObject({ success: false, code: 'missing_secret' })
  expect(outcome.error).toContain("'weather_api'")
  expect(ran).toBe(false)
})
