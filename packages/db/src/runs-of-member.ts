import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import type { RunStatus } from './runs.ts'

export interface RunOfMember {
  id: string
  conversationId: string
  channelId: string
  channelKind: string
  agentName: string
  title: string
  status: RunStatus
  queuedAt: Date
  finishedAt: Date | null
}

/** What this member has asked for, the newest first. Only the workspace's newest runs are looked at, so it has an end. */
export async function listRunsOf(
  db: { pool: Queryable },
  list: { workspaceId: string; memberId: string; limit?: number },
): Promise<RunOfMember[]> {
  const { rows } = await db.pool.query(
    `SELECT r.id, r.conversation_id AS "conversationId", c.channel_id AS "channelId", ch.kind AS "channelKind",
       a.name AS "agentName", r.title, r.status, r.queued_at AS "queuedAt", r.finished_at AS "finishedAt"
     FROM (SELECT * FROM runs WHERE workspace_id = $1 ORDER BY queued_at DESC, id DESC LIMIT $4) r
     JOIN conversations c ON c.id = r.conversation_id JOIN channels ch ON ch.id = c.channel_id JOIN agents a ON a.id = r.agent_id
     WHERE r.requested_by = $2 AND r.parent_run_id IS NULL AND c.deleted_at IS NULL
     ORDER BY r.queued_at DESC, r.id DESC LIMIT $3`,
    [list.workspaceId, list.memberId, Math.min(list.limit ?? 10, limits.pageRows), limits.runsOfMember],
  )
  return rows
}
