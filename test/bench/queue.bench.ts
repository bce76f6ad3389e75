// How runs are queued (docs/decisions/0001-how-runs-are-queued.md): the same empty task as plain jobs, with a named
// queue for each of 500 conversations, and with the run's id as the job's key. The ways take turns, so that a busy
// moment of the machine does not fall on one of them alone.
import { type Database, openDatabase } from '@quartermaster/db'
import { Logger, type Runner, run, type TaskList } from 'graphile-worker'
import { type Bench, countPerSecond, type Measurement, percentile } from './measure.ts'

const conversations = 500
const jobs = 4_000
const waits = 200
const rounds = 3
const concurrency = 10

const ways = {
  'plain jobs': 'NULL, NULL',
  'a queue per conversation': `'conversation-' || ($1::int % ${conversations}), NULL`,
  'job key = run id': `NULL, 'run-' || $1::int`,
}
type Way = keyof typeof ways

const bench: Bench = {
  about: `${jobs} jobs of ${conversations} conversations, ${concurrency} at a time; median of ${rounds} rounds`,
  async run(url) {
    const db = openDatabase(url, { name: 'qm-bench', maxConnections: 16 })
    const results = new Map<Way, { added: number[]; done: number[]; waited: number[] }>()
    for (const way of Object.keys(ways) as Way[]) results.set(way, { added: [], done: [], waited: [] })
    try {
      for (let round = 0; round < rounds; round++)
        for (const [way, result] of results) {
          // A queue's row stays behind its jobs; each way starts on an empty queue.
          await db.pool.query('TRUNCATE graphile_worker._private_jobs, graphile_worker._private_job_queues')
          result.waited.push(...(await measureWaits(db, way)))
          result.added.push(await countPerSecond(jobs, concurrency, (index) => add(db, way, index)))
          result.done.push(await drain(db))
        }
    } finally {
      await db.close()
    }
    return [...results].map(
      ([way, { added, done, waited }]): Measurement => ({
        what: way,
        figures: {
          'start p50 (ms)': percentile(waited, 0.5),
          'start p95 (ms)': percentile(waited, 0.95),
          'added/s': percentile(added, 0.5),
          'done/s': percentile(done, 0.5),
        },
      }),
    )
  },
}
export default bench

function add(db: Database, way: Way, index: number) {
  const [queue, key] = ways[way].split(', ')
  return db.pool.query(
    `SELECT (graphile_worker.add_job('bench', json_build_object('index', $1::int), queue_name := ${queue}, job_key := ${key})).id`,
    [index],
  )
}

/** From the call of add_job to the start of the task, with an idle worker. */
async function measureWaits(db: Database, way: Way): Promise<number[]> {
  const waited: number[] = []
  let started = () => {}
  const worker = await startWorker(db, async () => started())
  try {
    for (let index = 0; index < waits; index++) {
      const from = performance.now()
      const start = new Promise<void>((done) => {
        started = done
      })
      await add(db, way, index)
      await start
      waited.push(performance.now() - from)
      // The worker has to be idle again, or the next job is found without a notice.
      await new Promise((done) => setTimeout(done, 5))
    }
  } finally {
    await worker.stop()
  }
  return waited
}

/** How many jobs a second a worker starts and completes when all of them are there already. */
async function drain(db: Database): Promise<number> {
  let left = jobs
  let finished = () => {}
  const done = new Promise<void>((resolve) => {
    finished = resolve
  })
  const from = performance.now()
  const worker = await startWorker(db, async () => {
    if (--left === 0) finished()
  })
  await done
  const seconds = (performance.now() - from) / 1000
  await worker.stop()
  return jobs / seconds
}

function startWorker(db: Database, task: TaskList[string]): Promise<Runner> {
  return run({
    // Connections of its own, as many as it has tasks: adding jobs and starting them do not wait for each other.
    connectionString: db.url,
    maxPoolSize: concurrency,
    concurrency,
    noHandleSignals: true,
    taskList: { bench: task },
    crontab: '',
    logger: new Logger(() => () => {}),
  })
}
