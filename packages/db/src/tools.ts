// The registry: what exists, in the tables of the iofold document (`tools`) and beside it (`tool_details`). Builtin
// tools are code; the bot writes what it has into the registry when it starts, so that the console, the API and
// people's attachments speak of the same tools. Workspaces bring others (manifests, MCP), which no start touches.
import { type Database, inTransaction, type Queryable } from './client.ts'
import { limits } from './limits.ts'
import { Problem } from './problem.ts'
import { storableText } from './storable.ts'

export type ToolSource = 'builtin' | 'manifest' | 'mcp'

/** A builtin tool as its code defines it. */
export interface ToolDefinition {
  /** The canonical name, which is the tool's id and its handler's key: `file.read`. */
  name: string
  title: string
  description: string
  category: string
  /** JSON Schemas; stored as text. */
  inputSchema: unknown
  configSchema?: unknown
  effect: 'read' | 'write' | 'execute' | 'send'
  /** Digest of the whole definition. */
  version: string
  /** Other systems' names for it. */
  aliases?: readonly string[]
  hook?: 'confirm' | 'log' | 'silent'
  idempotent?: boolean
  untrusted?: boolean
  groups?: readonly string[]
  requiredSecretScopes?: readonly string[]
}

export interface SyncedTools {
  added: string[]
  changed: string[]
  /** Their handler is not there any more. They keep their rows and attachments, and are shown as unavailable. */
  gone: string[]
  /** Were gone and are back. */
  returned: string[]
}

/**
 * Makes the registry's builtin tools those of `definitions`, in one transaction. Processes that start together take
 * turns; where nothing changed, one read is all that happens. The order of the definitions matters: where two tools
 * have one alias, the first is meant.
 */
