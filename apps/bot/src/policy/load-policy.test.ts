import { randomBytes } from 'node:crypto'
import {
  attachTool,
  checkMasterKey,
  detachTool,
  listen,
  masterKeyOf,
  policyChannel,
  type RulePart,
  saveRule,
  syncTools,
} from '@quartermaster/db'
import { seedDemo } from '@quartermaster/db/demo'
import { createTestWorkspace, type TestWorkspace, useTestDatabase } from '@quartermaster/db/testing'
import { checkPolicyConfig, fromLynkrSettings } from '@quartermaster/tools'
import { echoTool } from '@quartermaster/tools/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { limits } from '../limits.ts'
import { createPolicies, type Policies } from './load-policy.ts'

const database = useTestDatabase()
const none = { rules: [] }
let workspace: TestWorkspace
let end: AbortController

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
  end = new AbortController()
})
afterEach(() => end.abort())

const rule: RulePart = {
  name: 'No echo',
  pattern: 'sample.echo',
  conditions: [],
  decision: 'deny',
  approval: {},
  mustMatch: [],
  mustNotMatch: [],
  enabled: true,
  note: '',
}
const actor = { kind: 'system', id: 'test' } as const
const deny = () => saveRule(database.db, { workspaceId: workspace.workspaceId, actor, expectedUpdatedAt: null, rule })
const allowEverything = () =>
  database.db.pool
    .query(
      `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
      [`${workspace.agentId}_2`, workspace.workspaceId, workspace.agentId],
    )
    .then(() =>
      database.db.pool.query(`INSERT INTO policy_settings (workspace_id, profile) VALUES ($1, 'full')`, [
        workspace.workspaceId,
      ]),
    )

async function verdict(policies: Policies): Promise<string> {
  const { policy } = await policies.of(workspace.workspaceId, workspace.agentId)
  return policy.decide(echoTool, { text: 'x', times: 1 }, { agent: workspace.agentId }).verdict
}

/** How many statements go to the database during `work`. */
async function statements(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(database.db.pool, 'query')
  await work()
  const { length } = spy.mock.calls
  spy.mockRestore()
  return length
}

describe('a kept policy', () => {
  test('is read once, by however many ask at the same time, and then costs nothing', async () => {
    const policies = createPolicies(database.db, none)
    const ask = () => policies.of(workspace.workspaceId, workspace.agentId)
    expect(await statements(() => Promise.all(Array.from({ length: 20 }, ask)))).toBe(1)
    expect(await statements(ask)).toBe(0)
  })

  test('is dropped when a notice tells of a change, and the next call is decided by the new one', async () => {
    await allowEverything()
    const policies = createPolicies(database.db, none)
    await listen(database.url, [policyChannel], policies.onNotice, { signal: end.signal })
    expect(await verdict(policies)).toBe('allow')
    await deny()
    await vi.waitFor(async () => expect(await verdict(policies)).toBe('deny'), 15_000)
  })

  test('is not believed for long where notices do not come', async () => {
    await allowEverything()
    let time = 0
    const policies = createPolicies(database.db, none, () => time)
    expect(await verdict(policies)).toBe('allow')
    await deny()
    time += limits.policyCheckMs
    expect(await verdict(policies)).toBe('deny')
    // And where nothing changed, the look is one small read.
    time += limits.policyCheckMs
    expect(await statements(() => verdict(policies))).toBe(1)
    expect(await statements(() => verdict(policies))).toBe(0)
  })

  test('is dropped after a break of the connection', async () => {
    await allowEverything()
    const policies = createPolicies(database.db, none)
    expect(await verdict(policies)).toBe('allow')
    await deny()
    policies.onNotice({ kind: 'gap' })
    expect(await verdict(policies)).toBe('deny')
  })

  test('that changes while it is being read is read again', async () => {
    await allowEverything()
    const policies = createPolicies(database.db, none)
    const query = database.db.pool.query.bind(database.db.pool)
    let first = true
    const spy = vi.spyOn(database.db.pool, 'query').mockImplementation((async (...args: never[]) => {
      const result = await (query as (...args: never[]) => Promise<unknown>)(...args)
      if (first) {
        first = false
        await deny()
        const { rows } = await query('SELECT revision FROM policy_revisions WHERE workspace_id = $1', [
          workspace.workspaceId,
        ])
        const payload = JSON.stringify({ workspaceId: workspace.workspaceId, revision: Number(rows[0].revision) })
        policies.onNotice({ kind: 'notice', channel: policyChannel, payload })
      }
      return result
    }) as never)
    expect(await verdict(policies)).toBe('deny')
    spy.mockRestore()
    expect(await verdict(policies)).toBe('deny')
  })

  test('of another workspace stays', async () => {
    const other = await createTestWorkspace(database.db)
    const policies = createPolicies(database.db, none)
    const ask = () => policies.of(other.workspaceId, other.agentId)
    await ask()
    await verdict(policies)
    policies.onNotice({
      kind: 'notice',
      channel: policyChannel,
      payload: JSON.stringify({ workspaceId: workspace.workspaceId, revision: 1_000 }),
    })
    expect(await statements(ask)).toBe(0)
    expect(await statements(() => verdict(policies))).toBe(1)
  })
})

test('what is attached is kept with the policy, and a change of it counts from the next call on', async () => {
  const { db } = database
  const echo = {
    ...{ name: 'sample.echo', title: 'Echo', description: '', category: 'sample', inputSchema: {}, version: '1' },
    effect: 'read' as const,
  }
  await syncTools(db, [echo])
  const policies = createPolicies(db, none)
  await listen(database.url, [policyChannel], policies.onNotice, { signal: end.signal })
  const attached = async () => {
    const { attachmentsOf } = await policies.of(workspace.workspaceId, workspace.agentId)
    const found = await attachmentsOf(workspace.agentId)
    return found && { attached: [...found.attached.keys()], unavailable: found.unavailable.map(({ name }) => name) }
  }
  expect(await attached()).toBeNull()
  expect(await statements(attached)).toBe(0)
  const tool = { workspaceId: workspace.workspaceId, agentId: workspace.agentId, toolId: 'sample.echo', actor }
  await attachTool(db, { ...tool, validate: () => [] })
  await vi.waitFor(async () => expect(await attached()).toEqual({ attached: ['sample.echo'], unavailable: [] }), 15_000)
  // Its handler is gone at the next start of some bot.
  await syncTools(db, [])
  await vi.waitFor(async () => expect(await attached()).toEqual({ attached: [], unavailable: ['sample.echo'] }), 15_000)
  expect(await statements(attached)).toBe(0)
  await detachTool(db, tool)
  await vi.waitFor(async () => expect(await attached()).toBeNull(), 15_000)
})

describe('nothing is allowed', () => {
  test('to an agent that the workspace does not have, and one that was just made is found', async () => {
    const policies = createPolicies(database.db, none)
    const other = await createTestWorkspace(database.db)
    await verdict(policies)
    await expect(policies.of(workspace.workspaceId, other.agentId)).rejects.toThrow(/not one of this workspace/)
    await expect(policies.of(workspace.workspaceId, '__proto__')).rejects.toThrow(/not one of this workspace/)
    await expect(policies.of('ws_none', other.agentId)).rejects.toThrow(/no such workspace/)
    await database.db.pool.query(`INSERT INTO agents (id, workspace_id, slug, name) VALUES ('young', $1, 'y', 'y')`, [
      workspace.workspaceId,
    ])
    const { policy } = await policies.of(workspace.workspaceId, 'young')
    // Nobody published it yet.
    expect(policy.decide(echoTool, {}, { agent: 'young' }).verdict).toBe('deny')
  })

  test('under a policy that cannot be read or used, until it is set right', async () => {
    await allowEverything()
    const policies = createPolicies(database.db, none)
    const set = (profile: string) =>
      database.db.pool.query('UPDATE policy_settings SET profile = $2 WHERE workspace_id = $1', [
        workspace.workspaceId,
        profile,
      ])
    await set('made-up')
    await expect(verdict(policies)).rejects.toThrow(/policy cannot be used.*made-up/s)
    await set('full')
    await database.db.pool.query(`UPDATE policy_settings SET hooks = '[{"hook": "log"}]' WHERE workspace_id = $1`, [
      workspace.workspaceId,
    ])
    await expect(verdict(policies)).rejects.toThrow(/The policy settings cannot be read/)
    await database.db.pool.query(`UPDATE policy_settings SET hooks = '[]' WHERE workspace_id = $1`, [
      workspace.workspaceId,
    ])
    expect(await verdict(policies)).toBe('allow')
  })

  test('by a workspace that the installation forbids', async () => {
    await allowEverything()
    await saveRule(database.db, {
      workspaceId: workspace.workspaceId,
      actor,
      expectedUpdatedAt: null,
      rule: { ...rule, name: 'Push away', pattern: 'shell.exec', decision: 'allow' },
    })
    const policies = createPolicies(database.db, fromLynkrSettings({ POLICY_GIT_ALLOW_PUSH: 'false' }))
    const { policy } = await policies.of(workspace.workspaceId, workspace.agentId)
    const shell = { ...echoTool, name: 'shell.exec', effect: 'execute' } as const
    const decide = (command: string) => policy.decide(shell, { command }, { agent: workspace.agentId }).verdict
    expect(decide('git push origin main')).toBe('deny')
    expect(decide('git status')).toBe('allow')
  })
})

test('what the database stores is what the policy understands, part by part', async () => {
  const { db } = database
  const full: RulePart = {
    ...rule,
    name: 'Everything at once',
    conditions: [
      { path: 'a', equals: { deep: [1, null] } },
      { path: 'b', oneOf: ['x', 1] },
      { path: 'c', glob: 'a*' },
      { path: 'd', command: 'git status*' },
      { path: 'e', host: ['*.example.com'] },
      { path: 'f', under: ['/srv'] },
      { path: 'g', max: 3 },
      { path: 'h', present: true },
      { path: 'i', not: { path: 'i', equals: 1 } },
    ],
    decision: 'ask',
    approval: {
      approvers: { requester: true, roles: ['approver'], memberIds: ['m'], allOf: [{ notRequester: true }] },
      required: 2,
      expiresInMs: 60_000,
      onExpiry: 'escalate',
      escalateTo: { roles: ['owner'] },
      lease: { maxUses: 3, durationMs: 60_000 },
      mayEdit: false,
    },
  }
  expect(
    await saveRule(db, { workspaceId: workspace.workspaceId, actor, expectedUpdatedAt: null, rule: full }),
  ).toMatchObject({ ok: true })
  await db.pool.query(
    `INSERT INTO policy_settings (workspace_id, providers, hooks, approval) VALUES ($1, '{"anthropic": {"profile": "mine", "allow": ["*"]}}',
     '[{"pattern": "group:fs", "hook": "confirm", "insist": true, "conditions": [{"path": "p", "present": true}]}]', '{"lease": false}')`,
    [workspace.workspaceId],
  )
  await db.pool.query(`INSERT INTO profiles (workspace_id, name, tools) VALUES ($1, 'mine', '{file.*}')`, [
    workspace.workspaceId,
  ])
  await db.pool.query(`INSERT INTO skills (workspace_id, name, tool_groups) VALUES ($1, 'skill', '{fs}')`, [
    workspace.workspaceId,
  ])
  await db.pool.query(
    `INSERT INTO tool_groups (workspace_id, name, description, tools) VALUES ($1, 'crew', 'Ours', '{file.*,Bash,group:git}')`,
    [workspace.workspaceId],
  )
  await db.pool.query(`UPDATE policy_settings SET profile = 'full', deny = '{group:crew}' WHERE workspace_id = $1`, [
    workspace.workspaceId,
  ])
  const { policy } = await createPolicies(db, none).of(workspace.workspaceId, workspace.agentId)
  expect(policy.config.rules).toHaveLength(1)
  // A group that was made in the console is denied by the bot as well.
  for (const name of ['file.read', 'shell.exec', 'git.commit']) expect(policy.isAllowed(name, [name])).toBe(false)
  expect(policy.isAllowed('web.fetch', ['web.fetch'])).toBe(true)
})

test('a rule whose examples do not hold is not saved, and nothing of it stays', async () => {
  const save = (mustNotMatch: RulePart['mustNotMatch']) =>
    saveRule(database.db, {
      workspaceId: workspace.workspaceId,
      actor,
      expectedUpdatedAt: null,
      rule: { ...rule, conditions: [{ path: 'text', glob: 'a*' }], mustNotMatch },
      check: ({ config }) => checkPolicyConfig(config).map(({ path, message }) => `${path}: ${message}`),
    })
  expect(await save([{ arguments: { text: 'abc' } }])).toMatchObject({ ok: false, reason: 'invalid' })
  expect(await save([{ arguments: { text: 'bcd' } }])).toMatchObject({ ok: true })
})

test('the demo workspace has a policy that can be used', async () => {
  const { db } = database
  const keys = { current: masterKeyOf(randomBytes(32)), previous: null }
  await db.pool.query(
    `WITH login AS (INSERT INTO logins (id, email, name, password_hash) VALUES ('log_1', 'ada@example.com', 'Ada', '') RETURNING id)
     INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id) SELECT 'idn_1', $1, $2, 'console', id, id FROM login`,
    [workspace.workspaceId, workspace.members.owner],
  )
  await checkMasterKey(db, keys)
  const { workspaceId } = await seedDemo(db, keys)
  const { rows } = await db.pool.query('SELECT id FROM agents WHERE workspace_id = $1', [workspaceId])
  const policies = createPolicies(db, none)
  for (const { id } of rows) expect((await policies.of(workspaceId, id)).policy.config.rules).toHaveLength(6)
})
