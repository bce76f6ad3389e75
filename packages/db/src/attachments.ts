// A tool given to an agent: the attachment, with its configuration. An agent's own tools are exactly its attachments;
// an agent that has none works with the default set. So a broken or missing attachment must never look like "none":
// it is there, and unavailable.
//
// attachTool and detachTool are those of the iofold document: they count at once. So that history stays whole, each of
// them publishes a version of its own, and does the same to the draft where there is one (docs/decisions/0010).
import { inOrder, readLiveAttachments } from './agent-configuration.ts'
import { type AgentState, lockAgent } from './agent-state.ts'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { insertVersion } from './publish-version.ts'
import { storableText } from './storable.ts'
import { findTool, type RegisteredTool, toolColumns, type Unavailability, unavailability } from './tools.ts'

export type Config = Readonly<Record<string, unknown>>

export interface Attachment extends RegisteredTool {
  config: Config | null
  attachedAt: Date
}

export type AttachResult =
  | { ok: true; attachment: Attachment }
  | { ok: false; reason: 'not_found'; what: 'agent' | 'tool' }
  | { ok: false; reason: 'already_attached' }
  | { ok: false; reason: 'unavailable'; why: Unavailability }
  /** One sentence for each thing that is wrong with the configuration. */
  | { ok: false; reason: 'invalid_config'; problems: readonly string[] }

export interface AttachTool {
  workspaceId: string
  agentId: string
  /** Or a canonical name, or an alias. */
  toolId: string
  config?: Config | null
  actor: Actor
  /** What the tool's own schema says about the configuration. `name` is canonical. */
  validate(name: string, config: Config): readonly string[]
}

/** Gives a tool to an agent. Of two who attach the same at once, one does and the other learns that it is there. */
export function attachTool(db: Database, input: AttachTool): Promise<AttachResult> {
  return inTransaction(db, async (tx): Promise<AttachResult> => {
    const state = await lockAgent(tx, input)
    if (!state) return { ok: false, reason: 'not_found', what: 'agent' }
    const tool = await findTool({ pool: tx }, input.toolId, { workspaceId: input.workspaceId })
    if (!tool) return { ok: false, reason: 'not_found', what: 'tool' }
    if (tool.unavailable) return { ok: false, reason: 'unavailable', why: tool.unavailable }
    const config = input.config ?? null
    const problems = configProblems(config, (checked) => input.validate(tool.name, checked))
    if (problems.length) return { ok: false, reason: 'invalid_config', problems }
    const { rows } = await tx.query(
      `INSERT INTO agent_tools (agent_id, tool_id, config) SELECT a.id, $3, $4 FROM agents a
       WHERE a.id = $1 AND a.workspace_id = $2 ON CONFLICT (agent_id, tool_id) DO NOTHING RETURNING created_at`,
      [input.agentId, input.workspaceId, tool.id, config && JSON.stringify(config)],
    )
    if (!rows[0]) return { ok: false, reason: 'already_attached' }
    const agentVersion = await recordInHistory(tx, input, state, {
      note: `Attached ${tool.name}.`,
      draft: (attachments) => [...attachments.filter(({ toolId }) => toolId !== tool.id), { toolId: tool.id, config }],
    })
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'tool.attach',
      subject: { kind: 'agent', id: input.agentId },
      data: { toolId: tool.id, version: tool.version, config, agentVersion },
    })
    return { ok: true, attachment: { ...tool, config, attachedAt: rows[0].created_at } }
  })
}

export type DetachResult = { ok: true; toolId: string } | { ok: false; reason: 'not_found'; what: 'agent' | 'tool' }

/** Takes a tool from an agent; also one that is gone or switched off. Of an alias's tools it is the attached one. */
export function detachTool(
  db: Database,
  input: { workspaceId: string; agentId: string; toolId: string; actor: Actor },
): Promise<DetachResult> {
  return inTransaction(db, async (tx): Promise<DetachResult> => {
    const state = await lockAgent(tx, input)
    if (!state) return { ok: false, reason: 'not_found', what: 'agent' }
    const { rows } = await tx.query<{ tool_id: string; config: string | null; name: string }>(
      `DELETE FROM agent_tools USING (
         SELECT a.agent_id, a.tool_id, t.handler_key AS name FROM agent_tools a JOIN tools t ON t.id = a.tool_id
         LEFT JOIN tool_details d ON d.tool_id = t.id
         WHERE a.agent_id = $1 AND (t.id = $2 OR t.handler_key = $2 OR d.aliases @> ARRAY[$2])
         ORDER BY t.id = $2 DESC, t.handler_key = $2 DESC, d.position, t.id LIMIT 1
       ) AS meant
       WHERE agent_tools.agent_id = meant.agent_id AND agent_tools.tool_id = meant.tool_id
       RETURNING agent_tools.tool_id, agent_tools.config, meant.name`,
      [input.agentId, storableText(input.toolId)],
    )
    const detached = rows[0]
    if (!detached) return { ok: false, reason: 'not_found', what: 'tool' }
    const agentVersion = await recordInHistory(tx, input, state, {
      note: `Detached ${detached.name}.`,
      draft: (attachments) => attachments.filter(({ toolId }) => toolId !== detached.tool_id),
    })
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'tool.detach',
      subject: { kind: 'agent', id: input.agentId },
      data: { toolId: detached.tool_id, config: detached.config, agentVersion },
    })
    return { ok: true, toolId: detached.tool_id }
  })
}

