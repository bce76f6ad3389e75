import type { Log } from '../../../log.ts'

/** How long changes are gathered before a Home tab is published again. */
const gatherMs = 300

/** Publishes Home tabs soon after something that they show has changed, each once however much has. */
export function createRefreshHomes(log: Log, publish: (teamId: string, userId: string) => Promise<void>) {
  const waiting = new Set<string>()
  return (teamId: string, userId: string): void => {
    const key = `${teamId}:${userId}`
    if (waiting.has(key)) return
    waiting.add(key)
    setTimeout(() => {
      waiting.delete(key)
      publish(teamId, userId).catch((error: Error) => log.info({ error }, 'a Home tab was not published'))
    }, gatherMs).unref()
  }
}
