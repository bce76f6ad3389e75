import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AttachTool, attachTool, detachTool, listAttachments, loadAttachments } from './attachments.ts'
import { verifyAudit } from './audit.ts'
import { limits } from './limits.ts'
import { policyRevision } from './policy.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, raceBehind, type TestWorkspace } from './testing-workspace.ts'
import { syncTools, type ToolDefinition } from './tools.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let other: TestWorkspace

const define = (name: string, aliases: string[] = []): ToolDefinition => ({
  name,
  title: name,
  description: '',
  category: 'email',
  inputSchema: { type: 'object' },
  configSchema: { type: 'object' },
  effect: 'read',
  version: 'v1',
  aliases,
})
const builtin = [
  define('email.search', ['email_search']),
  define('file.read', ['read_file']),
  define('vfs.read', ['read_file']),
]

beforeAll(async () => {
  other = await createTestWorkspace(database.db)
})
beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
  await syncTools(database.db, builtin)
})

const attach = (input: Partial<AttachTool> = {}) =>
  attachTool(database.db, {
    workspaceId: workspace.workspaceId,
    agentId: workspace.agentId,
    toolId: 'email.search',
    actor: { kind: 'member', id: workspace.members.admin },
    validate: () => [],
    ...input,
  })
const detach = (toolId: string, whose: { workspaceId: string; agentId: string } = workspace) =>
  detachTool(database.db, {
    workspaceId: whose.workspaceId,
    agentId: whose.agentId,
    toolId,
    actor: { kind: 'member', id: workspace.members.admin },
  })
const load = () => loadAttachments(database.db, workspace.agentId)
const names = async () => [...((await load())?.attached.keys() ?? [])]
const revision = () => policyRevision(database.db, workspace.workspaceId)
const audited = (action: string) =>
  database.db.prisma.auditEvent.findMany({ where: { workspaceId: workspace.workspaceId, action } })

describe('attaching', () => {
  test('gives the tool with its configuration, and is in the audit', async () => {
    expect(await attach({ config: { default_limit: 20 } })).toMatchObject({
      ok: true,
      attachment: { id: 'email.search', config: { default_limit: 20 } },
    })
    expect((await load())?.attached.get('email.search')).toEqual({ default_limit: 20 })
    expect(await listAttachments(database.db, workspace)).toMatchObject([
      { id: 'email.search', name: 'email.search', config: { default_limit: 20 }, unavailable: null },
    ])
    expect(await audited('tool.attach')).toMatchObject([
      { actorId: workspace.members.admin, subjectId: workspace.agentId, data: { toolId: 'email.search' } },
    ])
  })

  test('takes an alias for an id, and knows that it is the same tool', async () => {
    expect(await attach({ toolId: 'email_search' })).toMatchObject({ ok: true, attachment: { id: 'email.search' } })
    expect(await attach({ toolId: 'email.search' })).toEqual({ ok: false, reason: 'already_attached' })
  })

  test('of ten at once, one attaches and nine learn that it is there', async () => {
    const results = await race(10, (index) => attach({ toolId: index % 2 ? 'email_search' : 'email.search' }))
    expect(results.filter((result) => result.ok)).toHaveLength(1)
    for (const result of results) if (!result.ok) expect(result.reason).toBe('already_attached')
    expect(await audited('tool.attach')).toHaveLength(1)
    expect(await verifyAudit(database.db, workspace.workspaceId)).toMatchObject({ ok: true })
  })

  test('stands or falls with its audit', async () => {
    const tooLong = { kind: 'member', id: null as unknown as string } as const
    await expect(attach({ actor: tooLong })).rejects.toThrow()
    expect(await load()).toBeNull()
  })

  test('asks the tool about the configuration, and saves nothing that it refuses', async () => {
    const asked: unknown[] = []
    const result = await attach({
      toolId: 'email_search',
      config: { default_limit: 'many' },
      validate: (name, config) => {
        asked.push(name, config)
        return ['default_limit: expected a number.']
      },
    })
    expect(asked).toEqual(['email.search', { default_limit: 'many' }])
    expect(result).toEqual({ ok: false, reason: 'invalid_config', problems: ['default_limit: expected a number.'] })
    expect(await load()).toBeNull()
    expect(await audited('tool.attach')).toEqual([])
  })

  test.each([
    ['a list', []],
    ['a text', 'x'],
    ['more than it may hold', { text: 'x'.repeat(limits.attachmentConfigBytes) }],
    ['a character that cannot be stored', { text: '\0' }],
  ])('refuses %s as a configuration', async (_what, config) => {
    expect(await attach({ config: config as never })).toMatchObject({ ok: false, reason: 'invalid_config' })
  })

  test.each([
    ['an agent of another workspace', () => ({ agentId: other.agentId }), 'agent'],
    ['an own agent under another workspace’s name', () => ({ workspaceId: other.workspaceId }), 'agent'],
    ['an agent that does not exist', () => ({ agentId: 'agent_none' }), 'agent'],
    ['a tool that does not exist', () => ({ toolId: '__proto__' }), 'tool'],
    ['a tool whose id cannot be stored', () => ({ toolId: 'email.search\0' }), 'tool'],
    ['an agent whose id cannot be stored', () => ({ agentId: '\0' }), 'agent'],
    ['a tool that another workspace brought', () => ({ toolId: 'tool_other' }), 'tool'],
  ])('does not find %s', async (_what, input, what) => {
    await database.db.pool.query(
      `WITH tool AS (INSERT INTO tools (id, name, description, parameters_schema, handler_key)
         VALUES ('tool_other', '', '', '{}', 'lint') ON CONFLICT DO NOTHING RETURNING id)
       INSERT INTO tool_details (tool_id, workspace_id, source, effect, version) SELECT id, $1, 'mcp', 'read', 'v' FROM tool`,
      [other.workspaceId],
    )
    expect(await attach(input())).toEqual({ ok: false, reason: 'not_found', what })
  })

  test('finds a tool that the agent’s own workspace brought', async () => {
    await database.db.pool.query(
      `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ('tool_own', '', '', '{}', 'lint')`,
    )
    await database.db.pool.query(
      `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version) VALUES ('tool_own', $1, 'mcp', 'read', 'v')`,
      [workspace.workspaceId],
    )
    expect(await attach({ toolId: 'lint' })).toMatchObject({ ok: true, attachment: { id: 'tool_own', name: 'lint' } })
    expect(await names()).toEqual(['lint'])
  })

  test('refuses a tool that is gone, and one that is switched off', async () => {
    await syncTools(database.db, builtin.slice(1))
    expect(await attach()).toEqual({ ok: false, reason: 'unavailable', why: 'gone' })
    await syncTools(database.db, builtin)
    await database.db.pool.query(`UPDATE tool_details SET disabled_at = now() WHERE tool_id = 'email.search'`)
    expect(await attach()).toEqual({ ok: false, reason: 'unavailable', why: 'disabled' })
    await database.db.pool.query(`UPDATE tool_details SET disabled_at = NULL`)
    expect(await attach()).toMatchObject({ ok: true })
  })
})

