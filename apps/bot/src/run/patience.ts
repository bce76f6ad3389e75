import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionLost } from '@quartermaster/db'
import { limits } from '../limits.ts'

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
