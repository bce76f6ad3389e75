// The state of an agent that a change begins from: its row, its newest published version and its draft, all held until
// the end of the transaction, so that whoever changes an agent does so one after the other.
import {
  type AgentConfiguration,
  configurationColumns,
  readLiveAttachments,
  toConfiguration,
} from './agent-configuration.ts'
import type { Queryable } from './client.ts'
import { storableText } from './storable.ts'

/**
 * What somebody had before their eyes when they decided on a change: the newest published version (0: none) and the
 * draft, if there was one. Where it is not that any more, nothing is written, and two people never overwrite each other
 * unseen.
 */
export interface SeenAgent {
  version: number
  draftUpdatedAt: Date | null
}

export interface AgentState {
  agentId: string
  name: string
  archived: boolean
  /** What holds now; null where nobody published the agent. Its attachments are those that are attached. */
  published: { number: number; configuration: AgentConfiguration } | null
  draft: { id: string; number: number; updatedAt: Date; configuration: AgentConfiguration } | null
  /** What is attached; without a published version it stands here only. */
  liveAttachments: AgentConfiguration['attachments']
}

/** Why nothing was changed. */
export type AgentRefusal =
  | { ok: false; reason: 'not_found' }
  /** It is put away: it has to be restored before anything about it is changed. */
  | { ok: false; reason: 'archived' }
  /** Somebody else changed it meanwhile; `seen` is how it is now. */
  | { ok: false; reason: 'changed'; seen: SeenAgent }

/** Null: the workspace has no such agent. */
export async function lockAgent(
  tx: Queryable,
  whose: { workspaceId: string; agentId: string },
): Promise<AgentState | null> {
  const { rows } = await tx.query(
    'SELECT id, name, archived_at FROM agents WHERE id = $1 AND workspace_id = $2 FOR NO KEY UPDATE',
    [storableText(whose.agentId), whose.workspaceId],
  )
  const agent = rows[0]
  if (!agent) return null
  const versions = await tx.query(
    `(SELECT v.id, v.number, v.published_at, v.updated_at, ${configurationColumns} FROM agent_versions v
      WHERE v.agent_id = $1 AND v.published_at IS NOT NULL ORDER BY v.number DESC LIMIT 1)
     UNION ALL (SELECT v.id, v.number, v.published_at, v.updated_at, ${configurationColumns} FROM agent_versions v
      WHERE v.agent_id = $1 AND v.published_at IS NULL)`,
    [agent.id],
  )
  const liveAttachments = await readLiveAttachments(tx, agent.id)
  const published = versions.rows.find((row) => row.published_at !== null)
  const draft = versions.rows.find((row) => row.published_at === null)
  return {
    agentId: agent.id,
    name: agent.name,
    archived: agent.archived_at !== null,
    published: published
      ? { number: published.number, configuration: { ...toConfiguration(published), attachments: liveAttachments } }
      : null,
    draft: draft
      ? { id: draft.id, number: draft.number, updatedAt: draft.updated_at, configuration: toConfiguration(draft) }
      : null,
    liveAttachments,
  }
}

export const seenOf = ({ published, draft }: Pick<AgentState, 'published' | 'draft'>): SeenAgent => ({
  version: published?.number ?? 0,
  draftUpdatedAt: draft?.updatedAt ?? null,
})

export const isSeen = (state: AgentState, seen: SeenAgent): boolean =>
  (state.published?.number ?? 0) === seen.version && state.draft?.updatedAt.getTime() === seen.draftUpdatedAt?.getTime()

/** Null: the change may go on. */
export function refuse(state: AgentState | null, seen: SeenAgent | undefined): AgentRefusal | null {
  if (!state) return { ok: false, reason: 'not_found' }
  if (state.archived) return { ok: false, reason: 'archived' }
  if (seen && !isSeen(state, seen)) return { ok: false, reason: 'changed', seen: seenOf(state) }
  return null
}
