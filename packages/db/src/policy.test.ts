import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { listen, type Notice } from './listen.ts'
import { loadPolicy, type PolicyNotice, policyChannel, policyRevision } from './policy.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
})

const sql = (text: string, values: unknown[] = []) =>
  database.db.pool.query(text, [workspace.workspaceId, ...values]).then(({ rows }) => rows)
const load = async () => {
  const policy = await loadPolicy(database.db, workspace.workspaceId)
  if (!policy) throw new Error('expected a policy')
  return policy
}
const addRule = (name: string, position: number, more = '{}', column = 'approval') =>
  sql(
    `INSERT INTO rules (id, workspace_id, name, position, pattern, decision, ${column}) VALUES ($2, $1, $3, $4, 'shell.exec', 'deny', $5)`,
    [newId('rul'), name, position, more],
  )
const publish = (number: number, more: { deny?: string[]; approvers?: unknown } = {}, agentId = workspace.agentId) =>
  sql(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile, autonomy, tools_allow, tools_deny, approvers)
     VALUES ($2, $1, $3, $4, now(), 'coding', 'supervised', '{git.*}', $5, $6)`,
    [newId('ver'), agentId, number, more.deny ?? [], JSON.stringify(more.approvers ?? {})],
  )

describe('reading', () => {
  test('a workspace that wrote nothing has the default profile; one that does not exist has no policy', async () => {
    expect((await load()).config).toMatchObject({ profile: 'messaging', allow: [], deny: [], rules: [], approval: {} })
    expect(await loadPolicy(database.db, 'ws_none')).toBeNull()
  })

  test('every part is there, the rules in their order, and nothing of another workspace', async () => {
    const other = await createTestWorkspace(database.db)
    for (const { workspaceId } of [workspace, other])
      await database.db.pool.query(
        `INSERT INTO policy_settings (workspace_id, profile, allow, deny, providers, hooks, approval)
         VALUES ($1, 'coding', '{git.*}', $2, '{"anthropic": {"deny": ["browser.*"]}}', '[{"pattern": "shell.exec", "hook": "log"}]', '{"required": 2}')`,
        [workspaceId, [workspaceId]],
      )
    await sql(`INSERT INTO profiles (workspace_id, name, tools, reads) VALUES ($1, 'on-call', '{k8s.*}', '{email.*}')`)
    await sql(`INSERT INTO tool_groups (workspace_id, name, tools) VALUES ($1, 'crew', '{k8s.*,group:git}')`)
    await sql(
      `INSERT INTO skills (workspace_id, name, tools, tool_groups) VALUES ($1, 'a', '{file.read}', '{fs}'), ($1, 'b', '{}', '{fs}'), ($1, 'c', '{}', '{}')`,
    )
    await addRule('second', 2, '{"approvers": {"requester": true}, "onExpiry": "escalate", "escalateTo": {}}')
    await addRule('first', 1, '[{"path": "command", "not": {"path": "command", "glob": "git *"}}]', 'conditions')
    const { config } = await load()
    expect(config).toMatchObject({
      profile: 'coding',
      allow: ['git.*'],
      deny: [workspace.workspaceId],
      providers: { anthropic: { deny: ['browser.*'] } },
      hooks: [{ pattern: 'shell.exec', hook: 'log' }],
      approval: { required: 2 },
      profiles: { 'on-call': { tools: ['k8s.*'], reads: ['email.*'] } },
      groups: { crew: { tools: ['k8s.*', 'group:git'] } },
      skills: { a: { tools: ['file.read'] }, b: { toolGroups: ['fs'] }, c: { toolGroups: [] } },
    })
    expect(config.rules.map((rule) => rule.name)).toEqual(['first', 'second'])
    expect(config.rules[0]).toMatchObject({ verdict: 'deny', enabled: true, conditions: [{ path: 'command' }] })
    expect(Object.keys(config.agents)).toEqual([workspace.agentId])
  })

  test('an agent has the layer of its newest published version, and a draft changes nothing', async () => {
    await publish(2, { deny: ['old'] })
    await publish(3, { deny: ['new'], approvers: { roles: ['admin'] } })
    await sql(
      `INSERT INTO agent_versions (id, workspace_id, agent_id, number, tools_allow, tools_deny) VALUES ($2, $1, $3, 4, '{}', '{draft}')`,
      [newId('ver'), workspace.agentId],
    )
    const policy = await load()
    expect(policy.config.agents[workspace.agentId]).toEqual({
      profile: 'coding',
      allow: ['git.*'],
      deny: ['new'],
      approval: { approvers: { roles: ['admin'] } },
    })
    expect(policy.agents.get(workspace.agentId)).toEqual({ autonomy: 'supervised', provider: 'anthropic' })
  })

  test('an agent that nobody published may do nothing, and an archived one keeps its layer', async () => {
    await sql(`INSERT INTO agents (id, workspace_id, slug, name) VALUES ($2, $1, $2, $2)`, ['agent_unpublished'])
    await sql(`UPDATE agents SET archived_at = now() WHERE workspace_id = $1 AND id = $2`, [workspace.agentId])
    const { config } = await load()
    expect(config.agents.agent_unpublished).toEqual({ deny: ['*'] })
    expect(config.agents[workspace.agentId]).toMatchObject({ profile: 'messaging' })
  })

  test.each([
    [
      'rules',
      'conditions',
      '[{"path": "command", "matches": "rm*"}]',
      /The rule "Careful" \(rul_\w+\) cannot be read \(conditions/,
    ],
    ['rules', 'conditions', '[{"path": "command", "equals": 1, "glob": "x"}]', /The rule "Careful"/],
    ['rules', 'conditions', '{}', /The rule "Careful"/],
    ['rules', 'approval', '{"approver": {}}', /The rule "Careful".*approver/],
    ['rules', 'approval', '{"onExpiry": "allow"}', /The rule "Careful"/],
    ['rules', 'approval', '{"onExpiry": "escalate"}', /The rule "Careful".*escalateTo/],
    ['rules', 'must_match', '["ls"]', /The rule "Careful"/],
    ['policy_settings', 'providers', '{"anthropic": {"denied": ["*"]}}', /The policy settings.*anthropic/],
    ['policy_settings', 'hooks', '[{"pattern": "*", "hook": "ask"}]', /The policy settings/],
    ['policy_settings', 'approval', '[]', /The policy settings/],
  ])('%s.%s = %s is an error that names the row, never an ignored rule', async (table, column, value, message) => {
    await sql(`INSERT INTO policy_settings (workspace_id) VALUES ($1)`)
    await addRule('Careful', 0)
    expect((await load()).config.rules).toHaveLength(1)
    await sql(`UPDATE ${table} SET ${column} = $2 WHERE workspace_id = $1`, [value])
    await expect(load()).rejects.toThrow(message)
  })

  test('an agent whose approvers cannot be read, or lists that are missing, are errors too', async () => {
    await publish(2, { approvers: { everybody: true } })
    await expect(load()).rejects.toThrow(`The newest version of the agent ${workspace.agentId}`)
    await publish(3)
    await load()
    const add = (name: string, list: string) =>
      sql(`INSERT INTO profiles (workspace_id, name, tools) VALUES ($1, '${name}', ${list})`)
    await expect(add('none', 'NULL')).rejects.toThrow(/null value/)
    await add('holes', `'{NULL}'`)
    await expect(load()).rejects.toThrow(/The profile "holes"/)
    await sql(`DELETE FROM profiles WHERE workspace_id = $1`)
    const addGroup = (name: string, list: string) =>
      sql(`INSERT INTO tool_groups (workspace_id, name, tools) VALUES ($1, '${name}', ${list})`)
    await expect(addGroup('none', 'NULL')).rejects.toThrow(/null value/)
    await load()
    await addGroup('Two words', `'{}'`)
    await expect(load()).rejects.toThrow(/The group "Two words" cannot be read \(name: Expected small letters/)
  })
})

describe('the revision', () => {
  const changes: [string, () => Promise<unknown>][] = [
    ['settings', () => sql(`INSERT INTO policy_settings (workspace_id, allow, deny) VALUES ($1, '{}', '{}')`)],
    ['a profile', () => sql(`INSERT INTO profiles (workspace_id, name, tools) VALUES ($1, 'x', '{}')`)],
    ['a group', () => sql(`INSERT INTO tool_groups (workspace_id, name, tools) VALUES ($1, 'x', '{}')`)],
    ['a changed group', () => sql(`UPDATE tool_groups SET tools = '{web.*}' WHERE workspace_id = $1`)],
    ['a deleted group', () => sql(`DELETE FROM tool_groups WHERE workspace_id = $1`)],
    ['a skill', () => sql(`INSERT INTO skills (workspace_id, name, tools, tool_groups) VALUES ($1, 'x', '{}', '{}')`)],
    ['a new rule', () => addRule('x', 0)],
    ['a changed rule', () => sql(`UPDATE rules SET enabled = false WHERE workspace_id = $1`)],
    ['a deleted rule', () => sql(`DELETE FROM rules WHERE workspace_id = $1`)],
    ['a published version', () => publish(2)],
    [
      'a new agent',
      () => sql(`INSERT INTO agents (id, workspace_id, slug, name) VALUES ($2, $1, $2, $2)`, [newId('agt')]),
    ],
  ]

  test('grows with every change of the policy, whoever makes it, and only of that workspace', async () => {
    const other = await createTestWorkspace(database.db)
    const untouched = await policyRevision(database.db, other.workspaceId)
    let last = await policyRevision(database.db, workspace.workspaceId)
    for (const [what, change] of changes) {
      await change()
      const revision = await policyRevision(database.db, workspace.workspaceId)
      expect(revision, what).toBeGreaterThan(last)
      expect((await load()).revision, what).toBe(revision)
      last = revision
    }
    expect(await policyRevision(database.db, other.workspaceId)).toBe(untouched)
    expect(await policyRevision(database.db, 'ws_none')).toBe(0)
  })

  test('does not move for a draft', async () => {
    const before = await policyRevision(database.db, workspace.workspaceId)
    await sql(`INSERT INTO agent_versions (id, workspace_id, agent_id, number) VALUES ($2, $1, $3, 9)`, [
      newId('ver'),
      workspace.agentId,
    ])
    expect(await policyRevision(database.db, workspace.workspaceId)).toBe(before)
  })

  test('is told to whoever listens, when the change can be seen', async () => {
    const end = new AbortController()
    const notices: PolicyNotice[] = []
    const heard = new Promise<void>((done) => {
      const onNotice = (notice: Notice) => {
        if (notice.kind !== 'notice') return
        notices.push(JSON.parse(notice.payload))
        done()
      }
      void listen(database.url, [policyChannel], onNotice, { signal: end.signal }).then(() => addRule('heard', 0))
    })
    await heard
    end.abort()
    const revision = await policyRevision(database.db, workspace.workspaceId)
    expect(notices).toEqual([{ workspaceId: workspace.workspaceId, revision }])
  })

  test('counts twenty changes at once as twenty', async () => {
    const before = await policyRevision(database.db, workspace.workspaceId)
    await race(20, (index) => addRule(`rule ${index}`, index))
    expect(await policyRevision(database.db, workspace.workspaceId)).toBe(before + 20)
  })

  test('goes with its workspace', async () => {
    await addRule('x', 0)
    await sql('DELETE FROM workspaces WHERE id = $1')
    expect(await policyRevision(database.db, workspace.workspaceId)).toBe(0)
  })
})
