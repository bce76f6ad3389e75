import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AgentConfiguration } from './agent-configuration.ts'
import { attachInDraft, detachInDraft, discardDraft, saveDraft } from './agent-drafts.ts'
import type { SeenAgent } from './agent-state.ts'
import { archiveAgent, createAgent, renameAgent, restoreAgent } from './agents.ts'
import { attachTool, detachTool, loadAttachments } from './attachments.ts'
import { verifyAudit } from './audit.ts'
import { diffConfigurations } from './diff-configurations.ts'
import { loadPolicy } from './policy.ts'
import { publishDraft, rollBack } from './publish-agent.ts'
import { listAgents, listAgentVersions, readAgent, readAgentVersion } from './read-agents.ts'
import { saveProfile } from './save-policy.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, raceBehind, say, type TestWorkspace } from './testing-workspace.ts'
import { syncTools, type ToolDefinition } from './tools.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let other: TestWorkspace

const define = (name: string): ToolDefinition => ({
  ...{ name, title: name, description: '', category: 'test', version: 'v1', effect: 'read' },
  ...{ inputSchema: { type: 'object' }, configSchema: { type: 'object' }, aliases: [`${name}_alias`] },
})
const tools = ['file.read', 'file.write', 'web.fetch'].map(define)

beforeAll(async () => {
  other = await createTestWorkspace(database.db)
})
beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
  await syncTools(database.db, tools)
})

const admin = () => ({
  workspaceId: workspace.workspaceId,
  agentId: workspace.agentId,
  actor: { kind: 'member', id: workspace.members.admin } as const,
})
const validate = () => []
const read = async () => (await readAgent(database.db, workspace))!
const seenNow = async () => (await read()).seen
const save = async (change: Partial<AgentConfiguration>, seen?: SeenAgent) =>
  saveDraft(database.db, { ...admin(), change, seen: seen ?? (await seenNow()), validate })
const publish = async (note = '', seen?: SeenAgent) =>
  publishDraft(database.db, { ...admin(), note, seen: seen ?? (await seenNow()) })
const goBack = async (to: number, seen?: SeenAgent) =>
  rollBack(database.db, { ...admin(), to, note: '', seen: seen ?? (await seenNow()) })
const attach = (toolId: string, config: Record<string, unknown> | null = null) =>
  attachTool(database.db, { ...admin(), toolId, config, validate })
const attachedNow = async () => [...((await loadAttachments(database.db, workspace.agentId))?.attached.keys() ?? [])]
const audits = async () =>
  (
    await database.db.prisma.auditEvent.findMany({
      where: { workspaceId: workspace.workspaceId },
      orderBy: { number: 'asc' },
    })
  ).map(({ action, actorId, data }) => ({ action, actorId, data }))

