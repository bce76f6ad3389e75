import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { checkMasterKey, type MasterKeys, masterKeyOf } from './master-key.ts'
import { openSecretsForCall } from './open-secrets-for-call.ts'
import { retireSecret, storeSecret } from './secrets.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
const keys: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: null }
const actor = { kind: 'system', id: 'test' } as const
let workspace: TestWorkspace
let other: TestWorkspace

beforeAll(async () => {
  await checkMasterKey(database.db, keys)
  workspace = await createTestWorkspace(database.db)
  other = await createTestWorkspace(database.db)
})

const store = (scope: string, name: string, value: string, more: { workspaceId?: string; expiresAt?: Date } = {}) =>
  storeSecret(database.db, keys, { workspaceId: workspace.workspaceId, scope, name, value, actor, ...more })

async function grant(scope: string, whose: TestWorkspace = workspace) {
  await database.db.pool.query(
    `INSERT INTO grants (workspace_id, agent_id, scope_id, granted_by) SELECT $1, $2, id, $3 FROM secret_scopes
     WHERE workspace_id = $1 AND name = $4`,
    [whose.workspaceId, whose.agentId, whose.members.owner, scope],
  )
}

const open = (scopes: string[], whose: { workspaceId: string; agentId: string } = workspace) =>
  openSecretsForCall(database.db, keys, { workspaceId: whose.workspaceId, agentId: whose.agentId, scopes })
const opened = async (...args: Parameters<typeof open>) => Object.fromEntries((await open(...args)).values)

test('a call gets every secret of its granted scopes, in their newest version, and no others', async () => {
  await store('github', 'github.token', 'old')
  await store('github', 'github.token', 'hunter2')
  await store('github', 'github.user', 'ada')
  await store('mail', 'mail.password', 'secret')
  await grant('github')
  await grant('mail')
  expect(await open(['github', 'github'])).toEqual({
    values: new Map([
      ['github.token', 'hunter2'],
      ['github.user', 'ada'],
    ]),
    missing: [],
  })
  expect(await opened(['github', 'mail'])).toMatchObject({ 'mail.password': 'secret' })
  expect(await open([])).toEqual({ values: new Map(), missing: [] })
})

test('a scope that the agent was not granted, or that does not exist, gives nothing and is named', async () => {
  await store('aws', 'aws.key', 'canary')
  expect(await open(['aws', 'nothing'])).toEqual({
    values: new Map(),
    missing: [
      { scope: 'aws', reason: 'not_granted' },
      { scope: 'nothing', reason: 'not_granted' },
    ],
  })
  await grant('aws')
  expect(await opened(['aws'])).toEqual({ 'aws.key': 'canary' })
})

test('what is granted to one agent is not granted to another of the workspace', async () => {
  await database.db.pool.query('INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $1)', [
    'agent_second',
    workspace.workspaceId,
  ])
  const second = { workspaceId: workspace.workspaceId, agentId: 'agent_second' }
  expect(await open(['github'], second)).toMatchObject({ missing: [{ scope: 'github', reason: 'not_granted' }] })
})

test('an expired secret is not opened; another one of its scope is', async () => {
  await store('dated', 'dated.old', 'canary', { expiresAt: new Date(Date.now() - 1_000) })
  await grant('dated')
  expect(await open(['dated'])).toEqual({ values: new Map(), missing: [{ scope: 'dated', reason: 'expired' }] })
  await store('dated', 'dated.new', 'fresh', { expiresAt: new Date(Date.now() + 60_000) })
  expect(await open(['dated'])).toEqual({ values: new Map([['dated.new', 'fresh']]), missing: [] })
})

test('a retired secret is not opened, and a scope without secrets says so', async () => {
  await store('retired', 'retired.token', 'canary')
  await grant('retired')
  expect(await opened(['retired'])).toEqual({ 'retired.token': 'canary' })
  await retireSecret(database.db, { workspaceId: workspace.workspaceId, name: 'retired.token', actor })
  expect(await open(['retired'])).toEqual({ values: new Map(), missing: [{ scope: 'retired', reason: 'no_secret' }] })
})

test('a deleted secret is not opened, even if its bytes are still there', async () => {
  await store('deleted', 'deleted.token', 'canary')
  await grant('deleted')
  await database.db.pool.query(`UPDATE secrets SET deleted_at = now() WHERE name = 'deleted.token'`)
  expect(await open(['deleted'])).toMatchObject({ missing: [{ reason: 'no_secret' }] })
})

