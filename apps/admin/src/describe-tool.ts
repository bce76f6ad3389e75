import type { RegisteredTool } from '@quartermaster/db'
import type { AnyTool } from '@quartermaster/tools'

/** What a workspace brought is known by its row: enough to decide about it, and nothing to run. */
export function describeTool(row: RegisteredTool): AnyTool {
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
