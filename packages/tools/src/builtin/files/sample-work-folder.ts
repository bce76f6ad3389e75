// For tests. A work folder as the bot has it, with the sandbox of this machine, and a way to call tools by any of their
// names as the executor does: alias, schema, completion, execution.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { applyAlias } from '../../aliases.ts'
import { type AnyTool, isSuspension, type Summary, type ToolContext, type ToolResult } from '../../contract.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { ToolRegistry } from '../../registry.ts'
import { createSandbox } from '../../sandbox/create-sandbox.ts'
import { detectSandbox } from '../../sandbox/detect-sandbox.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { sandboxAccount } from '../../sandbox/sandbox-account.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { compileSchema } from '../../validate.ts'

export interface SampleWorkFolder {
  /** Its parent, which is outside. */
  base: string
  root: string
  folders: WorkFolders
  sandbox: Sandbox
  /** Writes a file, for the account that programs run under. */
  put(path: string, content: string | Uint8Array): void
  remove(): void
}

export async function createSampleWorkFolder(): Promise<SampleWorkFolder> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'qm-work-')))
  const root = join(base, 'root')
  const account = sandboxAccount()
  const own = (path: string) => account && chownSync(path, account.uid, account.gid)
  // The account that programs run under may pass, as it may where the bot keeps work folders.
  chmodSync(base, 0o711)
  mkdirSync(root)
  own(root)
  return {
    base,
    root,
    folders: { folderOf: async () => root },
    sandbox: createSandbox(await detectSandbox()),
    put(path, content) {
      const made = mkdirSync(dirname(join(root, path)), { recursive: true })
      for (let folder = dirname(join(root, path)); made && folder !== dirname(made); folder = dirname(folder))
        own(folder)
      writeFileSync(join(root, path), content)
      own(join(root, path))
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
}

export type Call = (name: string, args: Record<string, unknown>, context?: Partial<ToolContext>) => Promise<ToolResult>

export function createCaller(tools: readonly AnyTool[]): {
  call: Call
  card(name: string, args: object): Promise<Summary>
} {
  const registry = new ToolRegistry()
  registry.registerMany(tools)
  const prepare = async (name: string, args: Record<string, unknown>, context: ToolContext) => {
    const found = registry.find(name)
    if (!found) throw new Error(`there is no tool ${name}`)
    const mapped = found.alias ? applyAlias(found.alias, args) : ({ ok: true, arguments: args } as const)
    if (!mapped.ok) throw new Error(mapped.error)
    const validation = compileSchema(found.tool.inputSchema).validate(mapped.arguments)
    if (!validation.ok) throw new Error(JSON.stringify(validation.violations))
    const completed = await found.tool.complete?.(validation.value, context)
    return { tool: found.tool, args: validation.value, completed }
  }
  return {
    async call(name, given, more = {}) {
      const context = sampleContext(more)
      const { tool, args, completed } = await prepare(name, given, context)
      if (completed && !completed.ok) return { success: false, output: '', error: completed.problem }
      const result = await tool.execute(completed ? completed.arguments : args, context)
      if (isSuspension(result)) throw new Error('expected a result')
      return result
    },
    async card(name, given) {
      const { tool, args, completed } = await prepare(name, given as Record<string, unknown>, sampleContext())
      return tool.summarize!(completed?.ok ? completed.arguments : args)
    },
  }
}
