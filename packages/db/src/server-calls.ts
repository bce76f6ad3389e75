// Calls that the model's provider made while it answered. They have happened when we hear of them, so they come on record
// as what they are: begun, and over.
import { type Claim, heldRun } from './claim.ts'
import type { Database } from './client.ts'
import { arrayText, columnsOf } from './combine.ts'
import { newId } from './ids.ts'
import { prepared } from './prepared.ts'
import { appendEvent, appendEvents } from './run-events.ts'
import { storableJson, storableText } from './storable.ts'

export interface ServerCall {
  step: number
  /** The provider's id of it; unique in the run. */
  toolUseId: string
  toolName: string
  toolVersion: string
  arguments: unknown
  argumentsDigest: string
  trail: readonly unknown[]
  status: 'succeeded' | 'failed'
  output: string
  error: string | null
  findings: readonly unknown[]
  /** Where strangers' content in the output came from. */
  taint: readonly string[]
  /** When the model was asked: nobody knows more. */
  startedAt: Date
}

/** Each once, however often it is told. False: the claim is lost, and nothing was written. */
export async function recordServerCalls(db: Database, claim: Claim, calls: readonly ServerCall[]): Promise<boolean> {
  const { rows } = await prepared(
    db.pool,
    `WITH held AS (${heldRun}), call AS (
       INSERT INTO tool_calls (id, workspace_id, run_id, conversation_id, agent_id, step, tool_use_id, tool_name,
         tool_version, effect, idempotent, arguments, arguments_digest, decision, trail, status, output, output_bytes,
         error, findings, taint, started_at, finished_at)
       SELECT a.id, held.workspace_id, held.run_id, held.conversation_id, held.agent_id, a.step, a.tool_use_id, a.tool_name,
         a.tool_version, 'read', true, a.arguments::jsonb, a.digest, 'allow', a.trail::jsonb, a.status::tool_call_status,
         a.output, octet_length(a.output), a.error, a.findings::jsonb, a.taint::text[],
         least(a.started_at::timestamptz, clock_timestamp()), clock_timestamp()
       FROM held, unnest($3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
         $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[]) AS a (id, step, tool_use_id, tool_name,
         tool_version, arguments, digest, trail, status, output, error, findings, taint, started_at)
       ON CONFLICT (run_id, tool_use_id) DO NOTHING
       RETURNING id, workspace_id, run_id, tool_name, status
     ), begun AS (${appendEvents(
       'call',
       'tool-call-begin',
       `jsonb_build_object('toolCallId', id, 'toolName', tool_name)`,
       'tool-call-start',
     )}), ended AS (${appendEvent(
       'call',
       'tool-call-end',
       `jsonb_build_object('toolCallId', id, 'toolName', tool_name, 'status', status)`,
     )})
     SELECT 1 FROM held`,
    [
      claim.runId,
      claim.claimNumber,
      ...columnsOf(
        calls.map((call) => [
          newId('call'),
          call.step,
          storableText(call.toolUseId),
          call.toolName,
          call.toolVersion,
          storableJson(call.arguments),
          call.argumentsDigest,
          storableJson(call.trail),
          call.status,
          storableText(call.output),
          call.error === null ? null : storableText(call.error),
          storableJson(call.findings),
          arrayText(call.taint.map(storableText)),
          call.startedAt.toISOString(),
        ]),
      ),
    ],
  )
  return rows.length === 1
}
