import {
  countToolUsage,
  type Database,
  limits as dataLimits,
  deleteGoneProcesses,
  deleteOldAttempts,
  deleteOldInboundEvents,
  deleteOldSessions,
  expireQuestions,
} from '@quartermaster/db'
import type { TaskList } from 'graphile-worker'
import type { Log } from '../log.ts'

/**
 * When each is done; the queue sees to it that one process of all does it. `max=3`: what fails three times is due
 * again soon anyway. `fill` is not set: work that was missed while everything was down is not made up for.
 */
export const maintenanceCrontab = `
* * * * * expire-questions ?max=3&jobKey=expire-questions
* * * * * count-tool-usage ?max=3&jobKey=count-tool-usage
*/5 * * * * delete-gone-processes ?max=3&jobKey=delete-gone-processes
*/15 * * * * delete-old-attempts ?max=3&jobKey=delete-old-attempts
7 * * * * delete-old-sessions ?max=3&jobKey=delete-old-sessions
37 * * * * delete-old-inbound-events ?max=3&jobKey=delete-old-inbound-events
`

/** What keeps the database tidy. Every one of them may be run at any time, by several processes, and be cut off. */
export function maintenanceTasks(
  db: Database,
  log: Log,
  { onEscalated }: { onEscalated?(questionId: string): Promise<void> } = {},
): TaskList {
  const report = (what: string, count: number) => {
    if (count) log.info({ count }, what)
  }
  return {
    'expire-questions': async () => {
      const expired = await expireQuestions(db)
      const escalated = expired.filter(({ outcome }) => outcome === 'escalated')
      report('questions expired', expired.length - escalated.length)
      report('questions escalated', escalated.length)
      for (const { questionId } of escalated) await onEscalated?.(questionId)
    },
    // What is left is there at the next minute: one that took all of it at once could hold a worker for long.
    'count-tool-usage': async () => void (await countToolUsage(db)),
    'delete-gone-processes': async () => report('gone processes deleted', await deleteGoneProcesses(db)),
    'delete-old-attempts': async () =>
      report('old attempts deleted', await deleteOldAttempts(db, dataLimits.signInWindowMs)),
    'delete-old-sessions': async () => report('old sessions deleted', await deleteOldSessions(db)),
    'delete-old-inbound-events': async () => report('old inbound events deleted', await deleteOldInboundEvents(db)),
  }
}