test('another workspace’s secrets are not opened, whatever the scope and the agent are called', async () => {
  await store('shared-name', 'canary.token', 'canary', { workspaceId: other.workspaceId })
  await grant('shared-name', other)
  const missing = [{ scope: 'shared-name', reason: 'not_granted' }]
  expect(await open(['shared-name'])).toMatchObject({ missing })
  expect(await open(['shared-name'], { ...workspace, workspaceId: other.workspaceId })).toMatchObject({ missing })
  expect(await open(['shared-name'], { ...workspace, agentId: other.agentId })).toMatchObject({ missing })
  expect(await opened(['shared-name'], other)).toEqual({ 'canary.token': 'canary' })
})

test('an archived agent gets nothing', async () => {
  await store('once', 'once.token', 'canary', { workspaceId: other.workspaceId })
  await grant('once', other)
  expect(await opened(['once'], other)).toEqual({ 'once.token': 'canary' })
  await database.db.pool.query('UPDATE agents SET archived_at = now() WHERE id = $1', [other.agentId])
  expect(await open(['once'], other)).toMatchObject({ missing: [{ scope: 'once', reason: 'not_granted' }] })
})

test('bytes that were moved here from another secret do not open', async () => {
  await store('moved', 'moved.one', 'canary-1')
  await store('moved', 'moved.two', 'canary-2')
  await grant('moved')
  await database.db.pool.query(
    `UPDATE secret_versions v SET wrapped_key = f.wrapped_key, ciphertext = f.ciphertext
     FROM secrets s, secret_versions f, secrets t
     WHERE v.secret_id = s.id AND s.name = 'moved.one' AND f.secret_id = t.id AND t.name = 'moved.two'`,
  )
  const failure: Error = await open(['moved']).then(
    () => expect.unreachable(),
    (error) => error,
  )
  expect(failure.message).toMatch(/"moved.one" does not open/)
  expect(failure.message).not.toContain('canary')
})

test('the use of a secret is remembered, without calls waiting for each other and without a write for each', async () => {
  await store('used', 'used.token', 'value')
  await store('used', 'used.expired', 'value', { expiresAt: new Date(0) })
  await grant('used')
  const read = async (name: string) =>
    (await database.db.prisma.secret.findFirstOrThrow({ where: { name, workspaceId: workspace.workspaceId } }))
      .lastUsedAt
  expect(await read('used.token')).toBeNull()
  const holder = await database.db.pool.connect()
  await holder.query('BEGIN')
  await holder.query(`SELECT 1 FROM secrets WHERE name = 'used.token' FOR NO KEY UPDATE`)
  expect(await opened(['used'])).toEqual({ 'used.token': 'value' })
  await holder.query('ROLLBACK')
  holder.release()
  await race(20, () => open(['used']))
  const first = await read('used.token')
  expect(Date.now() - first!.getTime()).toBeLessThan(10_000)
  await race(20, () => open(['used']))
  expect(await read('used.token')).toEqual(first)
  expect(await read('used.expired')).toBeNull()
})

test('who used a secret last, with which tool and in which run, is remembered with the minute', async () => {
  await store('whose', 'whose.token', 'value')
  await grant('whose')
  const openFor = (toolName: string, runId: string) =>
    openSecretsForCall(database.db, keys, { ...workspace, scopes: ['whose'], use: { toolName, runId } })
  await openFor('http.request', 'run_1')
  const read = () => database.db.prisma.secret.findFirstOrThrow({ where: { name: 'whose.token' } })
  expect(await read()).toMatchObject({
    lastUsedBy: workspace.agentId,
    lastUsedFor: 'http.request',
    lastUsedIn: 'run_1',
  })
  await openFor('git.push', 'run_2')
  expect(await read()).toMatchObject({ lastUsedFor: 'http.request', lastUsedIn: 'run_1' })
  await database.db.pool.query(
    `UPDATE secrets SET last_used_at = now() - interval '2 minutes' WHERE name = 'whose.token'`,
  )
  await openFor('git.push', 'run_2')
  expect(await read()).toMatchObject({ lastUsedFor: 'git.push', lastUsedIn: 'run_2' })
})
