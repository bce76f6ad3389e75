// How a run ends: by its claim holder (finishRun) or by a person (requestStop). Exactly one of them ends it; the state
// machine is in runs.ts. Whatever ends a run leaves nothing of it open: its questions are withdrawn, its unsettled
// tool calls are closed, its use is added up and its parent, if it waits, is woken, all in the same transaction.
import { type Actor, recordAudit } from './audit.ts'
import type { Claim } from './claim.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { byKey } from './combine.ts'
import { announceDelivery } from './deliveries.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { lockPlacesOf } from './questions.ts'
import { appendEvent } from './run-events.ts'
import { announceQueued, currentVersion } from './runs.ts'
import { storableJson, storableText } from './storable.ts'
import { addToUsage } from './usage.ts'

/** NOTIFY channel; the payload is the id of a running run that has to stop. */
export const stopChannel = 'qm_run_stops'

/**
 * CTEs that follow a CTE `ended`, the runs that the statement has just ended (all columns, and run_id), without the event
 * of the end. Whether the parent waits is asked of the row as it was locked: the statement's own view of it may be from
 * before it parked.
 */
export const closeWhatIsLeft = `
  calls AS (
    UPDATE tool_calls t SET finished_at = clock_timestamp(), error = coalesce(t.error, 'The run ended before this call did.'),
      status = CASE t.status WHEN 'running' THEN 'interrupted' ELSE 'denied' END::tool_call_status
    FROM ended WHERE t.run_id = ended.id AND t.status IN ('requested', 'asking', 'approved', 'running')
    RETURNING t.id, t.run_id, t.workspace_id, t.tool_name, t.status
  ), settled AS (${appendEvent('calls', 'tool-call-end', `jsonb_build_object('toolCallId', id, 'toolName', tool_name, 'status', status)`)}
  ), withdrawn AS (
    UPDATE questions q SET status = 'withdrawn', closed_at = clock_timestamp() FROM ended
    WHERE q.run_id = ended.id AND ${byKey('q.status')} = 'open' RETURNING q.id, q.run_id, q.workspace_id
  ), closed AS (${appendEvent('withdrawn', 'question-close', `jsonb_build_object('questionId', id, 'status', 'withdrawn')`)}
  ), usage AS (${addToUsage('ended')}
  ), parent AS (
    SELECT p.id, p.status FROM runs p JOIN ended ON p.id = ended.parent_run_id FOR NO KEY UPDATE OF p
  ), woken AS (
    UPDATE runs p SET status = 'queued' FROM parent WHERE p.id = parent.id AND parent.status = 'waiting'
    RETURNING p.id AS run_id, p.workspace_id, ${announceQueued}
  ), woke AS (${appendEvent('woken', 'run-queue', `'{"reason": "child"}'::jsonb`)})`

/** The same, and the event. */
export const closeEnded = `${closeWhatIsLeft}, event AS (${appendEvent('ended', 'run-end', `jsonb_build_object('status', status, 'errorCode', error_code, 'steps', steps)`)})`

/**
 * Whoever ends a run ends what works for it. In a transaction of its own, after that of the parent: a child's row comes
 * before its parent's (see runs.ts on locks). What is cut off here is done by stopOrphans.
 */
export async function stopChildren(db: Database, parentRunId: string): Promise<void> {
  const { rows } = await prepared(
    db.pool,
    `SELECT id, workspace_id FROM runs WHERE parent_run_id = $1 AND status IN ('queued', 'running', 'waiting')`,
    [parentRunId],
  )
  for (const { id, workspace_id: workspaceId } of rows)
    await requestStop(db, { workspaceId, runId: id, actor: { kind: 'system', id: 'parent run' } })
}

/** For the sweep: children whose parent has ended. Returns how many were told to stop. */
export async function stopOrphans(db: Database): Promise<number> {
  const { rows } = await prepared(
    db.pool,
    `SELECT c.id, c.workspace_id FROM runs c JOIN runs p ON p.id = c.parent_run_id
     WHERE c.status IN ('queued', 'running', 'waiting') AND c.stop_requested_at IS NULL
       AND p.status IN ('succeeded', 'failed', 'stopped') LIMIT $1`,
    [limits.pageRows],
  )
  for (const { id, workspace_id: workspaceId } of rows)
    await requestStop(db, { workspaceId, runId: id, actor: { kind: 'system', id: 'parent run' } })
  return rows.length
}

