// One requested use of a tool, and its record.
//
//                 ┌───────────── decideToolCall: allow ─────────────┐
//   requestToolCall                                                 ▼       startToolCall           finishToolCall
//     ──▶ requested ── askQuestion ──▶ asking ── answer: approve ─▶ approved ─────────────▶ running ──▶ succeeded | failed
//             │                          │  ▲                        │  ▲                    │  │
//   decideToolCall: deny   answer: deny, │  └── askQuestion (the tool has a question) ───────┘  │ interruptToolCalls
//             ▼                   expiry ▼                           │  └── if idempotent ──────┤ (the claim was lost)
//          refused                    denied        digest changed,  ▼                         ▼
//                                 refuseToolCall:   refused ◀────────┘                    interrupted
//
// A call is marked `running`, with its claim, before the tool starts; so it is started at most once. All but answers
// are writes of the run's claim holder and carry its claim.
import { type Claim, heldRun } from './claim.ts'
import type { Database, Queryable } from './client.ts'
import { byKey, type CombinedStatement, columnsOf } from './combine.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { appendEvent, appendEvents } from './run-events.ts'
import { storableJson, storableText } from './storable.ts'

export type ToolCallStatus =
  | 'requested'
  | 'asking'
  | 'approved'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'interrupted'
  | 'refused'
  | 'denied'

export interface ToolCallRequest {
  step: number
  /** The model's id of the request; unique in the run. */
  toolUseId: string
  toolName: string
  toolVersion: string
  effect: 'read' | 'write' | 'execute' | 'send'
  /** It may be started again after a crash. */
  idempotent: boolean
  arguments: unknown
  /** SHA-256 of tool version, canonical arguments and working directory: what an answer binds. */
  argumentsDigest: string
}

/** Records the request, or finds it when the step is replayed after a crash. Null when the claim is lost. */
export async function requestToolCall(
  db: Database,
  claim: Claim,
  call: ToolCallRequest,
): Promise<{ id: string; status: ToolCallStatus; created: boolean } | null> {
  const { rows } = await prepared(
    db.pool,
    `WITH held AS (${heldRun}), call AS (
       INSERT INTO tool_calls (id, workspace_id, run_id, conversation_id, agent_id, step, tool_use_id, tool_name,
         tool_version, effect, idempotent, arguments, arguments_digest)
       SELECT $3, workspace_id, run_id, conversation_id, agent_id, $4, $5, $6, $7, $8::effect, $9, $10::jsonb, $11 FROM held
       ON CONFLICT (run_id, tool_use_id) DO UPDATE SET step = tool_calls.step
       RETURNING id, workspace_id, run_id, status, id = $3 AS created
     ), event AS (${appendEvent(
       '(SELECT * FROM call WHERE created) AS call',
       'tool-call-request',
       `jsonb_build_object('toolCallId', id, 'toolName', $6::text)`,
     )})
     SELECT id, status, created FROM call`,
    [claim.runId, claim.claimNumber, newId('call'), ...requestValues(call)],
  )
  return rows[0] ?? null
}

/**
 * Request, "allow" and start of a call that has no row yet, in one statement: the same rows and events as
 * requestToolCall, decideToolCall and startToolCall leave, and as they do, before the tool starts. False: the claim is
 * lost, or there is a row of this tool use already; then it must not run.
 */
export async function beginToolCall(db: Database, claim: Claim, call: BeginningCall): Promise<boolean> {
  return (await db.combiner.run(begin, { claim, call })) !== undefined
}

type BeginningCall = ToolCallRequest & { id: string; trail: readonly unknown[] }

const begin: CombinedStatement<{ claim: Claim; call: BeginningCall }> = {
  text: `WITH asked AS (
       SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::effect[],
         $9::bool[], $10::text[], $11::text[], $12::text[]) AS a (run_id, claim_number, id, step, tool_use_id, tool_name,
         tool_version, effect, idempotent, arguments, arguments_digest, trail)
     ), held AS (
       SELECT a.*, r.workspace_id, r.conversation_id, r.agent_id, r.claimed_by || '#' || r.claim_number AS claim_name
       FROM asked a JOIN runs r ON r.id = a.run_id AND r.claim_number = a.claim_number AND ${byKey('r.status')} = 'running'
       ORDER BY a.run_id FOR SHARE OF r
     ), call AS (
       INSERT INTO tool_calls (id, workspace_id, run_id, conversation_id, agent_id, step, tool_use_id, tool_name,
         tool_version, effect, idempotent, arguments, arguments_digest, decision, trail, status, claimed_by, started_at)
       SELECT id, workspace_id, run_id, conversation_id, agent_id, step, tool_use_id, tool_name, tool_version, effect,
         idempotent, arguments::jsonb, arguments_digest, 'allow', trail::jsonb, 'running', claim_name, clock_timestamp()
       FROM held
       ON CONFLICT (run_id, tool_use_id) DO NOTHING
       RETURNING id, workspace_id, run_id, tool_name
     ), events AS (${appendEvents(
       'call',
       'tool-call-begin',
       `jsonb_build_object('toolCallId', id, 'toolName', tool_name)`,
       'tool-call-start',
     )})
     SELECT id AS key FROM call`,
  values: (items) =>
    columnsOf(
      items.map(({ claim, call }) => [
        claim.runId,
        claim.claimNumber,
        call.id,
        ...requestValues(call),
        storableJson(call.trail),
      ]),
    ),
  keyOf: ({ call }) => call.id,
}

