// What finished runs used, an hour and an agent a row, added up by the statement that ends a run. The Overview reads
// this and never the runs, so it stays quick however many there were.
import type { Database } from './client.ts'

/** Upper bounds of the duration histogram, in milliseconds; a last bucket holds what took longer than all of them. */
export const durationBuckets = [
  250, 500, 1_000, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 120_000, 300_000,
  600_000, 1_800_000, 3_600_000, 21_600_000, 86_400_000,
] as const

/** Over how many rows one busy hour of an agent is spread; runs that end together rarely meet on one row's lock. */
const slots = 8

/** The bucket of `ms` (an SQL expression), from 1 to durationBuckets.length + 1. */
const bucketOf = (ms: string) => `width_bucket(${ms}, ARRAY[${durationBuckets.join(', ')}]::float8[]) + 1`

/**
 * The body of a CTE that adds the runs of `source`, another CTE with the columns of runs, to their hours. The duration
 * is from queued to finished, waiting for people included: it is how long the person who asked waited for the end. A
 * stopped run has no duration here, because a person chose it.
 */
export function addToUsage(source: string): string {
  // In one order everywhere, so that no two statements wait for each other.
  return `INSERT INTO usage_hours (workspace_id, hour, agent_id, slot, runs, failed, stopped, input_tokens, output_tokens, cost_micros, durations)
    SELECT workspace_id, hour, agent_id, (SELECT floor(random() * ${slots})), count(*),
      count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE status = 'stopped'), sum(input_tokens),
      sum(output_tokens), sum(cost_micros),
      ARRAY(SELECT cardinality(array_positions(array_agg(bucket), i)) FROM generate_series(1, ${durationBuckets.length + 1}) AS i)
    FROM (
      SELECT *, date_trunc('hour', finished_at, 'UTC') AS hour, CASE WHEN status <> 'stopped'
        THEN ${bucketOf('extract(epoch FROM finished_at - queued_at)::float8 * 1000')} END AS bucket FROM ${source}
    ) AS source GROUP BY workspace_id, hour, agent_id ORDER BY workspace_id, agent_id, hour
    ON CONFLICT (workspace_id, hour, agent_id, slot) DO UPDATE SET
      runs = usage_hours.runs + excluded.runs,
      failed = usage_hours.failed + excluded.failed,
      stopped = usage_hours.stopped + excluded.stopped,
      input_tokens = usage_hours.input_tokens + excluded.input_tokens,
      output_tokens = usage_hours.output_tokens + excluded.output_tokens,
      cost_micros = usage_hours.cost_micros + excluded.cost_micros,
      durations = ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0)
        FROM unnest(usage_hours.durations, excluded.durations) WITH ORDINALITY AS both_of(a, b, i) ORDER BY i)`
}

/**
 * Columns that add up rows of usage_hours: as they are, and the histogram bucket by bucket (unnested, one row would
 * become twenty). For pages that read a whole span, see the Overview's queries.
 */
export const usageSums = `sum(runs)::float8 AS runs, sum(failed)::float8 AS failed, sum(stopped)::float8 AS stopped,
  sum(input_tokens)::float8 AS input, sum(output_tokens)::float8 AS output, sum(cost_micros)::float8 AS cost,
  ARRAY[${Array.from({ length: durationBuckets.length + 1 }, (_, bucket) => `sum(durations[${bucket + 1}])`).join(', ')}]::float8[] AS counts`

export interface UsageRow {
  /** The start of the hour or day. */
  at: Date
  runs: number
  failed: number
  stopped: number
  inputTokens: number
  outputTokens: number
  costMicros: number
  /** Null where no run finished. */
  p50Ms: number | null
  p95Ms: number | null
}

/**
 * One row for each hour or day that touches from (inclusive) to `to` (exclusive), empty ones too, oldest first. Days
 * begin at midnight in `timezone`.
 */
export async function readUsage(
  db: Database,
  workspaceId: string,
  range: { from: Date; to: Date; step: 'hour' | 'day'; timezone?: string },
): Promise<UsageRow[]> {
  // Hours are stored by UTC, so they are shown by UTC; a zone with half an hour in it would split them.
  const zone = range.step === 'hour' ? 'UTC' : (range.timezone ?? 'UTC')
  const { rows } = await db.pool.query(
    `WITH steps AS (
       SELECT local AT TIME ZONE $5 AS at FROM generate_series(
         date_trunc($4, $2::timestamptz AT TIME ZONE $5), $3::timestamptz AT TIME ZONE $5 - interval '1 microsecond',
         ('1 ' || $4)::interval) AS local
     ), used AS (
       SELECT date_trunc($4, hour, $5) AS at, ${usageSums} FROM usage_hours u
       WHERE workspace_id = $1 AND hour >= date_trunc($4, $2::timestamptz, $5) AND hour < $3::timestamptz GROUP BY 1
     )
     SELECT s.at, u.runs, u.failed, u.stopped, u.input, u.output, u.cost, u.counts
     FROM steps s LEFT JOIN used u ON u.at = s.at ORDER BY s.at`,
    [workspaceId, range.from, range.to, range.step, zone],
  )
  return rows.map((row) => ({
    at: row.at,
    runs: row.runs ?? 0,
    failed: row.failed ?? 0,
    stopped: row.stopped ?? 0,
    inputTokens: row.input ?? 0,
    outputTokens: row.output ?? 0,
    costMicros: row.cost ?? 0,
    p50Ms: findPercentile(row.counts ?? [], 0.5),
    p95Ms: findPercentile(row.counts ?? [], 0.95),
  }))
}

/** A percentile of the histogram, on a straight line inside its bucket; in the open last one, that bucket's start. */
export function findPercentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = share * total
  let below = 0
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const from = durationBuckets[index - 1] ?? 0
      const to = durationBuckets[index] ?? from
      return Math.round(from + ((to - from) * (wanted - below)) / count)
    }
    below += count
  }
  return durationBuckets[durationBuckets.length - 1] ?? null
}
