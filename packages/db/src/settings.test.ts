import { beforeAll, expect, test } from 'vitest'
import type { Actor } from './audit.ts'
import { newId } from './ids.ts'
import { Problem } from './problem.ts'
import { readSettings, renameWorkspace, writeSettings } from './settings.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
const workspaceId = newId('wsp')
const actor: Actor = { kind: 'member', id: 'mem_1' }
beforeAll(async () => {
  await database.db.pool.query(`INSERT INTO workspaces (id, slug, name) VALUES ($1, 'house', 'House')`, [workspaceId])
})
const events = async () => (await database.db.pool.query('SELECT action, data FROM audit_events ORDER BY number')).rows

test('a workspace without choices has the defaults', async () => {
  expect(await readSettings(database.db, workspaceId)).toEqual({ timezone: 'UTC', questionExpiryHours: 24 })
})

test('a change is kept and recorded with before and after; saving the same again records nothing', async () => {
  await writeSettings(database.db, workspaceId, { timezone: 'Europe/Berlin' }, actor)
  await writeSettings(database.db, workspaceId, { timezone: 'Europe/Berlin', questionExpiryHours: 24 }, actor)
  expect(await readSettings(database.db, workspaceId)).toEqual({ timezone: 'Europe/Berlin', questionExpiryHours: 24 })
  expect(await events()).toEqual([
    { action: 'settings.change', data: { timezone: { before: 'UTC', after: 'Europe/Berlin' } } },
  ])
})

test('a value that cannot be is refused in words, and nothing of the same save is kept', async () => {
  const wrong = [
    { timezone: 'Mars/Olympus' },
    { timezone: '+02:00' },
    { timezone: '' },
    { questionExpiryHours: 0 },
    { questionExpiryHours: 721 },
    { questionExpiryHours: 1.5 },
    { questionExpiryHours: 48, nameInChat: 'x' },
    { questionExpiryHours: 48, timezone: 'Nowhere' },
  ]
  for (const patch of wrong)
    await expect(writeSettings(database.db, workspaceId, patch, actor)).rejects.toThrow(Problem)
  expect(await readSettings(database.db, workspaceId)).toEqual({ timezone: 'Europe/Berlin', questionExpiryHours: 24 })
})

test('a stored value that today’s rules refuse counts as not set', async () => {
  await database.db.pool.query(
    `INSERT INTO settings (workspace_id, key, value) VALUES ($1, 'questionExpiryHours', '"long"'), ($1, 'other', '1')`,
    [workspaceId],
  )
  expect(await readSettings(database.db, workspaceId)).toEqual({ timezone: 'Europe/Berlin', questionExpiryHours: 24 })
  await writeSettings(database.db, workspaceId, { questionExpiryHours: 48 }, actor)
  expect(await readSettings(database.db, workspaceId)).toMatchObject({ questionExpiryHours: 48 })
})

test('a workspace is renamed and the log says from what to what', async () => {
  expect(await renameWorkspace(database.db, workspaceId, '  The House ', actor)).toBe('The House')
  expect((await events()).at(-1)).toEqual({
    action: 'workspace.rename',
    data: { name: { before: 'House', after: 'The House' } },
  })
  for (const name of ['', '   ', 'x'.repeat(81), 'a\u0007b'])
    await expect(renameWorkspace(database.db, workspaceId, name, actor)).rejects.toThrow(Problem)
  await expect(renameWorkspace(database.db, 'wsp_none', 'Name', actor)).rejects.toThrow('does not exist')
})
