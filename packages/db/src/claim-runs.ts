// The queue is the table of runs: whoever has hands free takes what is queued, oldest first, with all that the work on
// it begins with, in one statement for as many as there are.
import type { Database } from './client.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { contextColumns, contextJoins, lineOf, type RunContext, toRunContext } from './run-context.ts'
import { appendEvent } from './run-events.ts'
import { type ClaimedRun, toClaimedRun } from './runs.ts'
import { taintOf } from './taint.ts'
import type { TranscriptMessage } from './transcript.ts'

export interface TakenRun {
  run: ClaimedRun
  context: RunContext
  /** As readTranscript has it. Null: it has to be read. */
  transcript: TranscriptMessage[] | null
  /** As readTaint has it; while the claim lasts, only its holder adds to it. Null: it has to be read. */
  taint: string[] | null
}

/**
 * queued → running, up to `most` of them. What others are claiming in the same moment is passed over, not waited for.
 *
 * Transcript and taint are as old as the statement, and the claim is on the newest version of the row. Where another claim
 * began and ended in between, the number shows it, and what was read is left out. What people wrote in between is no
 * matter: it is like what they write a moment later.
 */
export async function claimRuns(db: Database, take: { processId: string; most: number }): Promise<TakenRun[]> {
  const { rows } = await prepared(
    db.combiner.lanes,
    `WITH RECURSIVE ready AS MATERIALIZED (
       SELECT id FROM runs WHERE status = 'queued' ORDER BY queued_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
     ), run AS (
       UPDATE runs r SET status = 'running', claimed_by = $1, claim_number = r.claim_number + 1,
         claim_until = clock_timestamp() + $2 * interval '1 millisecond', started_at = coalesce(r.started_at, clock_timestamp())
       FROM ready WHERE r.id = ready.id AND r.status = 'queued'
       RETURNING r.*, r.id AS run_id
     ), event AS (${appendEvent('run', 'run-start', `jsonb_build_object('claimNumber', claim_number, 'processId', claimed_by)`)}
     ), ${lineOf('run')}
     SELECT run.*, ${contextColumns},
       EXISTS (SELECT 1 FROM tool_calls t WHERE t.run_id = run.id AND t.status = 'running') AS left_running,
       (SELECT before.claim_number FROM runs before WHERE before.id = run.id) = run.claim_number - 1 AS current,
       (SELECT json_agg(json_build_object('number', m.number, 'role', m.role, 'content', m.content, 'runId', m.run_id,
          'turn', m.turn, 'memberId', m.member_id) ORDER BY m.number)
        FROM (SELECT number, role, content, run_id, turn, member_id FROM messages WHERE conversation_id = run.conversation_id
          ORDER BY number DESC LIMIT $4) AS m) AS transcript,
       ARRAY(${taintOf('run.conversation_id', '$5')}) AS taint
     FROM run ${contextJoins('run')} ORDER BY run.queued_at`,
    [take.processId, limits.runClaimMs, take.most, limits.transcriptMessages, limits.pageRows],
  )
  return rows.map((row) => {
    const run = toClaimedRun(row)
    const context = toRunContext(row)
    if (row.current) return { run, context, transcript: row.transcript ?? [], taint: row.taint }
    return { run: { ...run, leftRunning: true }, context, transcript: null, taint: null }
  })
}