describe('a draft', () => {
  test('changes nothing that holds until it is published, and then all of it at once, with who and why', async () => {
    await save({ instructions: 'Be brief.', profile: 'coding', toolsDeny: ['browser.*'] })
    await attachInDraft(database.db, { ...admin(), toolId: 'file.read_alias', config: { max: 3 }, validate })
    const layer = async () => (await loadPolicy(database.db, workspace.workspaceId))?.config.agents[workspace.agentId]
    expect(await layer()).toMatchObject({ profile: 'messaging', deny: [] })
    expect(await attachedNow()).toEqual([])
    expect((await read()).published).toMatchObject({ number: 1, configuration: { instructions: '' } })

    expect(await publish(' Works in the repositories. ')).toEqual({ ok: true, number: 2 })
    expect(await layer()).toMatchObject({ profile: 'coding', deny: ['browser.*'] })
    expect((await loadAttachments(database.db, workspace.agentId))?.attached.get('file.read')).toEqual({ max: 3 })
    const now = await read()
    expect(now).toMatchObject({
      draft: null,
      published: {
        number: 2,
        note: 'Works in the repositories.',
        publishedBy: { id: workspace.members.admin, name: 'The admin' },
        configuration: { instructions: 'Be brief.', attachments: [{ toolId: 'file.read', config: { max: 3 } }] },
      },
    })
    expect(await audits()).toMatchObject([
      { action: 'agent.save-draft', data: { changed: ['instructions', 'profile', 'toolsDeny'] } },
      { action: 'agent.save-draft', data: { attached: ['file.read'] } },
      {
        action: 'agent.publish',
        actorId: workspace.members.admin,
        data: { version: 2, note: 'Works in the repositories.', attached: ['file.read'] },
      },
    ])
    expect(await verifyAudit(database.db, workspace.workspaceId)).toMatchObject({ ok: true })
  })

  test('that says what holds anyway is none, and one that is discarded is gone', async () => {
    expect(await save({ model: 'deep' })).toMatchObject({ ok: true, draft: true })
    expect(await save({ model: 'balanced' })).toMatchObject({ ok: true, draft: false })
    expect((await read()).draft).toBeNull()
    await save({ model: 'deep' })
    expect(await discardDraft(database.db, { ...admin(), seen: await seenNow() })).toMatchObject({ ok: true })
    expect(await read()).toMatchObject({ draft: null, published: { configuration: { model: 'balanced' } } })
    expect(await publish()).toEqual({ ok: false, reason: 'unchanged' })
    expect((await audits()).map(({ action }) => action)).toContain('agent.discard-draft')
  })

  test.each<[string, Partial<AgentConfiguration>, string]>([
    ['a model with a space', { model: 'claude opus' }, 'model'],
    ['no model', { model: '' }, 'model'],
    ['a pattern that is empty', { toolsDeny: [''] }, 'toolsDeny.0'],
    ['a budget of nothing', { budgets: { perRunUsd: 0 } }, 'budgets.perRunUsd'],
    ['half a step', { budgets: { maxSteps: 1.5 } }, 'budgets.maxSteps'],
    ['more approvals than twenty', { approvalsRequired: 21 }, 'approvalsRequired'],
    ['an approver who is nobody', { approvers: { memberIds: ['mem_none'] } }, 'approvers'],
    ['a tool that is not there', { attachments: [{ toolId: 'no.tool', config: null }] }, 'attachments'],
    ['a character that Postgres would change', { instructions: 'a\0b' }, 'instructions'],
  ])('is not written with %s', async (_what, change, path) => {
    expect(await save(change)).toMatchObject({ ok: false, reason: 'invalid', problems: [{ path }] })
    expect((await read()).draft).toBeNull()
    expect(await audits()).toEqual([])
  })

  test('does not name a member or a tool of another workspace, and its own it does', async () => {
    const { db } = database
    await db.pool.query(
      `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ($1, $1, '', '{}', 'x')`,
      ['their.tool'],
    )
    await db.pool.query(
      `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version) VALUES ('their.tool', $1, 'mcp', 'read', 'v')`,
      [other.workspaceId],
    )
    expect(await save({ approvers: { memberIds: [other.members.admin] } })).toMatchObject({ reason: 'invalid' })
    expect(await save({ attachments: [{ toolId: 'their.tool', config: null }] })).toMatchObject({ reason: 'invalid' })
    expect(await attachInDraft(db, { ...admin(), toolId: 'their.tool', validate })).toMatchObject({ reason: 'invalid' })
    expect(await save({ approvers: { memberIds: [workspace.members.viewer] } })).toMatchObject({ ok: true })
  })

  test('asks the tool about its configuration, and takes nothing that it refuses', async () => {
    const refusing = (name: string) => [`${name} wants a number`]
    const call = { ...admin(), toolId: 'web.fetch', config: { max: 'x' }, validate: refusing }
    expect(await attachInDraft(database.db, call)).toEqual({
      ok: false,
      reason: 'invalid',
      problems: [{ path: 'attachments', message: 'web.fetch: web.fetch wants a number' }],
    })
  })

  test('keeps a tool that became unavailable, and takes no other one that is', async () => {
    await attach('file.read')
    await database.db.pool.query(`UPDATE tool_details SET disabled_at = now() WHERE tool_id <> 'web.fetch'`)
    expect(await attachInDraft(database.db, { ...admin(), toolId: 'file.write', validate })).toMatchObject({
      problems: [{ message: 'file.write cannot be attached: it is switched off.' }],
    })
    expect(await attachInDraft(database.db, { ...admin(), toolId: 'web.fetch', validate })).toMatchObject({ ok: true })
    expect(await publish()).toMatchObject({ ok: true })
    expect((await loadAttachments(database.db, workspace.agentId))?.unavailable).toMatchObject([{ name: 'file.read' }])
    await database.db.pool.query('UPDATE tool_details SET disabled_at = NULL')
  })
})

