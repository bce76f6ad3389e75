import type { RegisteredTool } from '@quartermaster/db'
import type { AnyTool, ToolSource } from '@quartermaster/tools'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'
import { toolKit } from '../tool-kit.ts'

/** The tools of a workspace as its policy sees them: the code's own, and what the registry has beside them. */
export interface PolicyTools extends ToolSource {
  /** Those of which the registry still knows the name, and no running version has the handler. */
  gone: readonly string[]
}

let described: readonly AnyTool[] | undefined

export async function readPolicyTools(workspaceId: string): Promise<PolicyTools> {
  described ??= toolKit.describeBuiltinTools()
  const byName = new Map(described.map((tool) => [tool.name, tool]))
  const gone: string[] = []
  for await (const row of eachTool(workspaceId))
    if (row.unavailable === 'gone') gone.push(row.name)
    else if (!byName.has(row.name)) byName.set(row.name, describe(row))
  const tools = [...byName.values()]
  return { version: 1, list: () => tools, gone: gone.filter((name) => !byName.has(name)) }
}

async function* eachTool(workspaceId: string): AsyncIterable<RegisteredTool> {
  let after: string | undefined
  do {
    const page = await data.listTools(runtime().db, { workspaceId, ...(after ? { after } : {}) })
    yield* page.tools
    after = page.next ?? undefined
  } while (after)
}

/** What a workspace brought is known by its row: enough to decide about it, and nothing to run. */
function describe(row: RegisteredTool): AnyTool {
  return {
    name: row.name,
    title: row.title,
    description: row.description,
    category: row.category,
    inputSchema: parseSchema(row.parametersSchema),
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