export async function syncTools(db: Database, definitions: readonly ToolDefinition[]): Promise<SyncedTools> {
  const wanted = new Map(definitions.map((definition, position) => [definition.name, rowOf(definition, position)]))
  if (wanted.size !== definitions.length) throw new Error('Two builtin tools have one name.')
  const before = compare(wanted, await readBuiltin(db.pool, wanted))
  if (!before.write.length && !before.synced.gone.length) return before.synced
  return inTransaction(db, async (tx) => {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('sync tools', 0))`)
    const { write, synced } = compare(wanted, await readBuiltin(tx, wanted))
    if (write.length) await writeTools(tx, write)
    if (synced.gone.length)
      await tx.query('UPDATE tool_details SET gone_at = clock_timestamp() WHERE tool_id = ANY($1)', [synced.gone])
    return synced
  })
}

/** The columns that a definition decides. */
interface BuiltinRow {
  id: string
  name: string
  description: string
  parameters_schema: string
  category: string
  effect: string
  version: string
  aliases: readonly string[]
  position: number
  config_schema: string | null
  hook: string
  idempotent: boolean
  untrusted: boolean
  groups: readonly string[]
  required_secret_scopes: readonly string[]
}

function rowOf(tool: ToolDefinition, position: number): BuiltinRow {
  return {
    id: tool.name,
    name: tool.title,
    description: tool.description,
    parameters_schema: JSON.stringify(tool.inputSchema),
    category: tool.category,
    effect: tool.effect,
    version: tool.version,
    aliases: tool.aliases ?? [],
    position,
    config_schema: tool.configSchema === undefined ? null : JSON.stringify(tool.configSchema),
    hook: tool.hook ?? 'confirm',
    idempotent: tool.idempotent ?? false,
    untrusted: tool.untrusted ?? false,
    groups: tool.groups ?? [],
    required_secret_scopes: tool.requiredSecretScopes ?? [],
  }
}

interface StoredRow {
  id: string
  source: ToolSource | null
  workspace_id: string | null
  gone: boolean
  row: BuiltinRow
}

/** Every builtin tool of the registry, and whoever else has a builtin's id. */
async function readBuiltin(tx: Queryable, wanted: ReadonlyMap<string, BuiltinRow>): Promise<StoredRow[]> {
  const { rows } = await tx.query<StoredRow>(
    `SELECT t.id, d.source, d.workspace_id, d.gone_at IS NOT NULL AS gone, json_build_object(
       'id', t.id, 'name', t.name, 'description', t.description, 'parameters_schema', t.parameters_schema,
       'category', t.category, 'effect', d.effect, 'version', d.version, 'aliases', d.aliases, 'position', d.position,
       'config_schema', d.config_schema, 'hook', d.hook, 'idempotent', d.idempotent, 'untrusted', d.untrusted,
       'groups', d.groups, 'required_secret_scopes', d.required_secret_scopes) AS row
     FROM tools t LEFT JOIN tool_details d ON d.tool_id = t.id
     WHERE (d.source = 'builtin' AND d.workspace_id IS NULL) OR t.id = ANY($1)
     ORDER BY t.id`,
    [[...wanted.keys()]],
  )
  const taken = rows.find((row) => row.workspace_id !== null || (row.source !== null && row.source !== 'builtin'))
  if (taken)
    throw new Problem(
      `The id of the builtin tool "${taken.id}" is taken by a tool that a workspace brought.`,
      'Remove or rename that tool, then start again.',
    )
  return rows
}

function compare(
  wanted: ReadonlyMap<string, BuiltinRow>,
  stored: readonly StoredRow[],
): { write: BuiltinRow[]; synced: SyncedTools } {
  const known = new Map(stored.map((row) => [row.id, row]))
  const write: BuiltinRow[] = []
  const synced: SyncedTools = { added: [], changed: [], gone: [], returned: [] }
  for (const row of wanted.values()) {
    const found = known.get(row.id)
    const differs = JSON.stringify(found?.row) !== JSON.stringify(row)
    if (!found) synced.added.push(row.id)
    else if (found.gone) synced.returned.push(row.id)
    else if (differs) synced.changed.push(row.id)
    if (differs || found?.gone) write.push(row)
  }
  for (const row of stored) if (!row.gone && !wanted.has(row.id)) synced.gone.push(row.id)
  return { write, synced }
}

async function writeTools(tx: Queryable, rows: readonly BuiltinRow[]): Promise<void> {
  const json = [JSON.stringify(rows)]
  await tx.query(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key, category)
     SELECT id, name, description, parameters_schema, id, category FROM jsonb_to_recordset($1::jsonb)
       AS r(id text, name text, description text, parameters_schema text, category text)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, description = excluded.description,
       parameters_schema = excluded.parameters_schema, handler_key = excluded.handler_key, category = excluded.category`,
    json,
  )
  await tx.query(
    `INSERT INTO tool_details (tool_id, source, effect, version, aliases, position, config_schema, hook, idempotent,
       untrusted, groups, required_secret_scopes)
     SELECT id, 'builtin', effect, version, aliases, position, config_schema, hook, idempotent, untrusted, groups,
       required_secret_scopes
     FROM jsonb_to_recordset($1::jsonb) AS r(id text, effect effect, version text, aliases text[], position int,
       config_schema text, hook hook, idempotent boolean, untrusted boolean, groups text[], required_secret_scopes text[])
     ON CONFLICT (tool_id) DO UPDATE SET effect = excluded.effect, version = excluded.version,
       aliases = excluded.aliases, position = excluded.position, config_schema = excluded.config_schema,
       hook = excluded.hook, idempotent = excluded.idempotent, untrusted = excluded.untrusted, groups = excluded.groups,
       required_secret_scopes = excluded.required_secret_scopes, gone_at = NULL, updated_at = clock_timestamp()`,
    json,
  )
}

/** A tool as the console and the API show it. */
export interface RegisteredTool {
  id: string
  /** For people. */
  title: string
  description: string
  /** JSON text. */
  parametersSchema: string
  /** The canonical name under which an agent has it. */
  name: string
  category: string
  createdAt: Date
  /** Null: somebody wrote the row by hand, and nothing is known of it. */
  source: ToolSource | null
  effect: ToolDefinition['effect'] | null
  version: string | null
  aliases: string[]
  configSchema: string | null
  hook: 'confirm' | 'log' | 'silent' | null
  idempotent: boolean
  untrusted: boolean
  groups: string[]
  requiredSecretScopes: string[]
  /** Null: it can be used. */
  unavailable: Unavailability | null
}

