import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@quartermaster/db'
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'

export interface Worker {
  /** Takes no new jobs, lets the running ones end, and gives those that take too long back to the queue. */
  stop(): Promise<void>
}

export interface WorkerOptions {
  db: Database
  log: Log
  tasks: TaskList
  crontab: string
}

/** Works on jobs until it is stopped. A worker that ends by itself (its database went away for long) is begun anew. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const stopping = new AbortController()
  let runner = await begin(options)

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runner.promise.catch((error: Error) => options.log.error({ error }, 'the worker ended'))
      while (!stopping.signal.aborted) {
        await sleep(limits.workerRestartMs, null, { signal: stopping.signal }).catch(() => {}) // Aborted: we stop.
        if (stopping.signal.aborted) return
        try {
          runner = await begin(options)
          // A stop that came meanwhile has stopped the one before it.
          if (stopping.signal.aborted) return await endQuietly(runner)
          options.log.info('the worker is at work again')
          break
        } catch (error) {
          options.log.warn({ error }, 'the worker could not begin anew')
        }
      }
    }
  }
  const kept = keep()

  return {
    async stop() {
      stopping.abort()
      await endQuietly(runner)
      await kept
    },
  }
}

/** A runner that ended by itself in this moment says so by rejecting; it is stopped all the same. */
const endQuietly = (runner: Runner): Promise<void> => runner.stop().catch(() => {})

/**
 * Resolves when it has looked for jobs once. Not before: graphile-worker keeps the outcome of its first question (the
 * numbers of its tasks) even when that is a failure, and a worker whose database went away in that moment would repeat
 * "Connection terminated" until the process ends, however long the database has been back.
 */
async function begin(options: WorkerOptions): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter()
  const { promise: looked, resolve, reject } = Promise.withResolvers<void>()
  events.once('worker:getJob:empty', () => resolve())
  events.once('job:start', () => resolve())
  events.once('worker:getJob:error', ({ error }) => reject(error))
  looked.catch(() => {}) // It may fail before it is waited for, below.
  const runner = await runWorker(options, events)
  try {
    await looked
    return runner
  } catch (error) {
    await endQuietly(runner)
    throw error
  }
}

function runWorker({ db, log, tasks, crontab }: WorkerOptions, events: WorkerEvents): Promise<Runner> {
  return run({
    events,
    pgPool: db.pool,
    taskList: tasks,
    crontab,
    concurrency: limits.jobConcurrency,
    // main.ts decides when and in which order things end.
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: limits.drainMs,
    logger: new Logger((scope) => (level, message, meta) => {
      const error = meta?.error
      // Its "info" is about every single job.
      const method = level === 'warning' ? 'warn' : level === 'info' ? 'debug' : level
      log[method]({ ...scope, ...(error ? { error } : {}) }, message)
    }),
  })
}
