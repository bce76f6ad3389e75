// How often tools are used, how it ends and how long it takes, a day, a tool and an agent a row: the registry's pages
// read this and never ten million calls.
//
// It is counted afterwards, from the calls themselves, so that no call is slower for it. Of each workspace a mark says
// up to which request its calls were looked at. Those that are over are counted; those that are not (a person is asked,
// for a day perhaps) are noted as pending and counted when they are. Mark, notes and counts move in one statement while
// the mark's row is held, so that each call counts once, whoever counts, however often, and wherever it is cut off.
import { type Database, inTransaction } from './client.ts'
import { findPercentile } from './usage.ts'

/** Upper bounds in milliseconds; a last bucket holds what took longer. */
export const toolDurationBuckets = [
  2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000,
] as const

/** A call's row is there at latest so long after the time it bears: the start of its transaction. */
const lagMs = 60_000
const callsAtOnce = 20_000

/** Counts what is new, in steps; true: there is more, and it is time to let others work. */
export async function countToolUsage(
  db: Database,
  { lag = lagMs, steps = 50, atOnce = callsAtOnce }: { lag?: number; steps?: number; atOnce?: number } = {},
): Promise<boolean> {
  await db.pool.query(
    `INSERT INTO tool_usage_marks (workspace_id) SELECT id FROM workspaces w
     WHERE NOT EXISTS (SELECT 1 FROM tool_usage_marks m WHERE m.workspace_id = w.id) ON CONFLICT DO NOTHING`,
  )
  const { rows } = await db.pool.query<{ id: string }>('SELECT workspace_id AS id FROM tool_usage_marks ORDER BY 1')
  let left = steps
  for (const { id } of rows)
    while (await countStep(db, id, { lag, atOnce })) {
      if (--left <= 0) return true
    }
  return false
}

/** True: there is more of this workspace. */
function countStep(db: Database, workspaceId: string, { lag, atOnce }: { lag: number; atOnce: number }) {
  return inTransaction(db, async (tx): Promise<boolean> => {
    // Somebody else is at it: what they leave is there at the next look.
    const mark = await tx.query<{ seenTo: string }>(
      `SELECT seen_to::text AS "seenTo" FROM tool_usage_marks WHERE workspace_id = $1 FOR UPDATE SKIP LOCKED`,
      [workspaceId],
    )
    const seenTo = mark.rows[0]?.seenTo
    if (seenTo === undefined) return false
    // Whole milliseconds only: calls of the last one would otherwise be seen in part.
    const { rows } = await tx.query<{ upTo: string | null; found: number }>(
      `SELECT max(requested_at)::text AS "upTo", count(*)::int AS found FROM (
         SELECT requested_at FROM tool_calls WHERE workspace_id = $1 AND requested_at > $2::timestamptz
           AND requested_at <= clock_timestamp() - make_interval(secs => $3::float8 / 1000)
         ORDER BY requested_at LIMIT $4) AS next`,
      [workspaceId, seenTo, lag, atOnce],
    )
    const { upTo = null, found = 0 } = rows[0] ?? {}
    await tx.query(countStatement, [workspaceId, seenTo, upTo ?? seenTo])
    return found === atOnce
  })
}

const buckets = toolDurationBuckets.length + 1