describe('two people at once', () => {
  test('whoever saw an older state overwrites nothing and publishes nothing, and learns the newer one', async () => {
    const before = await seenNow()
    await save({ model: 'deep' })
    const now = await seenNow()
    expect(await save({ model: 'fast' }, before)).toEqual({ ok: false, reason: 'changed', seen: now })
    expect(await publish('', before)).toEqual({ ok: false, reason: 'changed', seen: now })
    expect(await goBack(1, before)).toEqual({ ok: false, reason: 'changed', seen: now })
    expect(await discardDraft(database.db, { ...admin(), seen: before })).toMatchObject({ reason: 'changed' })
    expect((await read()).draft?.configuration.model).toBe('deep')
    expect(await publish('', now)).toEqual({ ok: true, number: 2 })
    // The draft that they saw is published: there is nothing left of that state.
    expect(await save({ model: 'fast' }, now)).toMatchObject({ reason: 'changed', seen: { version: 2 } })
  })

  test('of ten who save the same state, and of ten who publish it, one wins', async () => {
    const lock = { sql: 'SELECT 1 FROM agents WHERE id = $1 FOR UPDATE', id: workspace.agentId, waiting: 10 }
    const seen = await seenNow()
    const saved = await raceBehind(database.db, lock, () =>
      race(10, (index) => save({ instructions: `by ${index}` }, seen)),
    )
    expect(saved.filter(({ ok }) => ok)).toHaveLength(1)
    const draft = await seenNow()
    const atWorkspace = { ...lock, sql: 'SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE', id: workspace.workspaceId }
    const published = await raceBehind(database.db, atWorkspace, () => race(10, () => publish('', draft)))
    expect(published.filter(({ ok }) => ok)).toEqual([{ ok: true, number: 2 }])
    for (const result of published) if (!result.ok) expect(result.reason).toBe('changed')
    expect((await audits()).filter(({ action }) => action === 'agent.publish')).toHaveLength(1)
  })

  test('tools that are attached to one draft at the same time are all in it', async () => {
    const results = await race(6, (index) =>
      attachInDraft(database.db, { ...admin(), toolId: tools[index % 3]!.name, validate }),
    )
    expect(results.every(({ ok }) => ok)).toBe(true)
    expect((await read()).draft?.configuration.attachments.map(({ toolId }) => toolId)).toEqual(
      tools.map((t) => t.name),
    )
    await detachInDraft(database.db, { ...admin(), toolId: 'file.write' })
    expect((await read()).draft?.configuration.attachments.map(({ toolId }) => toolId)).toEqual([
      'file.read',
      'web.fetch',
    ])
  })
})

