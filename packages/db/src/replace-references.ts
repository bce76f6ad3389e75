import { type Claim, heldRun } from './claim.ts'
import type { Queryable } from './client.ts'
import { storableJson } from './storable.ts'

/**
 * Puts what a message's references stand for into the transcript, and answers what stands there now: where somebody took
 * the message back or changed it meanwhile, that. Null when the claim is lost, or there is no such message.
 */
export async function replaceReferences(
  db: { pool: Queryable },
  claim: Claim,
  message: { number: number; content: unknown },
): Promise<unknown> {
  const { rows } = await db.pool.query(
    `WITH held AS (${heldRun}), replaced AS (
       UPDATE messages m SET content = $4::jsonb FROM held JOIN runs r ON r.id = held.run_id
       WHERE m.conversation_id = r.conversation_id AND m.number = $3
         AND jsonb_path_exists(m.content, '$[*] ? (@.type == "reference")') RETURNING m.content
     )
     SELECT coalesce((SELECT content FROM replaced), m.content) AS content
     FROM held JOIN runs r ON r.id = held.run_id JOIN messages m ON m.conversation_id = r.conversation_id AND m.number = $3`,
    [claim.runId, claim.claimNumber, message.number, storableJson(message.content)],
  )
  return rows[0]?.content ?? null
}
