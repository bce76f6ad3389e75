import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { checkMasterKey, type MasterKeys, masterKeyOf } from './master-key.ts'
import { openSecretsForCall } from './open-secrets-for-call.ts'
import { expireSecret, findSecret } from './secret-history.ts'
import {
  createScope,
  deleteScope,
  describeScope,
  grantScope,
  listLackingTools,
  listScopes,
  revokeGrant,
} from './secret-scopes.ts'
import { listSecrets, retireSecret, storeSecret } from './secrets.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, raceBehind, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
const keys: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: null }
let workspace: TestWorkspace
let other: TestWorkspace

beforeAll(async () => {
  await checkMasterKey(database.db, keys)
  workspace = await createTestWorkspace(database.db)
  other = await createTestWorkspace(database.db)
})

const actor = () => ({ kind: 'member', id: workspace.members.admin }) as const
const own = () => ({ workspaceId: workspace.workspaceId, actor: actor() })
const create = (name: string, description = '') => createScope(database.db, { ...own(), name, description })
const store = (scope: string, name: string, more: { expiresAt?: Date } = {}) =>
  storeSecret(database.db, keys, { ...own(), scope, name, value: `value of ${name}`, ...more })
const grant = (scopeId: string, agentId = workspace.agentId) => grantScope(database.db, { ...own(), agentId, scopeId })
const revoke = (scopeId: string) => revokeGrant(database.db, { ...own(), agentId: workspace.agentId, scopeId })
const open = async (scope: string) =>
  (await openSecretsForCall(database.db, keys, { ...workspace, scopes: [scope] })).values.size
const scopeNamed = async (name: string) =>
  (await listScopes(database.db, workspace.workspaceId)).find((scope) => scope.name === name)
const idOf = async (name: string) =>
  (await database.db.prisma.secret.findFirstOrThrow({ where: { workspaceId: workspace.workspaceId, name } })).id

test('a scope is made once, under a name that can be one, and described', async () => {
  const scopeId = await create('jira', 'Tickets')
  await expect(create('jira')).rejects.toThrow('There is a scope jira already.')
  await expect(create('no spaces')).rejects.toThrow('cannot be the name of a scope')
  expect(await describeScope(database.db, { ...own(), scopeId, description: 'Tickets of all' })).toBe(true)
  expect(await describeScope(database.db, { ...own(), scopeId, description: 'Tickets of all' })).toBe(false)
  expect(await scopeNamed('jira')).toMatchObject({ description: 'Tickets of all', agents: [], tools: [] })
})

test('a grant gives the agent the scope’s secrets, and revoking it takes them away at once', async () => {
  const scopeId = await create('granted')
  await store('granted', 'granted.token')
  expect(await open('granted')).toBe(0)
  expect(await race(5, () => grant(scopeId))).toEqual(expect.arrayContaining([true, false]))
  expect(await open('granted')).toBe(1)
  expect(await scopeNamed('granted')).toMatchObject({ agents: [{ id: workspace.agentId, grantedBy: 'The admin' }] })
  expect(await revoke(scopeId)).toBe(true)
  expect(await revoke(scopeId)).toBe(false)
  expect(await open('granted')).toBe(0)
})

test('neither another workspace’s scope nor its agent can be granted, described or deleted', async () => {
  const theirs = await createScope(database.db, {
    ...{ workspaceId: other.workspaceId, name: 'theirs', description: '' },
    actor: { kind: 'member', id: other.members.admin },
  })
  const ours = await create('ours')
  await expect(grant(theirs)).rejects.toThrow('no such agent or no such scope')
  await expect(grant(ours, other.agentId)).rejects.toThrow('no such agent or no such scope')
  expect(await describeScope(database.db, { ...own(), scopeId: theirs, description: 'x' })).toBe(false)
  expect(await deleteScope(database.db, { ...own(), scopeId: theirs })).toBe(false)
  expect(await revoke(theirs)).toBe(false)
  expect((await listScopes(database.db, workspace.workspaceId)).map(({ name }) => name)).not.toContain('theirs')
  expect(await grant(ours)).toBe(true)
})