describe('what is attached at once', () => {
  test('is a version of its own, and going back takes it away again', async () => {
    await attach('file.read', { max: 1 })
    await attach('web.fetch')
    await detachTool(database.db, { ...admin(), toolId: 'file.read_alias' })
    const versions = await listAgentVersions(database.db, workspace)
    expect(
      versions.map(({ number, note, configuration }) => [number, note, configuration.attachments.map((a) => a.toolId)]),
    ).toEqual([
      [4, 'Detached file.read.', ['web.fetch']],
      [3, 'Attached web.fetch.', ['file.read', 'web.fetch']],
      [2, 'Attached file.read.', ['file.read']],
      [1, '', []],
    ])
    expect(versions[0]?.publishedBy?.id).toBe(workspace.members.admin)
    expect((await audits()).at(-1)).toMatchObject({ action: 'tool.detach', data: { agentVersion: 4 } })

    expect(await goBack(2)).toEqual({ ok: true, number: 5 })
    expect((await loadAttachments(database.db, workspace.agentId))?.attached).toEqual(
      new Map([['file.read', { max: 1 }]]),
    )
  })

  test('is done to the draft too, so that publishing the draft does not undo it', async () => {
    await attach('file.read')
    await save({ model: 'deep' })
    await attachInDraft(database.db, { ...admin(), toolId: 'file.write', validate })
    const seen = await seenNow()
    await attach('web.fetch')
    await detachTool(database.db, { ...admin(), toolId: 'file.read' })
    expect((await read()).draft?.configuration).toMatchObject({
      model: 'deep',
      attachments: [{ toolId: 'file.write' }, { toolId: 'web.fetch' }],
    })
    // Whoever looked at the difference before did not see this one.
    expect(await publish('', seen)).toMatchObject({ ok: false, reason: 'changed' })
    expect(await publish()).toEqual({ ok: true, number: 5 })
    expect(await attachedNow()).toEqual(['file.write', 'web.fetch'])
  })

  test('of an agent that nobody published is in its draft, and makes no version', async () => {
    const created = await createAgent(database.db, { ...admin(), name: 'Later', validate })
    if (!created.ok) throw new Error('expected the agent to be made')
    const whose = { ...admin(), agentId: created.agentId }
    await attachTool(database.db, { ...whose, toolId: 'file.read', validate })
    expect(await listAgentVersions(database.db, whose)).toEqual([])
    const { draft, seen } = (await readAgent(database.db, whose))!
    expect(draft?.configuration.attachments).toEqual([{ toolId: 'file.read', config: null }])
    expect(await publishDraft(database.db, { ...whose, seen, note: '' })).toEqual({ ok: true, number: 1 })
  })
})

describe('going back', () => {
  test('makes a new version that is equal to the old one, tools too, and keeps an open draft', async () => {
    await save({ instructions: 'Two.', toolsDeny: ['web.*'], budgets: { perRunUsd: 2 }, approvalsRequired: 2 })
    await attachInDraft(database.db, { ...admin(), toolId: 'file.write', validate })
    await publish('two')
    const two = (await readAgentVersion(database.db, { ...workspace, number: 2 }))!.configuration
    await save({ instructions: 'Three.', attachments: [] })
    await publish('three')
    await save({ model: 'fast' })

    expect(await goBack(2)).toEqual({ ok: true, number: 4 })
    const now = await read()
    expect(diffConfigurations(now.published!.configuration, two)).toEqual([])
    expect(await attachedNow()).toEqual(['file.write'])
    expect(now.draft?.configuration).toMatchObject({ model: 'fast', instructions: 'Three.' })
    expect((await audits()).at(-1)).toMatchObject({
      action: 'agent.roll-back',
      data: { version: 4, restores: 2, attached: ['file.write'] },
    })
    expect(await goBack(2)).toEqual({ ok: false, reason: 'unchanged' })
    expect(await goBack(99)).toEqual({ ok: false, reason: 'not_found' })
  })

  test('to a version whose tool is not there any more is refused and names it', async () => {
    await attach('file.write')
    await detachTool(database.db, { ...admin(), toolId: 'file.write' })
    await database.db.pool.query(`DELETE FROM tools WHERE id = 'file.write'`)
    expect(await goBack(2)).toEqual({ ok: false, reason: 'missing_tools', toolIds: ['file.write'] })
    expect((await read()).published?.number).toBe(3)
  })
})

