import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, findLostRuns, stopOrphans, takeOver } from '@quartermaster/db'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'

/** Looks for runs whose process or job was lost, until it is stopped. Every worker does; one of them takes each over. */
export function sweepLostRuns(db: Database, log: Log): { stop(): Promise<void> } {
  const stopping = new AbortController()
  async function sweep(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        for (const runId of await findLostRuns(db))
          if (await takeOver(db, runId)) log.warn({ runId }, 'a lost run was taken over')
        await stopOrphans(db)
      } catch (error) {
        log.debug({ error }, 'lost runs could not be looked for')
      }
      await sleep(limits.lostRunsMs, null, { signal: stopping.signal }).catch(() => {}) // Aborted: we stop.
    }
  }
  const swept = sweep()
  return {
    async stop() {
      stopping.abort()
      await swept
    },
  }
}
