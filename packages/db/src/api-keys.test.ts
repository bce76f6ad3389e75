import { beforeAll, expect, test } from 'vitest'
import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import type { Actor } from './audit.ts'
import { newId } from './ids.ts'
import { disableMember } from './members.ts'
import { Problem } from './problem.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace } from './testing-workspace.ts'

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

test('keys are listed the newest first, page by page, of everybody or of one, with how they stand and never whole', async () => {
  const { workspaceId, members } = await createTestWorkspace(database.db)
  const make = (name: string, memberId: string, expiresAt: Date | null = null) =>
    createApiKey(database.db, { workspaceId, memberId, name, scopes: ['runs'], expiresAt, actor })
  const first = await make('first', members.admin)
  await make('second', members.member, new Date(Date.now() - 1_000))
  const third = await make('third', members.member)
  await make('fourth', members.viewer)
  await revokeApiKey(database.db, { workspaceId, keyId: third.id, actor })
  await disableMember(database.db, { workspaceId, memberId: members.viewer, actor })
  const list = (more: object = {}) => listApiKeys(database.db, { workspaceId, ...more })
  const states = (await list()).map(({ name, state }) => `${name}: ${state}`)
  expect(states).toEqual(['fourth: member-disabled', 'third: revoked', 'second: expired', 'first: active'])
  expect((await list({ memberId: members.member })).map(({ name }) => name)).toEqual(['third', 'second'])
  const [newest] = await list({ limit: 1 })
  const after = { at: newest?.createdAt, id: newest?.id }
  expect((await list({ after, limit: 2 })).map(({ name }) => name)).toEqual(['third', 'second'])
  expect(JSON.stringify(await list())).not.toContain(first.key.split('_').at(-1))
  expect(await listApiKeys(database.db, { workspaceId: 'wsp_other' })).toEqual([])

  // Somebody who may end only their own ends no other.
  const own = { workspaceId, keyId: first.id, memberId: members.member, actor }
  expect(await revokeApiKey(database.db, own)).toBe(false)
  expect(await revokeApiKey(database.db, { ...own, memberId: members.admin })).toBe(true)
})
