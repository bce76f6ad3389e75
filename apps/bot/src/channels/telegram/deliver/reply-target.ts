import type { ClaimedDelivery, Database } from '@quartermaster/db'

/** In a group an answer is a reply to what it answers: the last that was said to its run. Null where there is none. */
export async function findReplyTarget(
  db: Pick<Database, 'pool'>,
  { conversationId, runId }: Pick<ClaimedDelivery, 'conversationId' | 'runId'>,
): Promise<number | null> {
  if (!runId) return null
  const { rows } = await db.pool.query(
    `SELECT external_id FROM messages WHERE conversation_id = $1 AND run_id = $2 AND role = 'user' AND external_id IS NOT NULL
     ORDER BY number DESC LIMIT 1`,
    [conversationId, runId],
  )
  const id = Number(rows[0]?.external_id)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}
