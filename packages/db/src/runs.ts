// A run, from its trigger to its end.
//
//            receiveEvent, queueRun       claimRuns, claimRun           finishRun
//                 ──────────▶  queued  ───────────────────▶  running  ─────────────▶  succeeded | failed | stopped
//                               ▲  ▲                          │   │
//                               │  └── takeOver (claim over) ─┘   │ parkRun
//                               └────── wakeRun, an answer ──  waiting
//   requestStop ends a queued or waiting run at once as `stopped`; a running one is asked to stop (finish-run.ts).
//
// The queue is this table: whoever has a hand free claims what is queued, oldest first (docs/decisions/0005).
//
// Each function is one compare-and-set: it names the state it starts from, and answers null or false when the run is
// not in it. Whoever works on a run holds a claim, a number that every later claim raises; every write of a claim
// holder carries it, so a process that was taken for dead and comes back cannot write any more.
//
// Locks are always taken in the order conversation → run → parent run → tool call → question → audit, so that no two
// transitions wait for each other in a circle. Every change to a run's tool calls and questions holds its run's row.
import type { Claim } from './claim.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { appendEvent } from './run-events.ts'
import { storableText } from './storable.ts'

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'stopped'
export type Trigger = 'message' | 'schedule' | 'watch' | 'parent' | 'api'

export interface ClaimedRun extends Claim {
  workspaceId: string
  conversationId: string
  agentId: string
  agentVersionId: string | null
  requestedBy: string | null
  trigger: Trigger
  steps: number
  stopRequested: boolean
  parentRunId: string | null
  /** How many processes were lost while they held this run. */
  lostClaims: number
  costMicros: number
  budgetNoticed: boolean
  /** Claims before this one left calls running: interruptToolCalls says what becomes of them. */
  leftRunning: boolean
}

/** NOTIFY channel: a run is queued. It carries nothing, so that the many of one transaction are one notice. */
export const queuedRunChannel = 'qm_runs'

/** An SQL expression for the statement that queues a run: those who take runs look at once, and not at their next look. */
export const announceQueued = `pg_notify('${queuedRunChannel}', '')`

/**
 * The newest published version of the agent `agentId`: what a new run works with. It is an SQL expression that names its
 * table; a bare `agent_id` would be the version's own column, and any agent's version would do.
 */
export const currentVersion = (agentId: `${string}.agent_id`) =>
  `(SELECT v.id FROM agent_versions v WHERE v.agent_id = ${agentId} AND v.published_at IS NOT NULL
    ORDER BY v.number DESC LIMIT 1)`

/** Starts a run that no message asked for. Null when the conversation has an unfinished one (or does not exist). */
export async function queueRun(
  db: Database,
  run: {
    conversationId: string
    trigger: Exclude<Trigger, 'message'>
    requestedBy?: string
    parentRunId?: string
    title?: string
  },
): Promise<string | null> {
  const { rows } = await prepared(
    db.pool,
    `WITH run AS (
       INSERT INTO runs (id, workspace_id, conversation_id, agent_id, agent_version_id, trigger, requested_by, parent_run_id, title)
       SELECT $1, c.workspace_id, c.id, c.agent_id, ${currentVersion('c.agent_id')}, $3::run_trigger, $4, $5, $6
       FROM conversations c WHERE c.id = $2
       ON CONFLICT (conversation_id) WHERE status IN ('queued', 'running', 'waiting') DO NOTHING
       RETURNING id AS run_id, workspace_id
     ), event AS (${appendEvent('run', 'run-queue', `jsonb_build_object('reason', $3::text)`)})
     SELECT run_id, ${announceQueued} FROM run`,
    [
      newId('run'),
      run.conversationId,
      run.trigger,
      run.requestedBy ?? null,
      run.parentRunId ?? null,
      storableText(run.title ?? ''),
    ],
  )
  return rows[0]?.run_id ?? null
}

/** queued, or running with a claim that is over → running, under a new claim. Null: somebody else has it. */
export async function claimRun(db: Database, claim: { runId: string; processId: string }): Promise<ClaimedRun | null> {
  const { rows } = await prepared(
    db.pool,
    `WITH run AS (
       UPDATE runs SET status = 'running', claimed_by = $2, claim_number = claim_number + 1,
         claim_until = clock_timestamp() + $3 * interval '1 millisecond', started_at = coalesce(started_at, clock_timestamp())
       WHERE id = $1 AND (status = 'queued' OR (status = 'running' AND claim_until < clock_timestamp()))
       RETURNING *, id AS run_id
     ), event AS (${appendEvent('run', 'run-start', `jsonb_build_object('claimNumber', claim_number, 'processId', claimed_by)`)})
     SELECT run.*, EXISTS (SELECT 1 FROM tool_calls t WHERE t.run_id = run.id AND t.status = 'running') AS left_running FROM run`,
    [claim.runId, claim.processId, limits.runClaimMs],
  )
  return rows[0] ? toClaimedRun(rows[0]) : null
}

/** From a row of runs, with left_running. */
// biome-ignore lint/suspicious/noExplicitAny: as pg itself types a row that nobody described.
export function toClaimedRun(row: any): ClaimedRun {
  return {
    runId: row.id,
    claimNumber: row.claim_number,
    workspaceId: row.workspace_id,
    conversationId: row.conversation_id,
    agentId: row.agent_id,
    agentVersionId: row.agent_version_id,
    requestedBy: row.requested_by,
    trigger: row.trigger,
    steps: row.steps,
    stopRequested: row.stop_requested_at !== null,
    parentRunId: row.parent_run_id,
    lostClaims: row.lost_claims,
    costMicros: Number(row.cost_micros),
    budgetNoticed: row.budget_notice_at !== null,
    leftRunning: row.left_running,
  }
}