const requestValues = (call: ToolCallRequest) => [
  call.step,
  storableText(call.toolUseId),
  storableText(call.toolName.slice(0, limits.toolNameLength)),
  call.toolVersion,
  call.effect,
  call.idempotent,
  storableJson(call.arguments),
  call.argumentsDigest,
]

/** requested → approved or refused, without asking anybody; `ask` is askQuestion's. False: not in that state any more. */
export async function decideToolCall(
  db: Database,
  claim: Claim,
  decided: { toolCallId: string; decision: 'allow' | 'deny'; trail: unknown[]; error?: string },
): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `WITH held AS (${heldRun}), call AS (
       UPDATE tool_calls t SET decision = $4::decision, trail = $5::jsonb, error = $6,
         status = CASE $4 WHEN 'allow' THEN 'approved' ELSE 'refused' END::tool_call_status,
         finished_at = CASE $4 WHEN 'allow' THEN NULL ELSE clock_timestamp() END
       FROM held WHERE t.id = $3 AND t.run_id = held.run_id AND t.status = 'requested'
       RETURNING t.id, t.run_id, t.workspace_id
     ), event AS (${appendEvent('call', 'decision', `jsonb_build_object('toolCallId', id, 'decision', $4::text)`)})
     SELECT 1 FROM call`,
    [
      claim.runId,
      claim.claimNumber,
      decided.toolCallId,
      decided.decision,
      storableJson(decided.trail),
      decided.decision === 'deny' ? storableText(decided.error ?? 'Refused by policy.') : null,
    ],
  )
  return rowCount === 1
}

/**
 * requested or approved → refused: something stood against it before it could start (bad arguments, a missing secret, a
 * policy that changed after the approval). With `trail`, it was the policy. False: not in those states any more.
 */
export async function refuseToolCall(
  db: Database,
  claim: Claim,
  refusal: { toolCallId: string; error: string; trail?: readonly unknown[] },
): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `WITH held AS (${heldRun}), call AS (
       UPDATE tool_calls t SET status = 'refused', error = $4, finished_at = clock_timestamp(),
         decision = CASE WHEN $5::jsonb IS NULL THEN t.decision ELSE 'deny' END, trail = coalesce($5::jsonb, t.trail)
       FROM held WHERE t.id = $3 AND t.run_id = held.run_id AND t.status IN ('requested', 'approved')
       RETURNING t.id, t.run_id, t.workspace_id, t.tool_name
     ), decision AS (${appendEvent(
       '(SELECT * FROM call WHERE $5::jsonb IS NOT NULL) AS call',
       'decision',
       `jsonb_build_object('toolCallId', id, 'decision', 'deny')`,
     )}), event AS (${appendEvent(
       'call',
       'tool-call-end',
       `jsonb_build_object('toolCallId', id, 'toolName', tool_name, 'status', 'refused')`,
     )})
     SELECT 1 FROM call`,
    [
      claim.runId,
      claim.claimNumber,
      refusal.toolCallId,
      storableText(refusal.error),
      refusal.trail ? storableJson(refusal.trail) : null,
    ],
  )
  return rowCount === 1
}

/**
 * approved → running, exactly once. The digest is that of what is about to run; where it is not the one that was
 * recorded, or not the one that people approved, the call is refused and `changed` is answered. Null: not approved,
 * started already, or the claim is lost.
 */
export async function startToolCall(
  db: Database,
  claim: Claim,
  start: { toolCallId: string; argumentsDigest: string },
): Promise<'started' | 'changed' | null> {
  const { rows } = await prepared(
    db.pool,
    `WITH held AS (${heldRun}), matches AS (
       SELECT t.id, t.arguments_digest = $4 AND NOT EXISTS (
         SELECT 1 FROM questions q WHERE q.tool_call_id = t.id AND q.status = 'answered' AND q.arguments_digest <> $4
       ) AS same FROM tool_calls t WHERE t.id = $3
     ), call AS (
       UPDATE tool_calls t SET
         status = CASE WHEN m.same THEN 'running' ELSE 'refused' END::tool_call_status,
         claimed_by = CASE WHEN m.same THEN held.claim_name END,
         started_at = CASE WHEN m.same THEN clock_timestamp() END,
         finished_at = CASE WHEN m.same THEN NULL ELSE clock_timestamp() END,
         error = CASE WHEN m.same THEN NULL ELSE 'What would run is not what was approved.' END
       FROM held, matches m WHERE t.id = m.id AND t.run_id = held.run_id AND t.status = 'approved'
       RETURNING t.id, t.run_id, t.workspace_id, t.status, t.tool_name
     ), started AS (${appendEvent(
       `(SELECT * FROM call WHERE status = 'running') AS call`,
       'tool-call-start',
       `jsonb_build_object('toolCallId', id, 'toolName', tool_name)`,
     )}), refused AS (${appendEvent(
       `(SELECT * FROM call WHERE status = 'refused') AS call`,
       'tool-call-end',
       `jsonb_build_object('toolCallId', id, 'toolName', tool_name, 'status', 'refused')`,
     )})
     SELECT CASE status WHEN 'running' THEN 'started' ELSE 'changed' END AS outcome FROM call`,
    [claim.runId, claim.claimNumber, start.toolCallId, start.argumentsDigest],
  )
  return rows[0]?.outcome ?? null
}

