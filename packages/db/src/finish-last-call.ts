import type { Claim } from './claim.ts'
import type { Database } from './client.ts'
import { lockBoth } from './messages.ts'
import { prepared } from './prepared.ts'
import { appendEvents } from './run-events.ts'
import { storableJson } from './storable.ts'
import { endCall, endData, endValues, type ToolCallEnd } from './tool-calls.ts'

const statement = `WITH ${lockBoth}, call AS (${endCall}
  ), numbered AS (
    UPDATE conversations c SET next_message = c.next_message + 1, last_activity_at = clock_timestamp()
    FROM call WHERE c.id = call.conversation_id
    RETURNING c.next_message - 1 AS number, call.*
  ), message AS (
    INSERT INTO messages (conversation_id, number, workspace_id, run_id, role, content)
    SELECT conversation_id, number, workspace_id, run_id, 'tool', $10::jsonb FROM numbered
  ), events AS (${appendEvents('numbered', [
    ['tool-call-end', endData],
    ['message', `jsonb_build_object('number', number, 'role', 'tool')`],
  ])})
  SELECT number FROM numbered`

/**
 * finishToolCall of the call of a step that ends last, and appendMessage with the results of all of them, together or
 * not at all. Answers the message's number. Null: as finishToolCall's false; then nothing is appended.
 */
export async function finishLastToolCall(
  db: Database,
  claim: Claim,
  end: ToolCallEnd,
  results: readonly unknown[],
): Promise<number | null> {
  const { rows } = await prepared(db.pool, statement, [...endValues(claim, end), storableJson(results)])
  return rows[0]?.number ?? null
}
