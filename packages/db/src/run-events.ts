// The one log: what happened in a run, appended by the statement that made it happen and announced when that commits.
// The console's live pages, the playground and the metrics read it.
import { type Claim, heldRun } from './claim.ts'
import type { Database } from './client.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { storableJson } from './storable.ts'
import { eventsOfRow, readRow, type SeveralEvents, type StoredRow } from './stored-events.ts'

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
  /** Of the event, or of an earlier one that the same statement appended. */
  id: number
  workspaceId: string
  runId: string
  kind: RunEventKind
}

export interface RunEvent extends RunEventNotice {
  /** Unique, and in the order of what happened in the run; not without gaps. */
  id: number
  data: Record<string, unknown>
  at: Date
}

/**
 * The body of a CTE that appends one event for each row of `source`, another CTE with the columns workspace_id and
 * run_id. `data` is a jsonb expression over that CTE's columns. The notice is sent in RETURNING, which PostgreSQL
 * evaluates for every row whether or not anything reads the CTE.
 */
export function appendEvent(source: string, kind: RunEventKind, data = `'{}'::jsonb`): string {
  return `INSERT INTO run_events (workspace_id, run_id, kind, data)
    SELECT workspace_id, run_id, '${kind}', ${data} FROM ${source} RETURNING id, ${announceEvent(`'${kind}'`)}`
}

/** As appendEvent, with a row that stands for several events (stored-events.ts), of which `told` is announced. */
export function appendEvents(source: string, row: SeveralEvents, data: string, told: RunEventKind): string {
  return `INSERT INTO run_events (workspace_id, run_id, kind, data)
    SELECT workspace_id, run_id, '${row}', ${data} FROM ${source} RETURNING id, ${announceEvent(`'${told}'`)}`
}

/** An SQL expression over the columns of run_events; `told` is one for the kind of the event. */
export const announceEvent = (told: string) => `pg_notify('${runEventChannel}', json_build_object(
  'id', id * ${eventsOfRow}, 'workspaceId', workspace_id, 'runId', run_id, 'kind', ${told})::text)`

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
  const after = run.after ?? -1
  const limit = Math.min(run.limit ?? limits.pageRows, limits.pageRows)
  // Of the row of `after` some may be left, or none; any other row is at least one event.
  const { rows } = await prepared<StoredRow>(
    db.pool,
    `SELECT id, workspace_id, run_id, kind, data, at FROM run_events
     WHERE run_id = $1 AND workspace_id = $2 AND id >= $3 ORDER BY id LIMIT $4`,
    [run.runId, run.workspaceId, Math.floor(after / eventsOfRow), limit + 1],
  )
  return rows
    .flatMap(readRow)
    .filter(({ id }) => id > after)
    .slice(0, limit)
}