test('a scope with secrets is not deleted and says which; without them it goes with its grants', async () => {
  const scopeId = await create('leaving')
  await store('leaving', 'leaving.one')
  await store('leaving', 'leaving.two')
  await grant(scopeId)
  const remove = () => deleteScope(database.db, { ...own(), scopeId })
  await expect(remove()).rejects.toThrow('The scope leaving still has leaving.one, leaving.two.')
  for (const name of ['leaving.one', 'leaving.two']) await retireSecret(database.db, { ...own(), name })
  expect(await remove()).toBe(true)
  expect(await remove()).toBe(false)
  expect(await scopeNamed('leaving')).toBeUndefined()
  // Made anew, it is another scope: nobody has it.
  await store('leaving', 'leaving.one')
  expect(await open('leaving')).toBe(0)
})

test('a secret that is stored while its scope is deleted is not lost', async () => {
  const scopeId = await create('contested')
  const [deleted, stored] = await raceBehind(
    database.db,
    { sql: 'SELECT 1 FROM secret_scopes WHERE id = $1 FOR UPDATE', id: scopeId, waiting: 2 },
    () => Promise.allSettled([deleteScope(database.db, { ...own(), scopeId }), store('contested', 'contested.token')]),
  )
  expect(stored.status).toBe('fulfilled')
  expect(['fulfilled', 'rejected']).toContain(deleted.status)
  const listed = await listSecrets(database.db, workspace.workspaceId)
  expect(listed.filter(({ name }) => name === 'contested.token')).toMatchObject([{ scope: 'contested' }])
})

test('an expiry is set, moved and taken off; one in the past is refused', async () => {
  await store('dates', 'dates.token')
  const secretId = await idOf('dates.token')
  const expire = (expiresAt: Date | null) => expireSecret(database.db, { ...own(), secretId, expiresAt })
  const soon = new Date(Date.now() + 60_000)
  expect(await expire(soon)).toBe(true)
  expect(await expire(soon)).toBe(false)
  await expect(expire(new Date(Date.now() - 1))).rejects.toThrow('The date is over already.')
  const found = () => findSecret(database.db, { workspaceId: workspace.workspaceId, secretId })
  expect((await found())?.versions[0]?.expiresAt).toEqual(soon)
  expect(await expire(null)).toBe(true)
  expect((await found())?.versions[0]?.expiresAt).toBeNull()
  await retireSecret(database.db, { ...own(), name: 'dates.token' })
  expect(await expire(soon)).toBe(false)
  expect(await found()).toMatchObject({ retired: true })
  const elsewhere = { workspaceId: other.workspaceId, secretId }
  expect(await findSecret(database.db, elsewhere)).toBeNull()
  expect(await expireSecret(database.db, { ...elsewhere, expiresAt: soon, actor: actor() })).toBe(false)
})

test('versions are listed with when they came and went, and no value', async () => {
  await store('history', 'history.token')
  await store('history', 'history.token')
  const found = await findSecret(database.db, {
    workspaceId: workspace.workspaceId,
    secretId: await idOf('history.token'),
  })
  expect(found).toMatchObject({
    scope: { name: 'history' },
    lastUse: null,
    versions: [
      { version: 2, retiredAt: null, keyId: keys.current.id },
      { version: 1, retiredAt: expect.any(Date) },
    ],
  })
  expect(JSON.stringify(found)).not.toContain('value of')
})

test('an attached tool whose scope gives nothing is named with the reason, until it gives something', async () => {
  const toolId = newId('tool')
  await database.db.pool.query(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ($1, $1, '', '{}', $1)`,
    [toolId],
  )
  await database.db.pool.query(
    `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version, required_secret_scopes)
     VALUES ($1, $2, 'manifest', 'read', '1', '{lacking}')`,
    [toolId, workspace.workspaceId],
  )
  await database.db.pool.query('INSERT INTO agent_tools (agent_id, tool_id) VALUES ($1, $2)', [
    workspace.agentId,
    toolId,
  ])
  const reasons = async () =>
    (await listLackingTools(database.db, workspace.workspaceId)).map(({ scope, reason }) => `${scope}: ${reason}`)
  expect(await reasons()).toEqual(['lacking: no_scope'])
  const scopeId = await create('lacking')
  expect(await reasons()).toEqual(['lacking: not_granted'])
  await grant(scopeId)
  expect(await reasons()).toEqual(['lacking: no_secret'])
  await store('lacking', 'lacking.token', { expiresAt: new Date(Date.now() - 1_000) })
  expect(await reasons()).toEqual(['lacking: expired'])
  await store('lacking', 'lacking.token')
  expect(await reasons()).toEqual([])
  expect(await scopeNamed('lacking')).toMatchObject({ tools: [toolId] })
  expect(await listLackingTools(database.db, other.workspaceId)).toEqual([])
})
