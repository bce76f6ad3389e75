// What a claim holder adds to the transcript. People's messages come in through inbox.ts.
import type { Claim } from './claim.ts'
import type { Database } from './client.ts'
import { byKey, type CombinedStatement, columnsOf } from './combine.ts'
import { announceDelivery } from './deliveries.ts'
import { closeWhatIsLeft } from './finish-run.ts'
import { newId } from './ids.ts'
import { prepared } from './prepared.ts'
import { announceEvent, appendEvent } from './run-events.ts'
import { storableJson } from './storable.ts'
import type { Turn } from './transcript.ts'

export interface TokenUse {
  inputTokens: number
  outputTokens: number
  /** Millionths of a dollar; rounded when it is stored. */
  costMicros: number
}

const roundedUse = ({ inputTokens, outputTokens, costMicros }: TokenUse): TokenUse => ({
  inputTokens,
  outputTokens,
  costMicros: Math.round(costMicros),
})

const useValues = (use: TokenUse) => [use.inputTokens, use.outputTokens, Math.round(use.costMicros)]

/**
 * When something last happened in a conversation, as its lists show it. To the second: those lists are indexes, and a run
 * that writes several times in one would change them each time for nothing. What a person writes counts at once.
 */
export const touchConversation = `last_activity_at = CASE WHEN c.last_activity_at < clock_timestamp() - interval '1 second'
  THEN clock_timestamp() ELSE c.last_activity_at END`

/** The conversation's row first, then the run's (see runs.ts on locks). */
export const lockBoth = `
  conversation AS (
    SELECT id FROM conversations WHERE id = (SELECT conversation_id FROM runs WHERE id = $1) FOR NO KEY UPDATE
  ), held AS (
    SELECT r.id AS run_id, r.workspace_id, r.conversation_id, r.claimed_by || '#' || r.claim_number AS claim_name
    FROM runs r JOIN conversation c ON c.id = r.conversation_id
    WHERE r.id = $1 AND r.claim_number = $2 AND r.status = 'running' FOR SHARE OF r
  )`

