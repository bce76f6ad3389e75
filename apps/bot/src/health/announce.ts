import { beat, type Database, endProcess, type ProcessBeat, type ProcessHealth } from '@quartermaster/db'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'

export interface Announcement {
  /** What the last look around found. */
  health(): ProcessHealth
  /** Takes this process off the list. */
  stop(): Promise<void>
}

export interface AnnounceOptions {
  db: Database
  log: Log
  self: Omit<ProcessBeat, 'health'>
  lookAround(signal: AbortSignal): Promise<ProcessHealth>
  /** What is known between two looks, added to what the last one found. */
  complete?(health: ProcessHealth): ProcessHealth
}

/**
 * Tells everybody, by a row that is renewed every few seconds, that this process is alive and what it found. Resolves
 * after the first look and the first row.
 */
export async function announce({ db, log, self, lookAround, complete }: AnnounceOptions): Promise<Announcement> {
  const stopping = new AbortController()
  let health = await lookAround(stopping.signal)
  const current = () => complete?.(health) ?? health
  await beat(db, { ...self, health: current() })
  log.info({ health: summary(health) }, 'looked around')

  let beating: Promise<void> | null = null
  const heart = setInterval(() => {
    // One at a time: while the database is away, beats must not pile up in front of the pool.
    beating ??= beat(db, { ...self, health: current() })
      .catch((error: Error) => log.warn({ error }, 'could not say that this process is alive'))
      .finally(() => {
        beating = null
      })
  }, limits.heartbeatMs)

  let looking: Promise<void> | null = null
  const eyes = setInterval(() => {
    looking ??= lookAround(stopping.signal)
      .then((seen) => {
        if (stopping.signal.aborted) return
        if (JSON.stringify(summary(seen)) !== JSON.stringify(summary(health)))
          log.info({ health: summary(seen) }, 'what the bot depends on has changed')
        health = seen
      })
      .finally(() => {
        looking = null
      })
  }, limits.probeEveryMs)

  return {
    health: current,
    async stop() {
      clearInterval(heart)
      clearInterval(eyes)
      stopping.abort()
      await Promise.all([beating, looking])
      await endProcess(db, self.id)
    },
  }
}

const summary = (health: ProcessHealth) =>
  Object.fromEntries(Object.entries(health).map(([name, part]) => [name, part.state]))
