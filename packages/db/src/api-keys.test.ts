import { beforeAll, expect, test } from 'vitest'
import { createApiKey, findApiKey, revokeApiKey } from './api-keys.ts'
import type { Actor } from './audit.ts'
import { newId } from './ids.ts'
import { disableMember } from './members.ts'
import { Problem } from './problem.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
const actor: Actor = { kind: 'system', id: 'test' }
const workspaceId = newId('wsp')
const [owner, member] = [newId('mem'), newId('mem')]
beforeAll(async () => {
  await database.db.pool.query(`INSERT INTO workspaces (id, slug, name) VALUES ($1, 'house', 'House')`, [workspaceId])
  await database.db.pool.query(
    `INSERT INTO members (id, workspace_id, name, role) VALUES ($2, $1, 'Ada', 'owner'), ($3, $1, 'Ben', 'member')`,
    [workspaceId, owner, member],
  )
})
const create = (more: { memberId?: string; expiresAt?: Date; name?: string } = {}) =>
  createApiKey(database.db, { workspaceId, memberId: owner, name: 'CI', scopes: ['runs:read'], actor, ...more })

test('a key finds its member and role, and the database holds no key', async () => {
  const { id, key, prefix } = await create()
  expect(key.startsWith(`${prefix}_`)).toBe(true)
  expect(await findApiKey(database.db, key)).toEqual({
    id,
    workspaceId,
    memberId: owner,
    role: 'owner',
    name: 'CI',
    scopes: ['runs:read'],
  })
  const tables = await database.db.pool.query(
    'SELECT k::text AS text FROM api_keys k UNION ALL SELECT a::text FROM audit_events a',
  )
  for (const row of tables.rows) expect(row.text).not.toContain(key.slice(prefix.length + 1))
  for (const wrong of [prefix, `${key}x`, '', key.toUpperCase()])
    expect(await findApiKey(database.db, wrong)).toBeNull()
})

test('a key ends when it is revoked, over, or its member is disabled', async () => {
  const revoked = await create()
  expect(await revokeApiKey(database.db, { workspaceId: 'wsp_other', keyId: revoked.id, actor })).toBe(false)
  expect(await findApiKey(database.db, revoked.key)).not.toBeNull()
  expect(await revokeApiKey(database.db, { workspaceId, keyId: revoked.id, actor })).toBe(true)
  expect(await revokeApiKey(database.db, { workspaceId, keyId: revoked.id, actor })).toBe(false)
  expect(await findApiKey(database.db, revoked.key)).toBeNull()

  const over = await create({ expiresAt: new Date(Date.now() - 1000) })
  expect(await findApiKey(database.db, over.key)).toBeNull()
  const notYet = await create({ expiresAt: new Date(Date.now() + 60_000) })
  expect(await findApiKey(database.db, notYet.key)).not.toBeNull()

  const of = await create({ memberId: member })
  expect(await findApiKey(database.db, of.key)).toMatchObject({ role: 'member' })
  await disableMember(database.db, { workspaceId, memberId: member, actor })
  expect(await findApiKey(database.db, of.key)).toBeNull()
  await expect(create({ memberId: member })).rejects.toThrow(Problem)
  await expect(create({ name: ' ' })).rejects.toThrow(Problem)
})

test('making and revoking are recorded', async () => {
  const { rows } = await database.db.pool.query('SELECT action FROM audit_events ORDER BY number')
  const actions = rows.map((row) => row.action)
  expect(actions.filter((action) => action === 'api-key.create')).toHaveLength(5)
  expect(actions.filter((action) => action === 'api-key.revoke')).toHaveLength(1)
})