const countStatement = `WITH seen AS (
    SELECT id, requested_at, tool_name, agent_id, status, duration_ms, false AS was_pending FROM tool_calls
    WHERE workspace_id = $1 AND requested_at > $2::timestamptz AND requested_at <= $3::timestamptz
    UNION ALL
    SELECT c.id, c.requested_at, c.tool_name, c.agent_id, c.status, c.duration_ms, true FROM tool_usage_pending p
    JOIN tool_calls c ON c.id = p.tool_call_id WHERE p.workspace_id = $1
  ), over AS (
    SELECT *, CASE WHEN status IN ('succeeded', 'failed') AND duration_ms IS NOT NULL
      THEN width_bucket(duration_ms::float8, ARRAY[${toolDurationBuckets.join(', ')}]::float8[]) + 1 END AS bucket
    FROM seen WHERE status IN ('succeeded', 'failed', 'interrupted', 'refused', 'denied')
  ), counted AS (
    INSERT INTO tool_usage_days (workspace_id, day, tool_name, agent_id, calls, succeeded, failed, interrupted, refused, denied, durations)
    SELECT $1, (requested_at AT TIME ZONE 'UTC')::date AS day, tool_name, agent_id, count(*),
      count(*) FILTER (WHERE status = 'succeeded'), count(*) FILTER (WHERE status = 'failed'),
      count(*) FILTER (WHERE status = 'interrupted'), count(*) FILTER (WHERE status = 'refused'),
      count(*) FILTER (WHERE status = 'denied'),
      ARRAY(SELECT cardinality(array_positions(array_agg(bucket), i)) FROM generate_series(1, ${buckets}) AS i)
    FROM over GROUP BY 2, tool_name, agent_id
    ON CONFLICT (workspace_id, day, tool_name, agent_id) DO UPDATE SET
      calls = tool_usage_days.calls + excluded.calls,
      succeeded = tool_usage_days.succeeded + excluded.succeeded,
      failed = tool_usage_days.failed + excluded.failed,
      interrupted = tool_usage_days.interrupted + excluded.interrupted,
      refused = tool_usage_days.refused + excluded.refused,
      denied = tool_usage_days.denied + excluded.denied,
      durations = ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0)
        FROM unnest(tool_usage_days.durations, excluded.durations) WITH ORDINALITY AS both_of(a, b, i) ORDER BY i)
  ), noted AS (
    INSERT INTO tool_usage_pending (tool_call_id, workspace_id)
    SELECT id, $1 FROM seen WHERE NOT was_pending AND id NOT IN (SELECT id FROM over)
  ), done AS (
    DELETE FROM tool_usage_pending WHERE tool_call_id IN (SELECT id FROM over WHERE was_pending)
  )
  UPDATE tool_usage_marks SET seen_to = $3::timestamptz WHERE workspace_id = $1`

export interface ToolUse {
  toolName: string
  calls: number
  succeeded: number
  failed: number
  interrupted: number
  refused: number
  denied: number
  /** Of those that ran; null where none did. */
  p50Ms: number | null
  p95Ms: number | null
}

/** What each tool did in the days from `since` (UTC) on: every tool that was used, or one of them. */
export async function readToolUsage(
  db: Database,
  workspaceId: string,
  { since, toolName }: { since: Date; toolName?: string },
): Promise<ToolUse[]> {
  const { rows } = await db.pool.query(
    `WITH used AS (
       SELECT * FROM tool_usage_days WHERE workspace_id = $1 AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date
         AND ($3::text IS NULL OR tool_name = $3)
     ), lengths AS (
       SELECT tool_name, array_agg(total ORDER BY i) AS counts FROM (
         SELECT tool_name, i, sum(count)::float8 AS total
         FROM used, unnest(durations) WITH ORDINALITY AS bucket(count, i) GROUP BY tool_name, i
       ) AS summed GROUP BY tool_name
     )
     SELECT u.tool_name AS "toolName", sum(calls)::float8 AS calls, sum(succeeded)::float8 AS succeeded,
       sum(failed)::float8 AS failed, sum(interrupted)::float8 AS interrupted, sum(refused)::float8 AS refused,
       sum(denied)::float8 AS denied, (SELECT counts FROM lengths l WHERE l.tool_name = u.tool_name) AS counts
     FROM used u GROUP BY u.tool_name ORDER BY u.tool_name`,
    [workspaceId, since, toolName ?? null],
  )
  return rows.map(({ counts, ...use }) => ({
    ...use,
    p50Ms: findPercentile(counts ?? [], 0.5, toolDurationBuckets),
    p95Ms: findPercentile(counts ?? [], 0.95, toolDurationBuckets),
  }))
}
