// How an agent gets another published version, whoever asks for it: the draft's, an older one's again, or the newest
// one's with a tool more or less. All of it under the lock of lockAgent, and in one order.
import { type AgentConfiguration, configurationValues } from './agent-configuration.ts'
import type { AgentState } from './agent-state.ts'
import type { Actor } from './audit.ts'
import type { Queryable } from './client.ts'
import { newId } from './ids.ts'

/**
 * The draft becomes the newest version as it stands. The caller has attached nothing yet: `attachAll` does, so that what
 * is attached and what the version says are one.
 */
export async function publishDraftRow(
  tx: Queryable,
  { draft, agentId }: AgentState & { draft: NonNullable<AgentState['draft']> },
  { actor, note }: { actor: Actor; note: string },
): Promise<number> {
  await tx.query(
    `UPDATE agent_versions SET published_at = clock_timestamp(), published_by = $2, note = $3
     WHERE id = $1 AND published_at IS NULL`,
    [draft.id, memberOf(actor), note],
  )
  await attachAll(tx, agentId, draft.configuration.attachments)
  return draft.number
}

/** A new version with this configuration. A draft stays one, with a number above it. */
export async function insertVersion(
  tx: Queryable,
  workspaceId: string,
  { agentId, published, draft }: Pick<AgentState, 'agentId' | 'published' | 'draft'>,
  version: { configuration: AgentConfiguration; actor: Actor; note: string },
): Promise<number> {
  const number = draft?.number ?? (published?.number ?? 0) + 1
  // Moved out of the way first: two versions of one number cannot be.
  if (draft) await tx.query('UPDATE agent_versions SET number = $2 WHERE id = $1', [draft.id, number + 1])
  const values = configurationValues(version.configuration)
  const names = Object.keys(values)
  await tx.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, published_by, note, ${names})
     VALUES ($1, $2, $3, $4, clock_timestamp(), $5, $6, ${names.map((_, index) => `$${index + 7}`)})`,
    [newId('agv'), workspaceId, agentId, number, memberOf(version.actor), version.note, ...Object.values(values)],
  )
  return number
}

/** Makes what is attached exactly this. What was there already with this configuration keeps its date. */
export async function attachAll(
  tx: Queryable,
  agentId: string,
  attachments: AgentConfiguration['attachments'],
): Promise<void> {
  const wanted = attachments.map(({ toolId, config }) => ({
    tool_id: toolId,
    config: config && JSON.stringify(config),
  }))
  await tx.query('DELETE FROM agent_tools WHERE agent_id = $1 AND tool_id <> ALL($2)', [
    agentId,
    wanted.map((each) => each.tool_id),
  ])
  await tx.query(
    `INSERT INTO agent_tools AS t (agent_id, tool_id, config)
     SELECT $1, w.tool_id, w.config FROM jsonb_to_recordset($2::jsonb) AS w(tool_id text, config text)
     ON CONFLICT (agent_id, tool_id) DO UPDATE SET config = excluded.config
     WHERE t.config::jsonb IS DISTINCT FROM excluded.config::jsonb`,
    [agentId, JSON.stringify(wanted)],
  )
}

/** Of tools that a version names, those that the registry has not any more. */
export async function findMissingTools(
  tx: Queryable,
  workspaceId: string,
  { attachments }: AgentConfiguration,
): Promise<string[]> {
  const ids = attachments.map(({ toolId }) => toolId)
  const { rows } = await tx.query(
    `SELECT t.id FROM tools t LEFT JOIN tool_details d ON d.tool_id = t.id
     WHERE t.id = ANY($1) AND (d.workspace_id IS NULL OR d.workspace_id = $2)`,
    [ids, workspaceId],
  )
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}

const memberOf = (actor: Actor): string | null => (actor.kind === 'member' ? actor.id : null)
