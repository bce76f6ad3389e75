import type { RegisteredTool, ValidateConfig } from '@quartermaster/db'
import type { AnyTool } from '@quartermaster/tools'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'
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

let builtin: ReadonlyMap<string, AnyTool> | undefined

export async function readAgentTools(workspaceId: string): Promise<AgentTools> {
  builtin ??= new Map(toolKit.describeBuiltinTools().map((tool) => [tool.name, tool]))
  const own = builtin
  const rows: RegisteredTool[] = []
  let after: string | undefined
  do {
    const page = await data.listTools(runtime().db, { workspaceId, ...(after ? { after } : {}) })
    rows.push(...page.tools)
    after = page.next ?? undefined
  } while (after)
  // Two rows of one name: the one that can be used is the one that is meant.
  const named = [...rows].sort((a, b) => Number(b.unavailable !== null) - Number(a.unavailable !== null))
  const described = new Map(named.map((row) => [row.name, describe(row, own.get(row.name))]))
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

/** What a workspace brought is known by its row: enough to decide about it, and nothing to run. */
function describe(row: RegisteredTool, code: AnyTool | undefined): AnyTool {
  if (code && row.source === 'builtin') return code
  const configSchema = row.configSchema === null ? undefined : parseSchema(row.configSchema)
  return {
    name: row.name,
    title: row.title,
    description: row.description,
    category: row.category,
    inputSchema: parseSchema(row.parametersSchema),
    ...(configSchema ? { configSchema } : {}),
    // Of a row without details nothing is known, so the strictest is assumed.
    effect: row.effect ?? 'send',
    ...(row.hook ? { hook: row.hook } : {}),
    groups: row.groups,
    untrusted: row.untrusted,
    requiredSecretScopes: row.requiredSecretScopes,
    execute: async () => ({ success: false, output: '', error: `'${row.name}' is only described here.` }),
  }
}

function parseSchema(text: string): AnyTool['inputSchema'] {
  try {
    const schema: unknown = JSON.parse(text)
    return schema !== null && typeof schema === 'object' ? (schema as AnyTool['inputSchema']) : {}
  } catch {
    return {} // Not ours to mend: a schema that cannot be read describes nothing.
  }
}
