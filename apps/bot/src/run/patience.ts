import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../limits.ts'

/** The server is restarting, refuses connections or broke one: the same statement may succeed in a moment. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string' && (/^(08|57P|53300)/.test(code) || /^E(CONN|PIPE|TIMEDOUT|HOST|NET)/.test(code)))
    return true
  return (
    typeof message === 'string' && /connection (terminated|timeout|ended)|timeout exceeded when trying/i.test(message)
  )
}

/**
 * A write that must not be lost because the database restarts: tried until it answers. Only for one that can be
 * repeated, because a broken connection does not say whether the statement was done.
 */
export async function patiently<T>(write: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + limits.databasePatienceMs
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 1_000)) {
    try {
      return await write()
    } catch (error) {
      if (!isConnectionLost(error) || Date.now() > deadline) throw error
      await sleep(waitMs)
    }
  }
}
