import { type Database, Problem, pendingMigrations } from '@quartermaster/db'
import { limits } from '../limits.ts'

export type Readiness = { ready: true } | { ready: false; reason: string }

export interface ReadinessCheck {
  check(): Promise<Readiness>
  /** From now on the answer is no: whoever sends work here shall send it elsewhere. */
  stop(): void
}

/** The driver has a time limit for each query; its types do not mention it. */
const question = { text: 'SELECT 1', query_timeout: limits.readyMs }

/** Ready means: the database answers in time and has the schema that this version was written for. */
export function createReadinessCheck(db: Database): ReadinessCheck {
  let stopping = false
  let migratedUntil = 0
  let last: { at: number; answer: Promise<Readiness> } | null = null

  async function look(): Promise<Readiness> {
    try {
      await db.pool.query(question)
      if (Date.now() > migratedUntil) {
        const pending = await pendingMigrations(db.url)
        if (pending.length) return { ready: false, reason: `The database lacks ${pending.length} migration(s).` }
        migratedUntil = Date.now() + limits.migratedCacheMs
      }
      return { ready: true }
    } catch (error) {
      // The words of a driver may hold addresses and names; anybody may read this answer. A Problem's sentence about
      // the schema is ours, and one about the connection names the host, so only the former is passed on.
      const isSchema = error instanceof Problem && !error.cause
      return { ready: false, reason: isSchema ? error.message : 'The database cannot be reached.' }
    }
  }

  async function lookInTime(): Promise<Readiness> {
    const late = new Promise<Readiness>((done) => {
      const timer = setTimeout(
        () => done({ ready: false, reason: 'The database does not answer in time.' }),
        limits.readyMs,
      )
      timer.unref()
    })
    return Promise.race([look(), late])
  }

  return {
    async check() {
      if (stopping) return { ready: false, reason: 'The bot is stopping.' }
      if (!last || Date.now() - last.at > limits.readyCacheMs) last = { at: Date.now(), answer: lookInTime() }
      return last.answer
    },
    stop() {
      stopping = true
    },
  }
}
