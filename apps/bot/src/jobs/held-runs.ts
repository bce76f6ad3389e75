// The runs that this process works on: their claims are renewed together, and a stop reaches each of them from here.
import {
  type ClaimedRun,
  type Database,
  limits as dataLimits,
  type Notice,
  releaseRun,
  renewClaims,
} from '@quartermaster/db'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import { patiently } from '../run/patience.ts'
import type { HeldRun } from '../run/run-services.ts'

/** Why the work on a run is aborted. */
export type AbortReason = 'stop' | 'lost' | 'released'

export interface HeldRuns {
  /** Works on a claimed run; resolves when the work has ended. */
  hold(run: ClaimedRun, work: (held: HeldRun) => Promise<void>): Promise<void>
  isLeaving(): boolean
  onNotice(notice: Notice): void
  /** Begins nothing new, lets tools end for a moment, and gives every run back. */
  leave(): Promise<void>
}

interface Entry {
  run: ClaimedRun
  controller: AbortController
  renewedAt: number
  ended: Promise<void>
}

export function createHeldRuns(db: Database, log: Log): HeldRuns {
  const entries = new Set<Entry>()
  const leaving = new AbortController()
  let timer: NodeJS.Timeout | null = null
  let renewing = false

  const abort = (entry: Entry, reason: AbortReason) => {
    if (!entry.controller.signal.aborted) entry.controller.abort(reason)
  }

  async function renew(): Promise<void> {
    if (renewing) return
    renewing = true
    const asked = [...entries]
    const at = Date.now()
    try {
      const renewed = await renewClaims(
        db,
        asked.map(({ run }) => run),
      )
      for (const entry of asked) {
        const found = renewed.get(entry.run.runId)
        if (!found) abort(entry, 'lost')
        else if (found.stopRequested) abort(entry, 'stop')
        entry.renewedAt = at
      }
    } catch (error) {
      log.warn({ error }, 'the claims of runs could not be renewed')
      // From here on somebody else may have them, and would start what is still running here.
      for (const entry of asked) if (Date.now() - entry.renewedAt > dataLimits.runClaimMs) abort(entry, 'lost')
    } finally {
      renewing = false
    }
  }

  async function hold(run: ClaimedRun, work: (held: HeldRun) => Promise<void>): Promise<void> {
    const controller = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const entry: Entry = { run, controller, renewedAt: Date.now(), ended }
    entries.add(entry)
    timer ??= setInterval(() => void renew(), limits.claimRenewMs).unref()
    if (run.stopRequested) abort(entry, 'stop')
    try {
      await work({ run, signal: controller.signal, leaving: leaving.signal })
    } finally {
      entries.delete(entry)
      resolve()
      if (!entries.size && timer) {
        clearInterval(timer)
        timer = null
      }
    }
  }

  async function giveBack(entry: Entry): Promise<void> {
    const drained = new Promise<'late'>((done) => setTimeout(() => done('late'), limits.toolDrainMs).unref())
    if ((await Promise.race([entry.ended, drained])) !== 'late') return
    // First the claim: what a tool says after its signal was aborted is not its result.
    await patiently(() => releaseRun(db, entry.run)).catch((error) => log.warn({ error }, 'a run was not given back'))
    abort(entry, 'released')
    await entry.ended
  }

  return {
    hold,
    isLeaving: () => leaving.signal.aborted,
    onNotice(notice) {
      // After a break of the connection a stop may have been missed; the renewal tells.
      if (notice.kind === 'gap') return void renew()
      for (const entry of entries) if (entry.run.runId === notice.payload) abort(entry, 'stop')
    },
    async leave() {
      leaving.abort('the process stops')
      await Promise.all([...entries].map(giveBack))
    },
  }
}
