import type { Database } from '@quartermaster/db'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import { type Figures, readFigures } from './read-figures.ts'

export interface Metrics {
  /** The figures in Prometheus's text format. */
  render(): Promise<string>
  contentType: string
  countRequest(request: { route: string; method: string; status: number; seconds: number }): void
}

export function createMetrics(db: Database, log: Log): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })

  const databaseUp = gauge('qm_database_up', 'Whether the database answered with the figures below (1) or not (0).')
  const runs = gauge('qm_runs', 'Unfinished runs by status.', ['status'])
  const finished = gauge('qm_runs_finished_24h', 'Runs that finished within the last 24 hours, by how.', ['status'])
  const questions = gauge('qm_questions_open', 'Questions that wait for a person.')
  const deliveries = gauge('qm_deliveries_unsent', 'Deliveries that are not sent yet, by status.', ['status'])
  const jobs = gauge('qm_jobs', 'Jobs in the queue: due, later, working, or given up.', ['state'])
  const jobAge = gauge('qm_jobs_oldest_seconds', 'How long the oldest job that is due has been waiting.')
  const fromDatabase = [runs, finished, questions, deliveries, jobs, jobAge]
  const pool = gauge('qm_database_connections', 'Connections of this process to the database, by use.', ['state'])
  const waiting = gauge('qm_database_waiting', 'Queries of this process that wait for a connection.')

  const requests = new Counter({
    name: 'qm_http_requests_total',
    help: 'Requests to the gateway.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'qm_http_request_seconds',
    help: 'How long requests to the gateway took.',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })

  function show(figures: Figures) {
    for (const [status, count] of Object.entries(figures.runs)) runs.set({ status }, count)
    for (const [status, count] of Object.entries(figures.finished)) finished.set({ status }, count)
    for (const [status, count] of Object.entries(figures.deliveries)) deliveries.set({ status }, count)
    for (const [state, count] of Object.entries(figures.jobs)) jobs.set({ state }, count)
    questions.set(figures.questions)
    jobAge.set(figures.oldestJobSeconds)
    databaseUp.set(1)
  }

  let last: { at: number; done: Promise<void> } | null = null
  function refresh(): Promise<void> {
    if (last && Date.now() - last.at < limits.metricsCacheMs) return last.done
    const done = readFigures(db).then(show, (error: Error) => {
      // Old figures would look like true ones: without the database there are none.
      for (const each of fromDatabase) each.reset()
      databaseUp.set(0)
      log.debug({ error }, 'no figures from the database')
    })
    last = { at: Date.now(), done }
    return done
  }

  return {
    contentType: registry.contentType,
    async render() {
      await refresh()
      pool.set({ state: 'open' }, db.pool.totalCount)
      pool.set({ state: 'idle' }, db.pool.idleCount)
      waiting.set(db.pool.waitingCount)
      return registry.metrics()
    },
    countRequest({ route, method, status, seconds }) {
      requests.inc({ route, method, status })
      durations.observe({ route }, seconds)
    },
  }
}