describe('a version that does not fit the policy', () => {
  test('is not published, and the whole policy is what is looked at', async () => {
    await save({ profile: 'no-such' })
    const checked: string[] = []
    const result = await publishDraft(database.db, {
      ...admin(),
      seen: await seenNow(),
      note: '',
      check: ({ config }) => {
        checked.push(config.agents[workspace.agentId]?.profile ?? '')
        return ['there is no profile "no-such"']
      },
    })
    expect(checked).toEqual(['no-such'])
    expect(result).toEqual({ ok: false, reason: 'invalid', problems: ['there is no profile "no-such"'] })
    expect(await read()).toMatchObject({ published: { number: 1 }, draft: { configuration: { profile: 'no-such' } } })
  })

  test('waits for whoever changes the policy in the same moment', async () => {
    await save({ profile: 'on-call' })
    const seen = await seenNow()
    const at = { sql: 'SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE', id: workspace.workspaceId, waiting: 2 }
    const profile = { name: 'on-call', description: '', tools: [], reads: [] }
    const [saved, published] = await raceBehind(database.db, at, async (untilWaiting) => {
      const saving = saveProfile(database.db, { ...admin(), expectedUpdatedAt: null, profile })
      await untilWaiting(1)
      const check = ({ config }: { config: { profiles: object } }) => ('on-call' in config.profiles ? [] : ['none'])
      return Promise.all([saving, publishDraft(database.db, { ...admin(), seen, note: '', check })])
    })
    expect(saved).toMatchObject({ ok: true })
    expect(published).toEqual({ ok: true, number: 2 })
  })
})

