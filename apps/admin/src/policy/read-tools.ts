import type { AnyTool, ToolSource } from '@quartermaster/tools'
import { describeTool } from '../describe-tool.ts'
import { eachTool } from '../each-tool.ts'
import { toolKit } from '../tool-kit.ts'

/** The tools of a workspace as its policy sees them: the code's own, and what the registry has beside them. */
export interface PolicyTools extends ToolSource {
  /** Those of which the registry still knows the name, and no running version has the handler. */
  gone: readonly string[]
  /** By name, what the registry calls each: its page is found by that. */
  ids: ReadonlyMap<string, string>
}

let described: readonly AnyTool[] | undefined

export async function readPolicyTools(workspaceId: string): Promise<PolicyTools> {
  described ??= toolKit.describeBuiltinTools()
  const byName = new Map(described.map((tool) => [tool.name, tool]))
  const gone: string[] = []
  const ids = new Map<string, string>()
  for await (const row of eachTool(workspaceId))
    if (row.unavailable === 'gone') gone.push(row.name)
    else {
      if (!byName.has(row.name)) byName.set(row.name, describeTool(row))
      // A builtin that is there once more as a workspace's own keeps its own page.
      if (ids.get(row.name) !== row.name) ids.set(row.name, row.id)
    }
  const tools = [...byName.values()]
  return { version: 1, list: () => tools, gone: gone.filter((name) => !byName.has(name)), ids }
}
