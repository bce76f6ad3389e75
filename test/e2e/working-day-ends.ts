// What a working day needs of the house, and what it leaves there.
import type { Database } from '@quartermaster/db'
import { expect } from 'vitest'
import type { RunSetup } from './run-setup.ts'
import { until } from './start-bot.ts'
import type { Talked } from './working-day.ts'

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

/** What somebody approved was done, once; what a killed bot left open is known to be so, and was done once or not at all. */
export async function checkMarks({ pool }: Database, { effects }: RunSetup, talks: readonly Talked[]): Promise<void> {
  const { rows } = await pool.query(`SELECT arguments->>'text' AS text FROM tool_calls WHERE status = 'interrupted'`)
  const interrupted: string[] = rows.map(({ text }) => text)
  const marks = effects().flatMap((line) => /^\S+ (w\d+)$/.exec(line)?.[1] ?? [])
  const markOf = ({ number }: Talked) => `w${number}`
  const approved = talks.filter(({ decided }) => decided?.approves)
  expect(approved).toHaveLength(20)
  expect(
    approved
      .filter(({ decided }) => decided?.isLost)
      .map(markOf)
      .sort(),
  ).toEqual(interrupted.sort())
  const sure = (mark: string) => !interrupted.includes(mark)
  expect(marks.filter(sure).sort()).toEqual(approved.map(markOf).filter(sure).sort())
  expect(new Set(marks).size).toBe(marks.length)
}
