// What strangers wrote and an agent read. A tool call's record names its sources (finishToolCall writes them with the
// end of the call); while there are any in a conversation, what leaves the building asks.
import { type Claim, heldRun } from './claim.ts'
import type { Database } from './client.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { storableText } from './storable.ts'

/** What a tool that waits for an answer has read so far; the end of the call adds to it. False: the claim is lost. */
export async function taintToolCall(
  db: Database,
  claim: Claim,
  read: { toolCallId: string; taint: readonly string[] },
): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `WITH held AS (${heldRun})
     UPDATE tool_calls t SET taint = ARRAY(SELECT DISTINCT source FROM unnest(t.taint || $4::text[]) AS source)
     FROM held WHERE t.id = $3 AND t.run_id = held.run_id`,
    [claim.runId, claim.claimNumber, read.toolCallId, read.taint.map(storableText)],
  )
  return rowCount === 1
}

/**
 * The query of readTaint; `conversationId` and `most` are SQL expressions. A fork has what it began with in its own row:
 * the calls that read it are another conversation's (fork-run.ts).
 */
export const taintOf = (conversationId: string, most: string) =>
  `SELECT unnest(taint) AS source FROM tool_calls WHERE conversation_id = ${conversationId} AND taint <> '{}'
   UNION SELECT unnest(taint) FROM conversations WHERE id = ${conversationId}
   ORDER BY source LIMIT ${most}`

/**
 * Where strangers' content in a conversation came from. Of the conversation and not of the run: what one run read
 * stands in the transcript that the next one begins with.
 */
export async function readTaint(db: Database, conversationId: string): Promise<string[]> {
  const { rows } = await prepared(db.pool, taintOf('$1', '$2'), [conversationId, limits.pageRows])
  return rows.map((row) => row.source)
}