export interface ToolCallEnd {
  toolCallId: string
  status: 'succeeded' | 'failed'
  output?: string
  error?: string
  /** What the tool wrote before it was cut. */
  outputBytes?: number
  findings?: readonly unknown[]
  /** Where strangers' content in the output came from. */
  taint?: readonly string[]
}

/** What the end of a call sets, over the row `t`; `more` is an SQL expression. */
export const addTaint = (more: string) =>
  `taint = ARRAY(SELECT DISTINCT source FROM unnest(t.taint || ${more}) AS source)`
export const setDuration =
  'duration_ms = least(extract(epoch FROM clock_timestamp() - t.started_at) * 1000, 2147483647)::int'

/** The body of a CTE after `held`: running → succeeded or failed, with the values $3 to $9 of endValues. */
export const endCall = `
  UPDATE tool_calls t SET status = $4::tool_call_status, output = $5, error = $6, output_bytes = $7, findings = $8::jsonb,
    ${addTaint('$9::text[]')}, finished_at = clock_timestamp(), ${setDuration}
  FROM held WHERE t.id = $3 AND t.run_id = held.run_id AND t.status = 'running' AND t.claimed_by = held.claim_name
  RETURNING t.id, t.run_id, t.workspace_id, t.conversation_id, t.tool_name, t.status, t.duration_ms`

/** The data of its event, over the columns of that CTE. */
export const endData = `jsonb_build_object('toolCallId', id, 'toolName', tool_name, 'status', status, 'durationMs', duration_ms)`

export const endValues = (claim: Claim, end: ToolCallEnd): unknown[] => [
  claim.runId,
  claim.claimNumber,
  end.toolCallId,
  end.status,
  end.output === undefined ? null : storableText(end.output),
  end.error === undefined ? null : storableText(end.error),
  end.outputBytes ?? (end.output === undefined ? null : Buffer.byteLength(end.output)),
  storableJson(end.findings ?? []),
  (end.taint ?? []).map(storableText),
]

/** running → succeeded or failed. False: it is not running under this claim, and what it did is not recorded. */
export async function finishToolCall(db: Database, claim: Claim, end: ToolCallEnd): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `WITH held AS (${heldRun}), call AS (${endCall}), event AS (${appendEvent('call', 'tool-call-end', endData)})
     SELECT 1 FROM call`,
    endValues(claim, end),
  )
  return rowCount === 1
}

/**
 * What the claims before this one left running: a tool that may run again goes back to approved, any other is
 * interrupted, because nobody knows whether it finished. Call it after claimRun; calls of the present claim stay.
 */
export async function interruptToolCalls(
  db: { pool: Queryable },
  claim: Claim,
): Promise<{ id: string; toolName: string; status: 'approved' | 'interrupted' }[]> {
  const { rows } = await prepared(
    db.pool,
    `WITH held AS (${heldRun}), calls AS (
       UPDATE tool_calls t SET claimed_by = NULL,
         status = CASE WHEN t.idempotent THEN 'approved' ELSE 'interrupted' END::tool_call_status,
         started_at = CASE WHEN t.idempotent THEN NULL ELSE t.started_at END,
         finished_at = CASE WHEN t.idempotent THEN NULL ELSE clock_timestamp() END,
         error = CASE WHEN t.idempotent THEN NULL
           ELSE 'The process that ran this was lost. Nobody knows whether it finished.' END
       FROM held WHERE t.run_id = held.run_id AND t.status = 'running' AND t.claimed_by <> held.claim_name
       RETURNING t.id, t.run_id, t.workspace_id, t.tool_name, t.status
     ), event AS (${appendEvent(
       `(SELECT * FROM calls WHERE status = 'interrupted') AS calls`,
       'tool-call-end',
       `jsonb_build_object('toolCallId', id, 'toolName', tool_name, 'status', status)`,
     )})
     SELECT id, tool_name AS "toolName", status FROM calls`,
    [claim.runId, claim.claimNumber],
  )
  return rows
}