/** Everything that is attached to the agent, in the order of the tools' ids. Null when it is not one of the workspace. */
export async function listAttachments(
  db: { pool: Queryable },
  whose: { workspaceId: string; agentId: string },
): Promise<Attachment[] | null> {
  const { rows } = await prepared(
    db.pool,
    `SELECT g.id AS "agentId", a.config AS "configText", a.created_at AS "attachedAt", ${toolColumns('g.workspace_id')}
     FROM agents g LEFT JOIN agent_tools a ON a.agent_id = g.id LEFT JOIN tools t ON t.id = a.tool_id
     LEFT JOIN tool_details d ON d.tool_id = t.id
     WHERE g.id = $1 AND g.workspace_id = $2 ORDER BY t.id`,
    [storableText(whose.agentId), whose.workspaceId],
  )
  if (!rows.length) return null
  return rows
    .filter((row) => row.id !== null)
    .map(({ agentId: _, configText, ...tool }) => ({ ...tool, config: parseConfigText(configText) ?? null }))
}

export interface AgentAttachments {
  /** Canonical name → configuration; empty where none is set. */
  attached: ReadonlyMap<string, Config>
  /** Attached, and not to be used now. */
  unavailable: readonly { name: string; why: Unavailability | 'unreadable_config' }[]
}

/** What a run works with. Null: nothing is attached, so the agent has the default set. */
export async function loadAttachments(db: { pool: Queryable }, agentId: string): Promise<AgentAttachments | null> {
  const { rows } = await prepared<{ name: string; config: string | null; unavailable: Unavailability | null }>(
    db.pool,
    `SELECT t.handler_key AS name, a.config, ${unavailability('g.workspace_id')} AS unavailable
     FROM agent_tools a JOIN agents g ON g.id = a.agent_id JOIN tools t ON t.id = a.tool_id
     LEFT JOIN tool_details d ON d.tool_id = t.id AND (d.workspace_id IS NULL OR d.workspace_id = g.workspace_id)
     WHERE a.agent_id = $1 ORDER BY t.id`,
    [agentId],
  )
  if (!rows.length) return null
  const attached = new Map<string, Config>()
  const unavailable: { name: string; why: Unavailability | 'unreadable_config' }[] = []
  for (const { name, config: text, unavailable: why } of rows) {
    const config = parseConfigText(text)
    if (why) unavailable.push({ name, why })
    else if (config === undefined) unavailable.push({ name, why: 'unreadable_config' })
    else attached.set(name, config ?? {})
  }
  return { attached, unavailable }
}

/**
 * The version that says what is attached from now on, and the same change in the draft, so that publishing it does not
 * undo what was done at once. Null: nobody published the agent yet, and there is nothing to keep a history of.
 */
async function recordInHistory(
  tx: Queryable,
  { workspaceId, actor }: { workspaceId: string; actor: Actor },
  state: AgentState,
  change: { note: string; draft: (attachments: AgentState['liveAttachments']) => AgentState['liveAttachments'] },
): Promise<number | null> {
  const { agentId, published, draft } = state
  const attachments = await readLiveAttachments(tx, agentId)
  const number = published
    ? await insertVersion(tx, workspaceId, state, {
        configuration: { ...published.configuration, attachments },
        actor,
        note: change.note,
      })
    : null
  if (draft)
    await tx.query(
      `UPDATE agent_versions SET attachments = $2,
         updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond') WHERE id = $1`,
      [draft.id, JSON.stringify(inOrder(change.draft(draft.configuration.attachments)))],
    )
  return number
}

/** What is wrong with an attachment's configuration, a sentence each; what the tool says of it is asked last. */
export function configProblems(
  config: Config | null,
  validate: (config: Config) => readonly string[],
): readonly string[] {
  return checkConfig(config) ?? validate(config ?? {})
}

/** Why a tool cannot be used, in words that go on after its name and a colon. */
export const describeUnavailable = (why: Unavailability): string =>
  ({ gone: 'no running bot has it', disabled: 'it is switched off' })[why]

function checkConfig(config: Config | null): readonly string[] | null {
  if (config === null) return null
  if (!isConfig(config)) return ['The configuration must be an object.']
  const text = JSON.stringify(config)
  if (Buffer.byteLength(text) > limits.attachmentConfigBytes)
    return [`The configuration is larger than ${limits.attachmentConfigBytes} bytes.`]
  return storableText(text) === text && !text.includes('\\u0000')
    ? null
    : ['The configuration has unstorable characters.']
}

/** Undefined: what is stored is not a configuration. */
function parseConfigText(text: string | null): Config | null | undefined {
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    return isConfig(value) ? value : undefined
  } catch {
    return undefined // Not JSON: written past attachTool. The caller says so.
  }
}

const isConfig = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
