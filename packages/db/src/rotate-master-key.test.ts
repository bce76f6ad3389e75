import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Actor } from './audit.ts'
import { newId } from './ids.ts'
import { checkMasterKey, type MasterKey, type MasterKeys, masterKeyOf } from './master-key.ts'
import { rotateMasterKey } from './rotate-master-key.ts'
import { readSecret, storeSecret } from './secrets.ts'
import { useTestDatabase } from './testing.ts'
import { raceBehind } from './testing-workspace.ts'

const database = useTestDatabase()
const actor: Actor = { kind: 'system', id: 'test' }
let workspaceId: string
/** The key the database belongs to, and the next one. */
let old: MasterKey
let next: MasterKey

beforeEach(async () => {
  const { pool } = database.db
  await pool.query(`DELETE FROM instance_facts WHERE key = 'master_key'`)
  await pool.query('DELETE FROM secrets')
  workspaceId = newId('wsp')
  await pool.query('INSERT INTO workspaces (id, slug, name) VALUES ($1, $1, $1)', [workspaceId])
  old = masterKeyOf(randomBytes(32))
  next = masterKeyOf(randomBytes(32))
  await checkMasterKey(database.db, only(old))
})

const only = (current: MasterKey): MasterKeys => ({ current, previous: null })
const both = (): MasterKeys => ({ current: next, previous: old })
const store = (name: string, value: string) =>
  storeSecret(database.db, only(old), { workspaceId, scope: 'github', name, value, actor })
const read = async (name: string, key: MasterKey) =>
  (await readSecret(database.db, only(key), { workspaceId, name }))?.value
const change = (name: string, columns: string) =>
  database.db.pool.query(
    `UPDATE secret_versions SET ${columns} WHERE secret_id = (SELECT id FROM secrets WHERE name = $1)`,
    [name],
  )

test('a rotation waits for whoever is just storing a secret with the old key, and re-wraps that too', async () => {
  await store('token', 'before')
  const { rows } = await database.db.pool.query('SELECT id FROM secrets')
  // The one who stores has made sure of its key and stands in line for the name; the rotation comes behind it.
  const lock = { sql: 'SELECT 1 FROM secrets WHERE id = $1 FOR UPDATE', id: rows[0].id, waiting: 2 }
  await raceBehind(database.db, lock, async (untilWaiting) => {
    const storing = store('token', 'after')
    await untilWaiting(1)
    return Promise.all([storing, rotateMasterKey(database.db, both())])
  })
  expect(await read('token', next)).toBe('after')
})

test('several who rotate at once re-wrap every secret once', async () => {
  for (let index = 0; index < 12; index++) await store(`token-${index}`, `value ${index}`)
  const done = await Promise.all(
    Array.from({ length: 4 }, () => rotateMasterKey(database.db, both(), { batchRows: 3 })),
  )
  expect(done.reduce((sum, each) => sum + each.rewrapped, 0)).toBe(12)
  for (let index = 0; index < 12; index++) expect(await read(`token-${index}`, next)).toBe(`value ${index}`)
})

test('a secret that was damaged is named, and keeps no other one from its new key', async () => {
  for (let index = 0; index < 6; index++) await store(`token-${index}`, `value ${index}`)
  await change('token-1', `wrapped_key = '\\x01'`)
  await change('token-4', `wrapped_key = ciphertext`)
  for (let round = 0; round < 2; round++)
    await expect(rotateMasterKey(database.db, both(), { batchRows: 2 })).rejects.toThrow(/token-1.*token-4/)
  for (const index of [0, 2, 3, 5]) expect(await read(`token-${index}`, next)).toBe(`value ${index}`)
  for (const name of ['token-1', 'token-4'])
    await storeSecret(database.db, both(), { workspaceId, scope: 'github', name, value: 'again', actor })
  expect(await rotateMasterKey(database.db, both())).toEqual({ rewrapped: 0 })
  expect(await read('token-1', next)).toBe('again')
})

test('a rotation says so when a key is in use that it does not know', async () => {
  await store('token', 'value')
  await change('token', `key_id = 'another-key'`)
  await expect(rotateMasterKey(database.db, both())).rejects.toThrow('another-key')
})
