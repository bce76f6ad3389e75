// What a working day needs of the house, and what it leaves there.
import type { Database } from '@quartermaster/db'
import type { RunSetup } from './run-setup.ts'
import { until } from './start-bot.ts'

export async function attachAskUser(db: Database, { agentId }: RunSetup['workspace']): Promise<void> {
  await db.pool.query(
    `INSERT INTO agent_tools (agent_id, tool_id) SELECT $1, id FROM tools WHERE handler_key = 'ask_user'`,
    [agentId],
  )
}

/** Waits until everything was sent: the last cards lose their buttons a moment after the last words. */
export async function deliveriesEnd({ prisma }: Database): Promise<void> {
  const open = () => prisma.delivery.count({ where: { status: { in: ['pending', 'sending'] } } })
  await until(open, (count) => count === 0, 120_000)
}

/** How many deliveries of a channel were taken over from somebody who was killed. */
export const takenOver = ({ prisma }: Database, channelId: string): Promise<number> =>
  prisma.delivery.count({ where: { channelId, maybeSent: true } })

/** What was written because somebody approved it, each line once. */
export const marksOf = ({ effects }: RunSetup): string[] => effects().filter((line) => /^\S+ w\d+$/.test(line))
