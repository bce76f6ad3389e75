import type { Database } from '@quartermaster/db'
import { limits } from '../limits.ts'

export interface Figures {
  runs: Record<'queued' | 'running' | 'waiting', number>
  finished: Record<'succeeded' | 'failed' | 'stopped', number>
  questions: number
  deliveries: Record<'pending' | 'sending', number>
  jobs: Record<'due' | 'later' | 'working' | 'given_up', number>
  oldestJobSeconds: number
}

/**
 * One statement. Each part reads an index that holds only what is unfinished (runs_one_unfinished, questions_due,
 * deliveries_unsent), the few rows of the queue, or the hourly sums, so it costs the same however much has happened.
 */
const statement = `
  SELECT
    (SELECT coalesce(jsonb_object_agg(status, n), '{}') FROM (
      SELECT status, count(*) AS n FROM runs WHERE status IN ('queued', 'running', 'waiting') GROUP BY status) r) AS runs,
    (SELECT jsonb_build_object('runs', coalesce(sum(u.runs), 0), 'failed', coalesce(sum(u.failed), 0),
                               'stopped', coalesce(sum(u.stopped), 0))
      FROM workspaces w JOIN usage_hours u ON u.workspace_id = w.id AND u.hour > now() - interval '24 hours') AS finished,
    (SELECT count(*)::int FROM questions WHERE status = 'open') AS questions,
    (SELECT coalesce(jsonb_object_agg(status, n), '{}') FROM (
      SELECT status, count(*) AS n FROM deliveries WHERE status IN ('pending', 'sending') GROUP BY status) d) AS deliveries,
    (SELECT jsonb_build_object(
        'due', count(*) FILTER (WHERE is_due),
        'working', count(*) FILTER (WHERE locked_at IS NOT NULL),
        'given_up', count(*) FILTER (WHERE locked_at IS NULL AND attempts >= max_attempts),
        'later', count(*) FILTER (WHERE locked_at IS NULL AND attempts < max_attempts AND run_at > now()),
        'age', coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE is_due)), 0))
      FROM (SELECT *, locked_at IS NULL AND attempts < max_attempts AND run_at <= now() AS is_due
            FROM graphile_worker.jobs) j) AS jobs`

export async function readFigures(db: Pick<Database, 'pool'>): Promise<Figures> {
  // The driver has a time limit for each query; its types do not mention it.
  const query = { text: statement, query_timeout: limits.metricsMs }
  const { rows } = await db.pool.query(query)
  const { runs, finished, questions, deliveries, jobs } = rows[0]
  return {
    runs: { queued: 0, running: 0, waiting: 0, ...runs },
    finished: {
      succeeded: finished.runs - finished.failed - finished.stopped,
      failed: finished.failed,
      stopped: finished.stopped,
    },
    questions,
    deliveries: { pending: 0, sending: 0, ...deliveries },
    jobs: { due: jobs.due, later: jobs.later, working: jobs.working, given_up: jobs.given_up },
    oldestJobSeconds: jobs.age,
  }
}
