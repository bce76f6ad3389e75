// The one log: what happened in a run, appended by the statement that made it happen and announced when that commits.
// The console's live pages, the playground and the metrics read it.
import { type Claim, heldRun } from './claim.ts'
import type { Database } from './client.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { storableJson } from './storable.ts'

/**
 * NOTIFY channel; the payload is a RunEventNotice. Of several events that one statement appends to a run one need be
 * announced: who hears of it reads the others with it (see readRunEvents).
 */
export const runEventChannel = 'qm_run_events'

export type RunEventKind =
  | 'run-queue'
  | 'run-start'
  | 'run-park'
  | 'run-end'
  | 'stop-request'
  | 'message'
  | 'model-start'
  | 'model-end'
  | 'tool-call-request'
  | 'decision'
  | 'tool-call-start'
  | 'tool-call-end'
  | 'question-ask'
  | 'question-answer'
  | 'question-escalate'
  | 'question-close'
  | 'delivery'

export interface RunEventNotice {
  id: number
  workspaceId: string
  runId: string
  kind: RunEventKind
}

export interface RunEvent extends RunEventNotice {
  data: Record<string, unknown>
  at: Date
}

/**
 * The body of a CTE that appends one event for each row of `source`, another CTE with the columns workspace_id and
 * run_id. `data` is a jsonb expression over that CTE's columns. The notice is sent in RETURNING, which PostgreSQL
 * evaluates for every row whether or not anything reads the CTE. `silent`: another event of the same statement is announced.
 */
export function appendEvent(
  source: string,
  kind: RunEventKind,
  data = `'{}'::jsonb`,
  { silent = false }: { silent?: boolean } = {},
): string {
  return `INSERT INTO run_events (workspace_id, run_id, kind, data)
    SELECT workspace_id, run_id, '${kind}', ${data} FROM ${source} RETURNING id${silent ? '' : `, ${announceEvent}`}`
}

/** An SQL expression over the columns of run_events. */
export const announceEvent = `pg_notify('${runEventChannel}', json_build_object(
  'id', id, 'workspaceId', workspace_id, 'runId', run_id, 'kind', kind)::text)`

/** As appendEvent, with several events of different kinds for each row, in this order. */
export function appendEvents(source: string, events: readonly (readonly [RunEventKind, string])[]): string {
  const rows = events.map(([kind, data], nth) => `(${nth}, '${kind}', ${data})`).join(', ')
  return `INSERT INTO run_events (workspace_id, run_id, kind, data)
    SELECT workspace_id, run_id, e.kind, e.data FROM ${source} CROSS JOIN LATERAL (VALUES ${rows}) AS e (nth, kind, data)
    ORDER BY e.nth
    RETURNING id, CASE kind WHEN '${events.at(-1)?.[0]}' THEN ${announceEvent} END`
}

/** An event that changes nothing else, told by the claim holder: `model-start`. False when the claim is lost. */
export async function appendRunEvent(
  db: Database,
  claim: Claim,
  event: { kind: RunEventKind; data?: Record<string, unknown> },
): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `WITH held AS (${heldRun}), event AS (${appendEvent('held', event.kind, '$3::jsonb')}) SELECT 1 FROM event`,
    [claim.runId, claim.claimNumber, storableJson(event.data ?? {})],
  )
  return rowCount === 1
}

/**
 * A page of a run's events in the order of their ids. Two parallel tool calls may commit out of that order, so whoever
 * follows a run live reads again from before the id that a notice names, and not only after the last one it has.
 */
export async function readRunEvents(
  db: Database,
  run: { workspaceId: string; runId: string; after?: number; limit?: number },
): Promise<RunEvent[]> {
  const { rows } = await prepared(
    db.pool,
    `SELECT id, workspace_id, run_id, kind, data, at FROM run_events
     WHERE run_id = $1 AND workspace_id = $2 AND id > $3 ORDER BY id LIMIT $4`,
    [run.runId, run.workspaceId, run.after ?? 0, Math.min(run.limit ?? limits.pageRows, limits.pageRows)],
  )
  return rows.map((row) => ({
    id: Number(row.id),
    workspaceId: row.workspace_id,
    runId: row.run_id,
    kind: row.kind,
    data: row.data,
    at: row.at,
  }))
}