/** `gone`: no running version has its handler. `disabled`: somebody switched it off. */
export type Unavailability = 'gone' | 'disabled'

/** An SQL expression over tools `t` and tool_details `d`, which may be missing; `workspace` is one too: whose agent asks. */
export const unavailability = (workspace: string) => `CASE WHEN d.tool_id IS NULL OR d.gone_at IS NOT NULL THEN 'gone'
  WHEN d.disabled_at IS NOT NULL OR EXISTS (
    SELECT 1 FROM tool_switches o WHERE o.workspace_id = ${workspace} AND o.tool_id = t.id) THEN 'disabled' END`

/** What a RegisteredTool is made of for a workspace (an SQL expression), from tools `t` and tool_details `d`. */
export const toolColumns = (
  workspace: string,
) => `t.id, t.name AS title, t.description, t.parameters_schema AS "parametersSchema",
  t.handler_key AS name, t.category, t.created_at AS "createdAt", d.source, d.effect, d.version,
  coalesce(d.aliases, '{}') AS aliases, d.config_schema AS "configSchema", d.hook,
  coalesce(d.idempotent, false) AS idempotent, coalesce(d.untrusted, false) AS untrusted,
  coalesce(d.groups, '{}') AS groups, coalesce(d.required_secret_scopes, '{}') AS "requiredSecretScopes",
  ${unavailability(workspace)} AS unavailable`

/** A page of the tools that a workspace can see: the builtin ones and its own. `next` is the `after` of the next page. */
export async function listTools(
  db: { pool: Queryable },
  list: { workspaceId: string; category?: string; source?: ToolSource; after?: string; limit?: number },
): Promise<{ tools: RegisteredTool[]; next: string | null }> {
  const limit = Math.max(1, Math.min(list.limit ?? limits.pageRows, limits.pageRows))
  const { rows } = await db.pool.query<RegisteredTool>(
    `SELECT ${toolColumns('$1')} FROM tools t LEFT JOIN tool_details d ON d.tool_id = t.id
     WHERE (d.workspace_id IS NULL OR d.workspace_id = $1) AND ($2::text IS NULL OR t.category = $2)
       AND ($3::tool_source IS NULL OR d.source = $3) AND t.id > $4
     ORDER BY t.id LIMIT $5`,
    [
      list.workspaceId,
      list.category === undefined ? null : storableText(list.category),
      list.source ?? null,
      storableText(list.after ?? ''),
      limit + 1,
    ],
  )
  const tools = rows.slice(0, limit)
  return { tools, next: rows.length > limit ? (tools.at(-1)?.id ?? null) : null }
}

/**
 * The tool that the workspace knows under this id, canonical name or alias. Where an alias means several, it is the
 * one that the agent has attached, then one that is there, then the first of the registry's order.
 */
export async function findTool(
  db: { pool: Queryable },
  idOrAlias: string,
  whose: { workspaceId: string; agentId?: string },
): Promise<RegisteredTool | null> {
  const { rows } = await db.pool.query<RegisteredTool>(
    `SELECT ${toolColumns('$2')} FROM tools t LEFT JOIN tool_details d ON d.tool_id = t.id
     WHERE (d.workspace_id IS NULL OR d.workspace_id = $2)
       AND (t.id = $1 OR t.handler_key = $1 OR d.aliases @> ARRAY[$1])
     ORDER BY t.id = $1 DESC, t.handler_key = $1 DESC,
       EXISTS (SELECT 1 FROM agent_tools a WHERE a.agent_id = $3 AND a.tool_id = t.id) DESC,
       ${unavailability('$2')} IS NULL DESC, d.position, t.id
     LIMIT 1`,
    // It comes out of an address or a prompt, and may be anything.
    [storableText(idOrAlias), whose.workspaceId, whose.agentId ?? null],
  )
  return rows[0] ?? null
}
