import type { RegisteredTool, ValidateConfig } from '@quartermaster/db'
import type { AnyTool } from '@quartermaster/tools'
import { describeTool } from '../describe-tool.ts'
import { eachTool } from '../each-tool.ts'
import { toolKit } from '../tool-kit.ts'

/** The registry as a workspace has it, with what the policy and a form need to know of each tool. */
export interface AgentTools {
  rows: readonly RegisteredTool[]
  byId: ReadonlyMap<string, RegisteredTool>
  /** By canonical name: the code's own where it is builtin, else made of its row. */
  described: ReadonlyMap<string, AnyTool>
  /** For attachTool and saveDraft. */
  validate: ValidateConfig
}

/**
 * One row of each name: two of a name (a builtin that a workspace has once more as its own) are one tool to the policy and
 * to a reader. It is the one that is attached, else the one that can be used, else the product's own.
 */
export function oneOfEachName(rows: readonly RegisteredTool[], attached: ReadonlySet<string>): RegisteredTool[] {
  const rankOf = ({ id, name, unavailable }: RegisteredTool) =>
    attached.has(id) ? 0 : (unavailable === null ? 1 : 3) + (id === name ? 0 : 1)
  const best = new Map<string, RegisteredTool>()
  for (const row of rows) {
    const other = best.get(row.name)
    if (!other || rankOf(row) < rankOf(other)) best.set(row.name, row)
  }
  return rows.filter((row) => best.get(row.name) === row)
}

let builtin: ReadonlyMap<string, AnyTool> | undefined

export async function readAgentTools(workspaceId: string): Promise<AgentTools> {
  builtin ??= new Map(toolKit.describeBuiltinTools().map((tool) => [tool.name, tool]))
  const own = builtin
  const rows: RegisteredTool[] = []
  for await (const row of eachTool(workspaceId)) rows.push(row)
  // Two rows of one name: the one that can be used is the one that is meant.
  const named = [...rows].sort((a, b) => Number(b.unavailable !== null) - Number(a.unavailable !== null))
  const described = new Map(
    named.map((row) => [
      row.name,
      row.source === 'builtin' ? (own.get(row.name) ?? describeTool(row)) : describeTool(row),
    ]),
  )
  return {
    rows,
    byId: new Map(rows.map((row) => [row.id, row])),
    described,
    validate(name, config) {
      const tool = described.get(name)
      if (!tool) return ['Nothing is known of its configuration.']
      const parsed = toolKit.parseConfig(tool, config)
      return parsed.ok ? [] : parsed.errors
    },
  }
}