describe('detaching', () => {
  test('takes the tool away, once, and is in the audit', async () => {
    await attach()
    const results = await race(10, () => detach('email_search'))
    expect(results.filter((result) => result.ok)).toEqual([{ ok: true, toolId: 'email.search' }])
    for (const result of results) if (!result.ok) expect(result).toMatchObject({ reason: 'not_found', what: 'tool' })
    expect(await audited('tool.detach')).toHaveLength(1)
    expect(await load()).toBeNull()
  })

  test('by an alias of two tools takes the attached one', async () => {
    await attach({ toolId: 'vfs.read' })
    expect(await detach('read_file')).toEqual({ ok: true, toolId: 'vfs.read' })
  })

  test('takes away what is gone, too', async () => {
    await attach()
    await syncTools(database.db, [])
    expect(await detach('email.search')).toMatchObject({ ok: true })
  })

  test('does not reach into another workspace', async () => {
    await attach()
    expect(await detach('email.search', { ...workspace, workspaceId: other.workspaceId })).toEqual({
      ok: false,
      reason: 'not_found',
      what: 'agent',
    })
    expect(await names()).toEqual(['email.search'])
    expect(await listAttachments(database.db, { ...workspace, workspaceId: other.workspaceId })).toBeNull()
  })

  test('while somebody attaches the same: whoever comes second sees the first', async () => {
    await attach()
    const [detached, attached] = await raceBehind(
      database.db,
      { sql: 'SELECT 1 FROM agent_tools WHERE agent_id = $1 FOR UPDATE', id: workspace.agentId, waiting: 1 },
      () => Promise.all([detach('email.search'), attach({ toolId: 'file.read' })]),
    )
    expect([detached.ok, attached.ok]).toEqual([true, true])
    expect(await names()).toEqual(['file.read'])
  })
})

describe('a run', () => {
  test('of an agent without attachments has the default set', async () => {
    expect(await load()).toBeNull()
    expect(await listAttachments(database.db, workspace)).toEqual([])
  })

  test('of an agent whose tools are all unavailable has none, and not the default set', async () => {
    await attach()
    await syncTools(database.db, [])
    expect(await load()).toEqual({ attached: new Map(), unavailable: [{ name: 'email.search', why: 'gone' }] })
  })

  test('does not get a tool whose configuration cannot be read, and is told so', async () => {
    await attach({ config: { a: 1 } })
    await attach({ toolId: 'file.read' })
    for (const text of ['{', '[]', '"x"', '7']) {
      await database.db.pool.query(`UPDATE agent_tools SET config = $1 WHERE tool_id = 'email.search'`, [text])
      expect(await load()).toEqual({
        attached: new Map([['file.read', {}]]),
        unavailable: [{ name: 'email.search', why: 'unreadable_config' }],
      })
    }
  })
})

test('whoever changes what an agent has, by whatever way, moves the revision of its workspace and of no other', async () => {
  const { pool } = database.db
  const { agentId } = workspace
  const others = await policyRevision(database.db, other.workspaceId)
  let before = await revision()
  const moves = async (text: string, values: unknown[] = []) => {
    await pool.query(text, values)
    const now = await revision()
    const moved = now - before
    before = now
    return moved
  }
  const attachAll = `INSERT INTO agent_tools (agent_id, tool_id) SELECT $1, id FROM tools WHERE handler_key = ANY($2)`
  expect(await moves(attachAll, [agentId, ['email.search', 'file.read']])).toBe(1)
  expect(await moves(`UPDATE agent_tools SET config = '{"max": 1}' WHERE agent_id = $1`, [agentId])).toBe(1)
  const gone = `UPDATE tool_details d SET gone_at = now() FROM tools t WHERE t.id = d.tool_id AND t.handler_key = $1`
  expect(await moves(gone, ['file.read'])).toBe(1)
  // Which nobody here has.
  expect(await moves(gone, ['vfs.read'])).toBe(0)
  expect(await moves('DELETE FROM agent_tools WHERE agent_id = $1', [agentId])).toBe(1)
  expect(await policyRevision(database.db, other.workspaceId)).toBe(others)
})
