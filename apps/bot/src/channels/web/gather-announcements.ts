import { setTimeout as sleep } from 'node:timers/promises'
import { announceLive, type Database, type LiveNotice } from '@quartermaster/db'
import { limits } from '../../limits.ts'

/**
 * Announces what all runs of this process show. What comes while a statement is under way, or was just begun, goes out with
 * the next one, together: every commit that notifies waits for every other one, so their number is what costs. Each run
 * waits for its announcement before it makes the next, which bounds what gathers here.
 */
export function gatherAnnouncements(db: Pick<Database, 'pool'>): (notices: readonly LiveNotice[]) => Promise<void> {
  let announcing: Promise<void> | null = null
  let waiting: LiveNotice[] = []
  let next: Promise<void> | null = null

  function announce(): Promise<void> {
    const notices = waiting
    waiting = []
    next = null
    const told = announceLive(db, notices)
    const rested: Promise<void> = Promise.allSettled([told, sleep(limits.presentRestMs)]).then(() => {
      if (announcing === rested) announcing = null
    })
    announcing = rested
    return told
  }

  return (notices) => {
    waiting.push(...notices)
    if (!announcing) return announce()
    next ??= announcing.then(announce, announce)
    return next
  }
}
