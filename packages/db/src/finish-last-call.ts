import type { Claim } from './claim.ts'
import type { Database } from './client.ts'
import { arrayText, byKey, type CombinedStatement, columnsOf } from './combine.ts'
import { touchConversation } from './messages.ts'
import { appendEvents } from './run-events.ts'
import { storableJson } from './storable.ts'
import { addTaint, endData, endValues, setDuration, type ToolCallEnd } from './tool-calls.ts'

interface AskedEnd {
  claim: Claim
  end: ToolCallEnd
  results: readonly unknown[]
}

const finish: CombinedStatement<AskedEnd> = {
  text: `WITH asked AS (
      SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::tool_call_status[], $5::text[], $6::text[], $7::int[],
        $8::text[], $9::text[], $10::text[]) AS a (run_id, claim_number, id, status, output, error, output_bytes, findings,
        taint, results)
    ), conversation AS (
      SELECT c.id, a.id AS call_id, a.run_id, a.claim_number FROM asked a JOIN runs r ON r.id = a.run_id
      JOIN conversations c ON c.id = r.conversation_id
      ORDER BY c.id FOR NO KEY UPDATE OF c
    ), held AS (
      SELECT c.call_id, r.id AS run_id, r.claimed_by || '#' || r.claim_number AS claim_name
      FROM conversation c JOIN runs r ON r.id = c.run_id
      WHERE r.conversation_id = c.id AND r.claim_number = c.claim_number AND ${byKey('r.status')} = 'running' FOR SHARE OF r
    ), call AS (
      UPDATE tool_calls t SET status = a.status, output = a.output, error = a.error, output_bytes = a.output_bytes,
        findings = a.findings::jsonb, ${addTaint('a.taint::text[]')}, finished_at = clock_timestamp(), ${setDuration}
      FROM held JOIN asked a ON a.id = held.call_id
      WHERE t.id = held.call_id AND t.run_id = held.run_id AND t.status = 'running' AND t.claimed_by = held.claim_name
      RETURNING t.id, t.run_id, t.workspace_id, t.conversation_id, t.tool_name, t.status, t.duration_ms
    ), numbered AS (
      UPDATE conversations c SET next_message = c.next_message + 1, ${touchConversation}
      FROM call WHERE c.id = call.conversation_id
      RETURNING c.next_message - 1 AS number, call.*
    ), message AS (
      INSERT INTO messages (conversation_id, number, workspace_id, run_id, role, content)
      SELECT n.conversation_id, n.number, n.workspace_id, n.run_id, 'tool', a.results::jsonb
      FROM numbered n JOIN asked a ON a.id = n.id
    ), events AS (${appendEvents('numbered', 'last-call-end', `${endData} || jsonb_build_object('number', number)`, 'message')})
    SELECT id AS key, number FROM numbered`,
  values: (items) =>
    columnsOf(
      items.map(({ claim, end, results }) => {
        const values = endValues(claim, end)
        const taint = values.pop() as string[]
        return [...values, arrayText(taint), storableJson(results)]
      }),
    ),
  keyOf: ({ end }) => end.toolCallId,
  apartBy: ({ claim }) => [claim.runId],
}

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
  const row = await db.combiner.run(finish, { claim, end, results })
  return row?.number ?? null
}