/** The heartbeat. Null: the claim was taken over or the run has ended, and the holder must let go of it at once. */
export async function renewClaim(db: Database, claim: Claim): Promise<{ stopRequested: boolean } | null> {
  const { rows } = await prepared(
    db.pool,
    `UPDATE runs SET claim_until = clock_timestamp() + $3 * interval '1 millisecond'
     WHERE id = $1 AND claim_number = $2 AND status = 'running' RETURNING stop_requested_at IS NOT NULL AS stop`,
    [claim.runId, claim.claimNumber, limits.runClaimMs],
  )
  return rows[0] ? { stopRequested: rows[0].stop } : null
}

/** The heartbeat of a process for all its runs. A run that is not in the answer is lost to it. */
export async function renewClaims(
  db: Database,
  claims: readonly Claim[],
): Promise<Map<string, { stopRequested: boolean }>> {
  if (!claims.length) return new Map()
  const { rows } = await prepared(
    db.pool,
    // In one order everywhere, so that no two processes wait for each other.
    `WITH held AS (
       SELECT r.id FROM runs r JOIN unnest($1::text[], $2::int[]) AS c(run_id, claim_number)
         ON r.id = c.run_id AND r.claim_number = c.claim_number
       WHERE r.status = 'running' ORDER BY r.id FOR NO KEY UPDATE OF r
     )
     UPDATE runs r SET claim_until = clock_timestamp() + $3 * interval '1 millisecond' FROM held WHERE r.id = held.id
     RETURNING r.id, r.stop_requested_at IS NOT NULL AS stop`,
    [claims.map(({ runId }) => runId), claims.map(({ claimNumber }) => claimNumber), limits.runClaimMs],
  )
  return new Map(rows.map((row) => [row.id, { stopRequested: row.stop }]))
}

/**
 * running → waiting, which ends the claim. `work-left`: a call is still to be settled, or there is nothing to wait for,
 * because an answer or a stop came between the holder's look and this call; look again. The run's row is locked first and everything else is read by a
 * later statement, which sees what was committed while we waited for that lock: otherwise an answer that comes at this
 * very moment would find the run still running, not wake it, and be noticed by nobody.
 */
export function parkRun(db: Database, claim: Claim): Promise<'parked' | 'work-left' | 'lost'> {
  return inTransaction(db, async (tx) => {
    const values = [claim.runId, claim.claimNumber]
    const held = await tx.query(
      `SELECT 1 FROM runs WHERE id = $1 AND claim_number = $2 AND status = 'running' FOR NO KEY UPDATE`,
      values,
    )
    if (!held.rowCount) return 'lost'
    const { rowCount } = await tx.query(
      `WITH run AS (
         UPDATE runs r SET status = 'waiting', claimed_by = NULL, claim_until = NULL
         WHERE r.id = $1 AND r.claim_number = $2 AND r.status = 'running' AND r.stop_requested_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM tool_calls t WHERE t.run_id = r.id AND t.status IN ('requested', 'approved', 'running'))
           AND (EXISTS (SELECT 1 FROM questions q WHERE q.run_id = r.id AND q.status = 'open')
             OR EXISTS (SELECT 1 FROM runs c WHERE c.parent_run_id = r.id AND c.status IN ('queued', 'running', 'waiting')))
         RETURNING r.id AS run_id, r.workspace_id
       ), event AS (${appendEvent('run', 'run-park')})
       SELECT 1 FROM run`,
      values,
    )
    return rowCount ? 'parked' : 'work-left'
  })
}

/** waiting → queued. False when it does not wait. */
export async function wakeRun(db: { pool: Queryable }, wake: { runId: string; reason: string }): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `WITH run AS (
       UPDATE runs SET status = 'queued' WHERE id = $1 AND status = 'waiting' RETURNING id AS run_id, workspace_id
     ), event AS (${appendEvent('run', 'run-queue', `jsonb_build_object('reason', $2::text)`)})
     SELECT ${announceQueued} FROM run`,
    [wake.runId, wake.reason],
  )
  return rowCount === 1
}

/** running → queued, by its holder, who cannot go on with it (the process stops). False: the claim is lost. */
export async function releaseRun(db: Database, claim: Claim): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `WITH run AS (
       UPDATE runs SET status = 'queued', claimed_by = NULL, claim_until = NULL
       WHERE id = $1 AND claim_number = $2 AND status = 'running' RETURNING id AS run_id, workspace_id
     ), event AS (${appendEvent('run', 'run-queue', `'{"reason": "released"}'::jsonb`)})
     SELECT ${announceQueued} FROM run`,
    [claim.runId, claim.claimNumber],
  )
  return rowCount === 1
}

const claimLost = `r.status = 'running' AND r.claim_until < now()`

/** Runs whose holder was lost, oldest first. Every process may look; takeOver decides. */
export async function findLostRuns(db: Database): Promise<string[]> {
  const { rows } = await prepared(
    db.pool,
    `SELECT r.id FROM runs r WHERE ${claimLost} ORDER BY r.claim_until LIMIT $1`,
    [limits.pageRows],
  )
  return rows.map((row) => row.id)
}

/** A lost run → queued. False when it is not lost (any more). */
export async function takeOver(db: Database, runId: string): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `WITH run AS (
       UPDATE runs r SET status = 'queued', claimed_by = NULL, claim_until = NULL,
         lost_claims = r.lost_claims + 1
       WHERE r.id = $1 AND ${claimLost} RETURNING r.id AS run_id, r.workspace_id
     ), event AS (${appendEvent('run', 'run-queue', `'{"reason": "lost"}'::jsonb`)})
     SELECT ${announceQueued} FROM run`,
    [runId],
  )
  return rowCount === 1
}
