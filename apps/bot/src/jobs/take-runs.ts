// Takes queued runs while there are hands free: at once when one is announced, and from time to time for what no notice
// told of. One look at a time: those that are queued meanwhile are taken together by the next.
import { claimRuns, type Database, releaseRun, type TakenRun } from '@quartermaster/db'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import { patiently } from '../run/patience.ts'

export interface TakingRuns {
  /** There may be something to take. */
  look(): void
  /** Takes nothing more. What it has taken goes on. */
  stop(): Promise<void>
}

export interface TakingRunsOptions {
  db: Database
  log: Log
  processId: string
  /** Works on it; resolves when that is over, and never rejects. */
  work(taken: TakenRun): Promise<void>
}

export function createTakingRuns({ db, log, processId, work }: TakingRunsOptions): TakingRuns {
  let free: number = limits.runConcurrency
  let looking: Promise<void> | null = null
  let again = false
  let stopped = false
  const poll = setInterval(() => look(), limits.queuedRunsMs).unref()

  function look(): void {
    if (stopped) return
    again = true
    looking ??= takeAll().finally(() => {
      looking = null
      if (again && free > 0) look()
    })
  }

  async function takeAll(): Promise<void> {
    while (again && free > 0 && !stopped) {
      again = false
      const most = Math.min(free, limits.runsAtOnce)
      try {
        const taken = await claimRuns(db, { processId, most })
        again ||= taken.length === most
        for (const each of taken)
          if (stopped) await giveBack(each)
          else begin(each)
      } catch (error) {
        // The next look is due soon; what was claimed and not heard of is taken over when its claim is over.
        log.debug({ error }, 'queued runs could not be looked for')
      }
    }
  }

  function begin(taken: TakenRun): void {
    free--
    void work(taken).finally(() => {
      free++
      if (again) look()
    })
  }

  async function giveBack({ run }: TakenRun): Promise<void> {
    await patiently(() => releaseRun(db, run)).catch((error) => log.warn({ error }, 'a run was not given back'))
  }

  return {
    look,
    async stop() {
      stopped = true
      clearInterval(poll)
      await looking
    },
  }
}