const append = `
  numbered AS (
    UPDATE conversations c SET next_message = c.next_message + 1, ${touchConversation}
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
 * after what the model was shown (`seen`) and nobody asked it to stop; otherwise it goes on, and what it sends is not called
 * the last.
 */
const stepStatement = (ends: boolean): CombinedStatement<AskedStep> => {
  const isLast = '(n.number = n.seen + 1 AND r.stop_requested_at IS NULL)'
  return {
    text: `WITH asked AS (
       SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
         $8::text[], $9::int[], $10::int[], $11::int[]) AS a (run_id, claim_number, content, input_tokens,
         output_tokens, cost_micros, data, turn, after, deliveries, seen)
     ), conversation AS (
       SELECT c.id, a.run_id FROM asked a JOIN runs r ON r.id = a.run_id JOIN conversations c ON c.id = r.conversation_id
       ORDER BY c.id FOR NO KEY UPDATE OF c
     ), held AS (
       SELECT r.id AS run_id, r.conversation_id, a.input_tokens, a.output_tokens, a.cost_micros, a.deliveries, a.seen
       FROM conversation c JOIN runs r ON r.id = c.run_id JOIN asked a ON a.run_id = c.run_id
       WHERE r.conversation_id = c.id AND r.claim_number = a.claim_number AND ${byKey('r.status')} = 'running'
         AND (a.after IS NULL OR r.steps = a.after)
       FOR NO KEY UPDATE OF r
     ), numbered AS (
       UPDATE conversations c SET next_message = c.next_message + 1, ${touchConversation},
         next_delivery = c.next_delivery + held.deliveries
       FROM held WHERE c.id = held.conversation_id
       RETURNING c.next_message - 1 AS number, c.next_delivery - held.deliveries AS first_delivery, c.workspace_id,
         c.channel_id, held.*
     ), run AS (
       UPDATE runs r SET steps = r.steps + 1, input_tokens = r.input_tokens + n.input_tokens,
         output_tokens = r.output_tokens + n.output_tokens, cost_micros = r.cost_micros + n.cost_micros
         ${
           ends
             ? `, status = CASE WHEN ${isLast} THEN 'succeeded' ELSE r.status END, finished_at = CASE WHEN ${isLast} THEN clock_timestamp() END,
         claimed_by = CASE WHEN NOT ${isLast} THEN r.claimed_by END, claim_until = CASE WHEN NOT ${isLast} THEN r.claim_until END`
             : ''
         }
       FROM numbered n WHERE r.id = n.run_id RETURNING r.*, r.id AS run_id
     ), ${ends ? `ended AS (SELECT * FROM run WHERE status = 'succeeded'), ${closeWhatIsLeft},` : ''} message AS (
       INSERT INTO messages (conversation_id, number, workspace_id, run_id, role, content, turn)
       SELECT n.conversation_id, n.number, n.workspace_id, n.run_id, 'assistant', a.content::jsonb, a.turn::jsonb
       FROM numbered n JOIN asked a ON a.run_id = n.run_id
     ), delivery AS (
       INSERT INTO deliveries (id, workspace_id, conversation_id, channel_id, number, kind, payload, run_id)
       SELECT d.id, n.workspace_id, n.conversation_id, n.channel_id, n.first_delivery + d.nth, d.kind,
         ${ends ? `CASE run.status WHEN 'succeeded' THEN d.payload::jsonb ELSE d.payload::jsonb - 'last' END` : 'd.payload::jsonb'}, n.run_id
       FROM numbered n ${ends ? 'JOIN run ON run.run_id = n.run_id ' : ''}JOIN unnest($12::text[], $13::int[], $14::text[], $15::text[], $16::text[])
         AS d (run_id, nth, id, kind, payload) ON d.run_id = n.run_id
       RETURNING ${announceDelivery('deliveries')}
     ), answered AS (
       INSERT INTO run_events (workspace_id, run_id, kind, data)
       SELECT run.workspace_id, run.run_id, ${ends ? `CASE run.status WHEN 'succeeded' THEN 'last-step' ELSE 'step' END` : `'step'`},
         a.data::jsonb || jsonb_build_object('step', run.steps, 'number', n.number)
       FROM numbered n JOIN run ON run.run_id = n.run_id JOIN asked a ON a.run_id = run.run_id
       RETURNING ${announceEvent(`CASE kind WHEN 'last-step' THEN 'run-end' ELSE 'model-end' END`)}
     )
     SELECT run.run_id AS key, n.number, run.steps, run.cost_micros, run.status = 'succeeded' AS ended
     FROM numbered n JOIN run ON run.run_id = n.run_id`,
    values: stepValues,
    keyOf: ({ claim }) => claim.runId,
  }
}

interface AskedStep {
  claim: Claim
  step: Step & { seen?: number }
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
  const row = await db.combiner.run(oneStep, { claim, step })
  return row ? toRecordedStep(row) : null
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
  const row = await db.combiner.run(lastStep, { claim, step })
  return row ? { ...toRecordedStep(row), ended: row.ended } : null
}

const toRecordedStep = (row: { number: number; steps: number; cost_micros: string }): RecordedStep => ({
  number: row.number,
  step: row.steps,
  costMicros: Number(row.cost_micros),
})

function stepValues(items: readonly AskedStep[]): unknown[] {
  const steps = items.map(({ claim, step }) => [
    claim.runId,
    claim.claimNumber,
    storableJson(step.content),
    ...useValues(step.use),
    storableJson({ ...step.data, ...roundedUse(step.use), startedAt: step.startedAt?.getTime() }),
    step.turn ? storableJson(step.turn) : null,
    step.after ?? null,
    step.deliveries?.length ?? 0,
    step.seen ?? null,
  ])
  const sent = items.flatMap(({ claim, step }) =>
    (step.deliveries ?? []).map(({ kind, payload }, nth) => ({ runId: claim.runId, nth, kind, payload })),
  )
  return [
    ...columnsOf(steps),
    sent.map(({ runId }) => runId),
    sent.map(({ nth }) => nth),
    sent.map(() => newId('dlv')),
    sent.map(({ kind }) => kind),
    sent.map(({ payload }) => storableJson(payload)),
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
