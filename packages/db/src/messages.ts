// What a claim holder adds to the transcript. People's messages come in through inbox.ts.
import type { Claim } from './claim.ts'
import type { Database } from './client.ts'
import { announceDelivery } from './deliveries.ts'
import { closeEnded } from './finish-run.ts'
import { newId } from './ids.ts'
import { prepared } from './prepared.ts'
import { appendEvent } from './run-events.ts'
import { storableJson } from './storable.ts'
import type { Turn } from './transcript.ts'

export interface TokenUse {
  inputTokens: number
  outputTokens: number
  /** Millionths of a dollar; rounded when it is stored. */
  costMicros: number
}

const useValues = (use: TokenUse) => [use.inputTokens, use.outputTokens, Math.round(use.costMicros)]

/** The conversation's row first, then the run's (see runs.ts on locks). */
const lockBoth = `
  conversation AS (
    SELECT id FROM conversations WHERE id = (SELECT conversation_id FROM runs WHERE id = $1) FOR NO KEY UPDATE
  ), held AS (
    SELECT r.id AS run_id, r.workspace_id, r.conversation_id FROM runs r JOIN conversation c ON c.id = r.conversation_id
    WHERE r.id = $1 AND r.claim_number = $2 AND r.status = 'running' FOR SHARE OF r
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
  const { rows } = await prepared(db.pool, `WITH ${lockBoth}, ${append} SELECT number FROM numbered`, [
    claim.runId,
    claim.claimNumber,
    message.role,
    storableJson(message.content),
  ])
  return rows[0]?.number ?? null
}

export interface Step {
  content: unknown
  use: TokenUse
  turn?: Turn
  /** How many steps the run had before: a write that is tried again after a lost connection is not done twice. */
  after?: number
  /** What of it people are sent, in this order and in the same statement: nothing is said twice, and nothing is lost. */
  deliveries?: readonly { kind: string; payload: unknown }[]
  data?: Record<string, unknown>
  /** When the model was asked: the log gets that event as well, with its own time. */
  startedAt?: Date
}

/**
 * The statement of a step, as it is or with the end of the run. With `ends`, the run ends as succeeded where nobody wrote
 * after what the model was shown ($15) and nobody asked it to stop; otherwise it goes on, and what it sends is not called
 * the last. (The CTEs that nothing reads
 * are executed from the last to the first: so the log has the run's end after the step's.)
 */
const stepStatement = (ends: boolean) => {
  const isLast = ends ? '(numbered.number = $15::int + 1 AND r.stop_requested_at IS NULL)' : 'false'
  return `WITH conversation AS (
       SELECT id FROM conversations WHERE id = (SELECT conversation_id FROM runs WHERE id = $1) FOR NO KEY UPDATE
     ), held AS (
       SELECT r.id AS run_id, r.workspace_id, r.conversation_id FROM runs r JOIN conversation c ON c.id = r.conversation_id
       WHERE r.id = $1 AND r.claim_number = $2 AND r.status = 'running' AND ($10::int IS NULL OR r.steps = $10)
       FOR NO KEY UPDATE OF r
     ), numbered AS (
       UPDATE conversations c SET next_message = c.next_message + 1, last_activity_at = clock_timestamp(),
         next_delivery = c.next_delivery + cardinality($11::text[])
       FROM held WHERE c.id = held.conversation_id
       RETURNING c.next_message - 1 AS number, c.next_delivery - cardinality($11::text[]) AS first_delivery,
         held.run_id, c.workspace_id, c.id AS conversation_id, c.channel_id
     ), run AS (
       UPDATE runs r SET steps = r.steps + 1, input_tokens = r.input_tokens + $5, output_tokens = r.output_tokens + $6,
         cost_micros = r.cost_micros + $7
         ${
           ends
             ? `, status = CASE WHEN ${isLast} THEN 'succeeded' ELSE r.status END, finished_at = CASE WHEN ${isLast} THEN clock_timestamp() END,
         claimed_by = CASE WHEN NOT ${isLast} THEN r.claimed_by END, claim_until = CASE WHEN NOT ${isLast} THEN r.claim_until END`
             : ''
         }
       FROM numbered WHERE r.id = numbered.run_id RETURNING r.*, r.id AS run_id
     ), ${ends ? `ended AS (SELECT * FROM run WHERE status = 'succeeded'), ${closeEnded},` : ''} message AS (
       INSERT INTO messages (conversation_id, number, workspace_id, run_id, role, content, turn)
       SELECT conversation_id, number, workspace_id, run_id, $3::message_role, $4::jsonb, $9::jsonb FROM numbered
     ), said AS (${appendEvent('numbered', 'message', `jsonb_build_object('number', number, 'role', $3::text)`)}
     ), delivery AS (
       INSERT INTO deliveries (id, workspace_id, conversation_id, channel_id, number, kind, payload, run_id)
       SELECT d.id, numbered.workspace_id, numbered.conversation_id, channel_id, first_delivery + d.nth - 1, d.kind,
         ${ends ? `CASE run.status WHEN 'succeeded' THEN d.payload::jsonb ELSE d.payload::jsonb - 'last' END` : 'd.payload::jsonb'}, numbered.run_id
       FROM numbered${ends ? ', run' : ''}, unnest($11::text[], $12::text[], $13::text[]) WITH ORDINALITY AS d (id, kind, payload, nth)
       RETURNING ${announceDelivery('deliveries')}
     ), started AS (
       INSERT INTO run_events (workspace_id, run_id, kind, data, at)
       SELECT workspace_id, run_id, 'model-start', jsonb_build_object('step', steps), $14::timestamptz FROM run
       WHERE $14::timestamptz IS NOT NULL
     ), answered AS (${appendEvent(
       'run',
       'model-end',
       `$8::jsonb || jsonb_build_object('step', steps, 'inputTokens', $5::bigint, 'outputTokens', $6::bigint, 'costMicros', $7::bigint)`,
     )})
     SELECT numbered.number, run.steps, run.cost_micros, run.status = 'succeeded' AS ended FROM numbered, run`
}
const oneStep = stepStatement(false)
const lastStep = stepStatement(true)

export interface RecordedStep {
  number: number
  step: number
  costMicros: number
}

/**
 * One model call: its message, its tokens, the step count and what is sent of it, together or not at all. Null when the
 * claim is lost, or when the step is recorded already (`after`).
 */
export async function recordStep(db: Database, claim: Claim, step: Step): Promise<RecordedStep | null> {
  const { rows } = await prepared(db.pool, oneStep, stepValues(claim, step))
  return rows[0] ? toRecordedStep(rows[0]) : null
}

/**
 * As recordStep, and finishRun as succeeded with it, where nobody wrote after `seen`, the last message that the model was
 * shown, and nobody asked the run to stop. `ended` says whether; if not, the run goes on under its claim.
 */
export async function recordLastStep(
  db: Database,
  claim: Claim,
  step: Step & { seen: number },
): Promise<(RecordedStep & { ended: boolean }) | null> {
  const { rows } = await prepared(db.pool, lastStep, [...stepValues(claim, step), step.seen])
  return rows[0] ? { ...toRecordedStep(rows[0]), ended: rows[0].ended } : null
}

const toRecordedStep = (row: { number: number; steps: number; cost_micros: string }): RecordedStep => ({
  number: row.number,
  step: row.steps,
  costMicros: Number(row.cost_micros),
})

function stepValues(claim: Claim, step: Step): unknown[] {
  const { deliveries = [] } = step
  return [
    claim.runId,
    claim.claimNumber,
    'assistant',
    storableJson(step.content),
    ...useValues(step.use),
    storableJson(step.data ?? {}),
    step.turn ? storableJson(step.turn) : null,
    step.after ?? null,
    deliveries.map(() => newId('dlv')),
    deliveries.map(({ kind }) => kind),
    deliveries.map(({ payload }) => storableJson(payload)),
    step.startedAt ?? null,
  ]
}

/** Tokens of a model call that left no message (it was stopped, or it failed half-way). */
export async function addUsage(db: Database, claim: Claim, use: TokenUse): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `UPDATE runs SET input_tokens = input_tokens + $3, output_tokens = output_tokens + $4, cost_micros = cost_micros + $5
     WHERE id = $1 AND claim_number = $2 AND status = 'running'`,
    [claim.runId, claim.claimNumber, ...useValues(use)],
  )
  return rowCount === 1
}