export interface RunEnd {
  status: 'succeeded' | 'failed' | 'stopped'
  error?: { code: string; message: string }
  /**
   * The number of the last message that the model was shown. Messages of people after it start the next run. Leave it
   * out when the run failed before it read the transcript: then nothing starts, rather than the same failure again.
   */
  seenMessage?: number
  /** A sentence of ours for people, sent by the same statement. */
  notice?: string
}

/**
 * running → succeeded | failed | stopped. Null when the claim is lost. Where people wrote after the last model call,
 * the next run is queued in the same transaction, so that no message is left without somebody who reads it.
 */
export async function finishRun(db: Database, claim: Claim, end: RunEnd): Promise<{ nextRunId: string | null } | null> {
  const first = await endHeldRun(db.pool, claim, end, false)
  if (first.ended) return { nextRunId: null }
  if (!first.unseen) return null
  return inTransaction(db, async (tx) => {
    // The next run has to name the person who asked, and a statement that waited for a lock does not see the rows that
    // came meanwhile. Ending the run takes the conversation's lock, and the statement after it sees all there is.
    const { ended } = await endHeldRun(tx, claim, end, true)
    return ended ? { nextRunId: await queueNextRun(tx, claim.runId, end.seenMessage ?? 0) } : null
  })
}

/**
 * Ends the run unless people wrote messages that it has not seen. How many they wrote is the conversation's counter,
 * whose row we hold and which is therefore true, less the run's own messages, which nobody else can have added.
 */
async function endHeldRun(tx: Queryable, claim: Claim, end: RunEnd, despiteUnseen: boolean) {
  const { rows } = await prepared(
    tx,
    `WITH conversation AS (
       SELECT id, next_message FROM conversations
       WHERE id = (SELECT conversation_id FROM runs WHERE id = $1) FOR NO KEY UPDATE
     ), held AS (
       SELECT r.id, c.next_message - 1 - $6::int - (
           SELECT count(*) FROM messages m WHERE m.conversation_id = c.id AND m.number > $6 AND m.role <> 'user'
         ) AS unseen
       FROM runs r JOIN conversation c ON c.id = r.conversation_id
       WHERE r.id = $1 AND r.claim_number = $2 AND r.status = 'running' FOR NO KEY UPDATE OF r
     ), ended AS (
       UPDATE runs r SET status = $3::run_status, error_code = $4, error_message = $5, finished_at = clock_timestamp(),
         claimed_by = NULL, claim_until = NULL
       FROM held WHERE r.id = held.id AND (coalesce(held.unseen, 0) <= 0 OR $7)
       RETURNING r.*, r.id AS run_id
     ), spoken AS (
       UPDATE conversations c SET next_delivery = c.next_delivery + 1 FROM ended
       WHERE c.id = ended.conversation_id AND $8::text IS NOT NULL
       RETURNING c.id AS conversation_id, c.workspace_id, c.channel_id, c.next_delivery - 1 AS number
     ), delivery AS (
       INSERT INTO deliveries (id, workspace_id, conversation_id, channel_id, number, kind, payload, run_id)
       SELECT $8, workspace_id, conversation_id, channel_id, number, 'notice', $9::jsonb, $1 FROM spoken
       RETURNING ${announceDelivery('deliveries')}
     ), ${closeEnded}
     SELECT EXISTS (SELECT 1 FROM ended) AS ended, coalesce(held.unseen, 0) > 0 AS unseen FROM held`,
    [
      claim.runId,
      claim.claimNumber,
      end.status,
      end.error?.code ?? null,
      end.error ? storableText(end.error.message) : null,
      end.seenMessage ?? null,
      despiteUnseen,
      end.notice === undefined ? null : newId('dlv'),
      end.notice === undefined ? null : storableJson({ kind: 'notice', text: end.notice }),
    ],
  )
  return { ended: rows[0]?.ended === true, unseen: rows[0]?.unseen === true }
}

