// What goes on in a place of a platform, for the commands that people give there.
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import { atLeast } from './roles.ts'
import type { RunStatus } from './runs.ts'
import { storableText } from './storable.ts'

interface Where {
  channelId: string
  conversationKey: string
}

/** The newest run there, and the titles of its open questions. */
export async function readPlaceStatus(
  db: { pool: Queryable },
  { channelId, conversationKey }: Where,
): Promise<{ run: { id: string; status: RunStatus } | null; openQuestions: string[] }> {
  const { rows } = await db.pool.query(
    `SELECT r.id, r.status, ARRAY(SELECT coalesce(q.prompt ->> 'title', 'Something needs an answer') FROM questions q
       WHERE q.run_id = r.id AND q.status = 'open' ORDER BY q.asked_at, q.id LIMIT $3) AS questions
     FROM conversations c JOIN runs r ON r.conversation_id = c.id
     WHERE c.channel_id = $1 AND c.external_key = $2 ORDER BY r.queued_at DESC, r.id DESC LIMIT 1`,
    [channelId, storableText(conversationKey), limits.questionCopies],
  )
  const row = rows[0]
  return { run: row ? { id: row.id, status: row.status } : null, openQuestions: row?.questions ?? [] }
}

/**
 * The unfinished run of a conversation, if this member may stop it: whoever wrote there may, and approvers, admins and
 * owners. Null: there is none, or they may not.
 */
export async function findStoppableRun(
  db: { pool: Queryable },
  { channelId, conversationKey, memberId }: Where & { memberId: string },
): Promise<string | null> {
  const { rows } = await db.pool.query(
    `SELECT r.id, m.role, r.requested_by = m.id OR EXISTS (
       SELECT 1 FROM messages w WHERE w.conversation_id = c.id AND w.member_id = m.id) AS takes_part
     FROM conversations c JOIN runs r ON r.conversation_id = c.id AND r.status IN ('queued', 'running', 'waiting')
     JOIN members m ON m.id = $3 AND m.workspace_id = c.workspace_id AND m.disabled_at IS NULL
     WHERE c.channel_id = $1 AND c.external_key = $2`,
    [channelId, storableText(conversationKey), memberId],
  )
  const row = rows[0]
  return row && (row.takes_part || atLeast(row.role, 'approver')) ? row.id : null
}

/** As findStoppableRun, of one run by its id: whether this member may stop it. False also where there is no such run. */
export async function mayStopRun(
  db: { pool: Queryable },
  { workspaceId, runId, memberId }: { workspaceId: string; runId: string; memberId: string },
): Promise<boolean> {
  const { rows } = await db.pool.query(
    `SELECT m.role, r.requested_by = m.id OR EXISTS (
       SELECT 1 FROM messages w WHERE w.conversation_id = r.conversation_id AND w.member_id = m.id) AS takes_part
     FROM runs r JOIN members m ON m.id = $3 AND m.workspace_id = r.workspace_id AND m.disabled_at IS NULL
     WHERE r.id = $1 AND r.workspace_id = $2`,
    [runId, workspaceId, memberId],
  )
  const row = rows[0]
  return row !== undefined && atLeast(row.role, 'member') && (row.takes_part || atLeast(row.role, 'approver'))
}
