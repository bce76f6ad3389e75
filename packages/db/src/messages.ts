// What a claim holder adds to the transcript. People's messages come in through inbox.ts.
import type { Claim } from './claim.ts'
import type { Database } from './client.ts'
import { appendEvent } from './run-events.ts'
import { storableJson } from './storable.ts'

export interface TokenUse {
  inputTokens: number
  outputTokens: number
  /** Millionths of a dollar; rounded when it is stored. */
  costMicros: number
}

const useValues = (use: TokenUse) => [use.inputTokens, use.outputTokens, Math.round(use.costMicros)]

/** The CTEs that both functions start with: the conversation's row first, then the run's (see runs.ts on locks). */
const lockBoth = (strength: 'SHARE' | 'NO KEY UPDATE') => `
  conversation AS (
    SELECT id FROM conversations WHERE id = (SELECT conversation_id FROM runs WHERE id = $1) FOR NO KEY UPDATE
  ), held AS (
    SELECT r.id AS run_id, r.workspace_id, r.conversation_id FROM runs r JOIN conversation c ON c.id = r.conversation_id
    WHERE r.id = $1 AND r.claim_number = $2 AND r.status = 'running' FOR ${strength} OF r
  )`

const append = `
  numbered AS (
    UPDATE conversations c SET next_message = c.next_message + 1, last_activity_at = clock_timestamp()
    FROM held WHERE c.id = held.conversation_id
    RETURNING c.next_message - 1 AS number, held.run_id, c.workspace_id, c.id AS conversation_id
  ), message AS (
    INSERT INTO messages (conversation_id, number, workspace_id, run_id, role, content)
    SELECT conversation_id, number, workspace_id, run_id, $3::message_role, $4::jsonb FROM numbered
  ), event AS (${appendEvent('numbered', 'message', `jsonb_build_object('number', number, 'role', $3::text)`)})`

/** Appends tool results or the assistant's words and answers the message's number. Null when the claim is lost. */
export async function appendMessage(
  db: Database,
  claim: Claim,
  message: { role: 'assistant' | 'tool'; content: unknown },
): Promise<number | null> {
  const { rows } = await db.pool.query(`WITH ${lockBoth('SHARE')}, ${append} SELECT number FROM numbered`, [
    claim.runId,
    claim.claimNumber,
    message.role,
    storableJson(message.content),
  ])
  return rows[0]?.number ?? null
}

/** One model call: its message, its tokens and the step count, together or not at all. Null when the claim is lost. */
export async function recordStep(
  db: Database,
  claim: Claim,
  step: { content: unknown; use: TokenUse; data?: Record<string, unknown> },
): Promise<{ number: number; step: number } | null> {
  const { rows } = await db.pool.query(
    `WITH ${lockBoth('NO KEY UPDATE')}, ${append}, run AS (
       UPDATE runs r SET steps = r.steps + 1, input_tokens = r.input_tokens + $5, output_tokens = r.output_tokens + $6,
         cost_micros = r.cost_micros + $7
       FROM held WHERE r.id = held.run_id RETURNING r.steps, r.id AS run_id, r.workspace_id
     ), ended AS (${appendEvent(
       'run',
       'model-end',
       `$8::jsonb || jsonb_build_object('step', steps, 'inputTokens', $5::bigint, 'outputTokens', $6::bigint, 'costMicros', $7::bigint)`,
     )})
     SELECT number, steps FROM numbered, run`,
    [
      claim.runId,
      claim.claimNumber,
      'assistant',
      storableJson(step.content),
      ...useValues(step.use),
      storableJson(step.data ?? {}),
    ],
  )
  return rows[0] ? { number: rows[0].number, step: rows[0].steps } : null
}

/** Tokens of a model call that left no message (it was stopped, or it failed half-way). */
export async function addUsage(db: Database, claim: Claim, use: TokenUse): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `UPDATE runs SET input_tokens = input_tokens + $3, output_tokens = output_tokens + $4, cost_micros = cost_micros + $5
     WHERE id = $1 AND claim_number = $2 AND status = 'running'`,
    [claim.runId, claim.claimNumber, ...useValues(use)],
  )
  return rowCount === 1
}