/** The run of the messages that the last one did not see. What was written before somebody pressed Stop is not one. */
async function queueNextRun(tx: Queryable, endedRunId: string, seenMessage: number): Promise<string | null> {
  const { rows } = await tx.query(
    `WITH missed AS (
       SELECT m.number, m.member_id, r.workspace_id, r.conversation_id, r.agent_id, r.title
       FROM runs r JOIN messages m ON m.conversation_id = r.conversation_id
       WHERE r.id = $1 AND m.number > $2 AND m.role = 'user'
         AND (r.stop_requested_at IS NULL OR m.created_at > r.stop_requested_at)
       ORDER BY m.number LIMIT 1
     ), run AS (
       INSERT INTO runs (id, workspace_id, conversation_id, agent_id, agent_version_id, trigger, requested_by, title)
       SELECT $3, workspace_id, conversation_id, agent_id, ${currentVersion('missed.agent_id')}, 'message', member_id, title FROM missed
       RETURNING id AS run_id, workspace_id, conversation_id
     ), moved AS (
       UPDATE messages m SET run_id = run.run_id FROM run, missed
       WHERE m.conversation_id = run.conversation_id AND m.number >= missed.number AND m.role = 'user'
     ), event AS (${appendEvent('run', 'run-queue', `'{"reason": "message"}'::jsonb`)})
     SELECT run_id, ${announceQueued} FROM run`,
    [endedRunId, seenMessage, newId('run')],
  )
  return rows[0]?.run_id ?? null
}

/**
 * A person ends a run. `stopped`: it was queued or waiting and has ended. `stopping`: it runs, and its holder was
 * told. `finished`: it had ended already. Null: there is no such run in the workspace.
 */
export async function requestStop(
  db: Database,
  stop: { workspaceId: string; runId: string; actor: Actor },
): Promise<'stopped' | 'stopping' | 'finished' | null> {
  const outcome = await requestStopOfOne(db, stop)
  // Those who work for it as well, at once: the holder of a running parent would only get to it at its end.
  if (outcome === 'stopped' || outcome === 'stopping') await stopChildren(db, stop.runId)
  return outcome
}

function requestStopOfOne(
  db: Database,
  stop: { workspaceId: string; runId: string; actor: Actor },
): Promise<'stopped' | 'stopping' | 'finished' | null> {
  return inTransaction(db, async (tx) => {
    await lockPlacesOf(tx, stop.runId)
    const { rows } = await tx.query(
      'SELECT status, stop_requested_at FROM runs WHERE id = $1 AND workspace_id = $2 FOR NO KEY UPDATE',
      [stop.runId, stop.workspaceId],
    )
    const run = rows[0]
    if (!run) return null
    if (!['queued', 'waiting', 'running'].includes(run.status)) return 'finished'
    if (run.stop_requested_at) return 'stopping'
    const by = storableJson({ by: stop.actor })
    if (run.status === 'running')
      await tx.query(
        `WITH run AS (
           UPDATE runs SET stop_requested_at = clock_timestamp() WHERE id = $1
           RETURNING id AS run_id, workspace_id, pg_notify('${stopChannel}', id)
         ), event AS (${appendEvent('run', 'stop-request', '$2::jsonb')})
         SELECT 1 FROM run`,
        [stop.runId, by],
      )
    else
      await tx.query(
        `WITH ended AS (
           UPDATE runs SET status = 'stopped', stop_requested_at = clock_timestamp(), finished_at = clock_timestamp()
           WHERE id = $1 RETURNING *, id AS run_id
         ), asked AS (${appendEvent('ended', 'stop-request', '$2::jsonb')}), ${closeEnded}
         SELECT 1 FROM ended`,
        [stop.runId, by],
      )
    await recordAudit(tx, {
      workspaceId: stop.workspaceId,
      actor: stop.actor,
      action: 'run.stop',
      subject: { kind: 'run', id: stop.runId },
    })
    return run.status === 'running' ? 'stopping' : 'stopped'
  })
}
