import type { Queryable } from './client.ts'
import { storableText } from './storable.ts'

/** Thumbs up or down; the last one of each member counts. False: there is no such run in the member's workspace. */
export async function saveRunFeedback(
  db: { pool: Queryable },
  feedback: { runId: string; memberId: string; good: boolean },
): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `INSERT INTO run_feedback (run_id, member_id, workspace_id, good)
     SELECT r.id, m.id, r.workspace_id, $3 FROM runs r JOIN members m ON m.workspace_id = r.workspace_id
     WHERE r.id = $1 AND m.id = $2 AND m.disabled_at IS NULL
     ON CONFLICT (run_id, member_id) DO UPDATE SET good = excluded.good, at = now()`,
    [storableText(feedback.runId), feedback.memberId, feedback.good],
  )
  return rowCount === 1
}
