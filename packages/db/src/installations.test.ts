import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { deleteInstallation, findInstallation, saveInstallation } from './installations.ts'
import { checkMasterKey, type MasterKeys, masterKeyOf } from './master-key.ts'
import { rotateMasterKey } from './rotate-master-key.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
const first = masterKeyOf(randomBytes(32))
const second = masterKeyOf(randomBytes(32))
const keys: MasterKeys = { current: first, previous: null }
const place = (externalId: string) => ({ kind: 'slack', externalId }) as const
const save = (externalId: string, token: string, by = keys) =>
  saveInstallation(database.db, by, { ...place(externalId), data: { token } })

beforeAll(async () => {
  await createTestWorkspace(database.db)
  await checkMasterKey(database.db, keys)
})

test('what was stored comes back, the newest where it was stored again, until it is deleted', async () => {
  const { db } = database
  expect(await findInstallation(db, keys, place('T1'))).toBeNull()
  await save('T1', 'xoxb-old')
  await save('T1', 'xoxb-new')
  expect(await findInstallation(db, keys, place('T1'))).toEqual({ token: 'xoxb-new' })
  expect(await deleteInstallation(db, place('T1'))).toBe(true)
  expect(await deleteInstallation(db, place('T1'))).toBe(false)
  expect(await findInstallation(db, keys, place('T1'))).toBeNull()
})

test('a dump of the table has no token, and the bytes of one team do not open as another’s', async () => {
  const { db } = database
  await save('T2', 'xoxb-canary')
  await save('T3', 'xoxb-other')
  const { rows } = await db.pool.query(
    `SELECT i::text AS text, encode(ciphertext, 'escape') AS bytes FROM installations i`,
  )
  for (const { text, bytes } of rows) expect(text + bytes).not.toContain('canary')
  await db.pool.query(
    `UPDATE installations t SET wrapped_key = s.wrapped_key, ciphertext = s.ciphertext FROM installations s
     WHERE t.external_id = 'T3' AND s.external_id = 'T2'`,
  )
  await expect(findInstallation(db, keys, place('T3'))).rejects.toThrow('does not open')
  await deleteInstallation(db, place('T3'))
})

test('a new master key re-wraps them, a batch at a time, and the old key opens and stores nothing any more', async () => {
  const { db } = database
  for (let team = 0; team < 5; team++) await save(`TR${team}`, `xoxb-${team}`)
  const rotated = { current: second, previous: first }
  expect(await rotateMasterKey(db, rotated, { batchRows: 2 })).toEqual({ rewrapped: 6 })
  const alone = { current: second, previous: null }
  for (let team = 0; team < 5; team++)
    expect(await findInstallation(db, alone, place(`TR${team}`))).toEqual({ token: `xoxb-${team}` })
  await expect(findInstallation(db, keys, place('TR0'))).rejects.toThrow('master key')
  await expect(save('TR9', 'xoxb-late')).rejects.toThrow('master key')
})
