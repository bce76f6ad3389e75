// Tool calls as they were recorded, for a policy that is tried on them: page by page, the newest first, with what of
// their run and conversation a decision depended on.
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import type { Trigger } from './runs.ts'

export interface RecordedCall {
  id: string
  runId: string
  agentId: string
  tool: string
  arguments: unknown
  requestedAt: Date
  trigger: Trigger
  /** Where strangers' content in the conversation came from that had been read by then. */
  taint: string[]
}

export interface RecordedCallsPage {
  workspaceId: string
  /** Null: from the first call on. */
  since: Date | null
  /** The last call of the page before. */
  after: { requestedAt: Date; id: string } | null
  limit: number
}

/** Served by the index of the workspace's calls by time, each page alike, however far back it lies. */
export async function readRecordedCalls(db: { pool: Queryable }, page: RecordedCallsPage): Promise<RecordedCall[]> {
  const { rows } = await db.pool.query<RecordedCall>(
    `SELECT t.id, t.run_id AS "runId", t.agent_id AS "agentId", t.tool_name AS tool, t.arguments,
       t.requested_at AS "requestedAt", r.trigger,
       ARRAY(SELECT DISTINCT source FROM tool_calls b, unnest(b.taint) AS source
         WHERE b.conversation_id = t.conversation_id AND b.taint <> '{}' AND b.finished_at <= t.requested_at
         ORDER BY source LIMIT $6) AS taint
     FROM tool_calls t JOIN runs r ON r.workspace_id = t.workspace_id AND r.id = t.run_id
     WHERE t.workspace_id = $1 AND t.requested_at >= $2 AND (t.requested_at, t.id) < ($3::timestamptz, $4)
     ORDER BY t.requested_at DESC, t.id DESC LIMIT $5`,
    [
      page.workspaceId,
      page.since ?? '-infinity',
      page.after?.requestedAt ?? 'infinity',
      page.after?.id ?? '',
      page.limit,
      limits.replayTaintSources,
    ],
  )
  return rows
}

/** When the first call of the workspace was made; null where there is none. */
export async function firstRecordedCall(db: { pool: Queryable }, workspaceId: string): Promise<Date | null> {
  const { rows } = await db.pool.query(
    'SELECT requested_at FROM tool_calls WHERE workspace_id = $1 ORDER BY requested_at, id LIMIT 1',
    [workspaceId],
  )
  return rows[0]?.requested_at ?? null
}
