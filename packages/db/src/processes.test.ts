import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { beat, deleteGoneProcesses, endProcess, listProcesses, type ProcessBeat } from './processes.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
const off = { state: 'off', detail: 'Not configured.', next: 'Set the token.' } as const
const bot: ProcessBeat = {
  id: 'prc_1',
  kind: 'bot',
  version: '0.1.0',
  host: 'here',
  pid: 7,
  roles: ['ingress', 'worker'],
  health: { sandbox: { state: 'ok', detail: 'bubblewrap works.', next: null }, model: off, slack: off, telegram: off },
}
const age = (id: string, ms: number) =>
  database.db.pool.query(`UPDATE processes SET seen_at = now() - $2 * interval '1 millisecond' WHERE id = $1`, [id, ms])

test('a process that beats is listed with what it found, and one that ended is not', async () => {
  await beat(database.db, bot)
  await beat(database.db, { ...bot, id: 'prc_2', kind: 'console', health: null })
  const list = await listProcesses(database.db)
  expect(list).toMatchObject([bot, { id: 'prc_2', kind: 'console', health: null }])
  await endProcess(database.db, 'prc_2')
  expect(await listProcesses(database.db)).toHaveLength(1)
})

test('a process that is silent too long is gone, until it beats again', async () => {
  await age(bot.id, limits.processGoneMs + 1000)
  expect(await listProcesses(database.db)).toEqual([])
  await beat(database.db, { ...bot, roles: ['worker'] })
  expect(await listProcesses(database.db)).toMatchObject([{ id: bot.id, roles: ['worker'] }])
})

test('maintenance deletes the gone and keeps the living', async () => {
  await beat(database.db, { ...bot, id: 'prc_3' })
  await age('prc_3', limits.processGoneMs + 1000)
  expect(await deleteGoneProcesses(database.db)).toBe(1)
  expect(await listProcesses(database.db)).toMatchObject([{ id: bot.id }])
})