describe('an agent', () => {
  test('is made with a draft, has a slug of its own, and answers nobody until it is published', async () => {
    const make = (name: string) => createAgent(database.db, { ...admin(), name, description: ' D ', validate })
    const first = await make('On call')
    const second = await make('On-call!')
    expect(first).toMatchObject({ ok: true, slug: 'on-call' })
    expect(second).toMatchObject({ ok: true, slug: 'on-call-2' })
    expect(await make(' on CALL ')).toEqual({ ok: false, reason: 'name_taken' })
    expect(await make('  ')).toMatchObject({ ok: false, reason: 'invalid', problems: [{ path: 'name' }] })
    if (!first.ok) return
    const whose = { ...workspace, agentId: first.agentId }
    expect(await readAgent(database.db, whose)).toMatchObject({ name: 'On call', description: 'D', published: null })
    expect((await loadPolicy(database.db, workspace.workspaceId))?.config.agents[first.agentId]).toEqual({
      deny: ['*'],
    })
    const seen = (await readAgent(database.db, whose))!.seen
    expect(await discardDraft(database.db, { ...admin(), agentId: first.agentId, seen })).toMatchObject({ ok: false })
    expect(await publishDraft(database.db, { ...admin(), agentId: first.agentId, seen, note: '' })).toMatchObject({
      number: 1,
    })
  })

  test('of ten that are made with one name at once, one is', async () => {
    const made = await race(10, () => createAgent(database.db, { ...admin(), name: 'Twin', validate }))
    expect(made.filter(({ ok }) => ok)).toHaveLength(1)
    for (const result of made) if (!result.ok) expect(result.reason).toBe('name_taken')
  })

  test('is renamed at once, with before and after in the audit', async () => {
    const rename = (name: string) => renameAgent(database.db, { ...admin(), name, description: 'New.' })
    expect(await rename('Harbour')).toEqual({ ok: true, changed: true })
    expect(await rename('Harbour')).toEqual({ ok: true, changed: false })
    expect(await rename('')).toMatchObject({ ok: false, reason: 'invalid' })
    expect((await audits()).filter(({ action }) => action === 'agent.rename')).toMatchObject([
      { data: { before: { name: workspace.agentId }, after: { name: 'Harbour' } } },
    ])
  })

  test('is not archived where it answers unless that was said, answers nobody then, and comes back as it was', async () => {
    const { db } = database
    const archive = (knownPlaces: string[]) => archiveAgent(db, { ...admin(), knownPlaces })
    await db.pool.query(`INSERT INTO bindings (workspace_id, channel_id, place, agent_id) VALUES ($1, $2, 'C1', $3)`, [
      ...[workspace.workspaceId, workspace.channelId, workspace.agentId],
    ])
    const keys = [workspace.channelId, `${workspace.channelId}/C1`]
    const refused = await archive([workspace.channelId])
    expect(refused).toMatchObject({ ok: false, reason: 'in_use', places: keys.map((key) => ({ key })) })
    expect((await read()).archivedAt).toBeNull()

    expect(await archive(keys)).toEqual({ ok: true, changed: true })
    expect(await archive([])).toEqual({ ok: true, changed: false })
    await expect(say(db, workspace)).rejects.toThrow()
    expect(await save({ model: 'deep' })).toEqual({ ok: false, reason: 'archived' })
    expect(await listAgents(db, workspace)).toEqual([])
    expect(await listAgents(db, { ...workspace, archived: true })).toHaveLength(1)
    expect(await restoreAgent(db, admin())).toEqual({ ok: true, changed: true })
    expect(await say(db, workspace)).toMatchObject({ runCreated: true })
    expect((await audits()).map(({ action }) => action)).toEqual(['agent.archive', 'agent.restore'])
  })

  test('is listed with what one asks for first, page by page', async () => {
    const { runId } = await say(database.db, workspace)
    await attach('file.read')
    await save({ model: 'deep' })
    await createAgent(database.db, { ...admin(), name: 'Second', validate })
    const [first] = await listAgents(database.db, { ...workspace, limit: 1 })
    expect(first).toMatchObject({
      ...{ id: workspace.agentId, hasDraft: true, tools: 1, defaults: 1, places: 0 },
      published: { number: 2, model: 'balanced', profile: 'messaging', autonomy: 'standard' },
      lastRun: { id: runId, status: 'queued' },
    })
    const rest = await listAgents(database.db, { ...workspace, after: { at: first!.createdAt, id: first!.id } })
    expect(rest).toMatchObject([{ name: 'Second', published: null, hasDraft: true, lastRun: null }])
    expect(await listAgents(database.db, { ...workspace, search: 'SECO' })).toHaveLength(1)
    const versions = await listAgentVersions(database.db, { ...workspace, limit: 1 })
    expect(versions.map(({ number }) => number)).toEqual([2])
    expect(await listAgentVersions(database.db, { ...workspace, before: 2 })).toMatchObject([{ number: 1 }])
  })
})

test('an agent of another workspace is not there for anything', async () => {
  const { db } = database
  const whose = { ...admin(), workspaceId: other.workspaceId }
  const seen = await seenNow()
  const not = { ok: false, reason: 'not_found' }
  await save({ model: 'deep' })
  expect(await readAgent(db, whose)).toBeNull()
  expect(await listAgentVersions(db, whose)).toEqual([])
  expect(await readAgentVersion(db, { ...whose, number: 1 })).toBeNull()
  expect(await saveDraft(db, { ...whose, change: { model: 'fast' }, validate })).toEqual(not)
  expect(await attachInDraft(db, { ...whose, toolId: 'file.read', validate })).toEqual(not)
  expect(await detachInDraft(db, { ...whose, toolId: 'file.read' })).toEqual(not)
  expect(await discardDraft(db, { ...whose, seen })).toEqual(not)
  expect(await publishDraft(db, { ...whose, seen, note: '' })).toEqual(not)
  expect(await rollBack(db, { ...whose, seen, note: '', to: 1 })).toEqual(not)
  expect(await renameAgent(db, { ...whose, name: 'x', description: '' })).toEqual(not)
  expect(await archiveAgent(db, { ...whose, knownPlaces: [] })).toEqual(not)
  expect(await restoreAgent(db, whose)).toEqual(not)
  expect((await read()).draft?.configuration.model).toBe('deep')
})
