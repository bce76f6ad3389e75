import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, type TestWorkspace } from './testing-workspace.ts'
import { findTool, listTools, syncTools, type ToolDefinition } from './tools.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let other: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
  other = await createTestWorkspace(database.db)
})
beforeEach(async () => {
  await database.db.pool.query('DELETE FROM tools')
})

const define = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  title: `The tool ${name}`,
  description: `Does ${name}.`,
  category: 'filesystem',
  inputSchema: { type: 'object', properties: {} },
  effect: 'read',
  version: 'v1',
  ...more,
})
const read = define('file.read', { aliases: ['read_file', 'Read'], idempotent: true, hook: 'silent', groups: ['fs'] })
const write = define('file.write', {
  effect: 'write',
  configSchema: { type: 'object' },
  requiredSecretScopes: ['disk'],
})
const nothing = { added: [], changed: [], gone: [], returned: [] }

/** A tool that a workspace brought. */
async function bring(workspaceId: string, id: string, name: string, aliases: string[] = []) {
  await database.db.pool.query(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ($1, $1, '', '{}', $2)`,
    [id, name],
  )
  await database.db.pool.query(
    `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version, aliases) VALUES ($1, $2, 'manifest', 'read', 'v1', $3)`,
    [id, workspaceId, aliases],
  )
}

const attach = (toolId: string, agentId = workspace.agentId) =>
  database.db.pool.query('INSERT INTO agent_tools (agent_id, tool_id) VALUES ($1, $2)', [agentId, toolId])
const find = (id: string, whose: { workspaceId: string; agentId?: string } = workspace) =>
  findTool(database.db, id, { workspaceId: whose.workspaceId })

/** How many rows were written in this database since it was made. */
async function countWrites(): Promise<bigint> {
  const { rows } = await database.db.pool.query('SELECT pg_current_xact_id()::text::bigint AS id')
  return BigInt(rows[0].id)
}

describe('a start', () => {
  test('writes what is new, and says so', async () => {
    expect(await syncTools(database.db, [read, write])).toEqual({ ...nothing, added: ['file.read', 'file.write'] })
    expect(await find('file.read')).toMatchObject({
      title: 'The tool file.read',
      name: 'file.read',
      source: 'builtin',
      aliases: ['read_file', 'Read'],
      hook: 'silent',
      idempotent: true,
      groups: ['fs'],
      configSchema: null,
      unavailable: null,
    })
    expect(await find('file.write')).toMatchObject({
      hook: 'confirm',
      configSchema: '{"type":"object"}',
      requiredSecretScopes: ['disk'],
    })
  })

  test('on the same tools writes nothing', async () => {
    await syncTools(database.db, [read, write])
    const { rows } = await database.db.pool.query('SELECT xmin::text FROM tool_details ORDER BY tool_id')
    const before = await countWrites()
    expect(await syncTools(database.db, [read, write])).toEqual(nothing)
    // Each countWrites takes one transaction id of its own; a sync that wrote would have taken another.
    expect((await countWrites()) - before).toBe(1n)
    const after = await database.db.pool.query('SELECT xmin::text FROM tool_details ORDER BY tool_id')
    expect(after.rows).toEqual(rows)
  })

  test('with a changed definition changes that row and no other', async () => {
    await syncTools(database.db, [read, write])
    await attach('file.read')
    const changed = { ...read, version: 'v2', description: 'Reads better.', aliases: ['Read'] }
    expect(await syncTools(database.db, [changed, write])).toEqual({ ...nothing, changed: ['file.read'] })
    expect(await find('file.read')).toMatchObject({ version: 'v2', description: 'Reads better.', aliases: ['Read'] })
    expect(await find('read_file')).toBeNull()
    expect(await database.db.prisma.agentTool.count({ where: { toolId: 'file.read' } })).toBe(1)
  })

  test('without a tool shows it as gone and keeps its attachments, until it is back', async () => {
    await syncTools(database.db, [read, write])
    await attach('file.write')
    expect(await syncTools(database.db, [read])).toEqual({ ...nothing, gone: ['file.write'] })
    expect(await syncTools(database.db, [read])).toEqual(nothing)
    expect(await find('file.write')).toMatchObject({ unavailable: 'gone' })
    expect(await database.db.prisma.agentTool.count({ where: { toolId: 'file.write' } })).toBe(1)
    expect(await syncTools(database.db, [read, write])).toEqual({ ...nothing, returned: ['file.write'] })
    expect(await find('file.write')).toMatchObject({ unavailable: null })
  })

  test('leaves switched off what somebody switched off', async () => {
    await syncTools(database.db, [read])
    await database.db.pool.query('UPDATE tool_details SET disabled_at = now()')
    await syncTools(database.db, [{ ...read, version: 'v2' }])
    expect(await find('file.read')).toMatchObject({ version: 'v2', unavailable: 'disabled' })
  })

  test('does not touch the tools that workspaces brought', async () => {
    await bring(workspace.workspaceId, 'tool_own', 'lint')
    expect(await syncTools(database.db, [])).toEqual(nothing)
    expect(await find('tool_own')).toMatchObject({ unavailable: null })
  })

  test('does not take over the id of a tool that a workspace brought', async () => {
    await bring(workspace.workspaceId, 'file.read', 'file.read')
    await expect(syncTools(database.db, [read])).rejects.toThrow(/"file.read" is taken/)
    expect(await find('file.read', other)).toBeNull()
  })

  test('of twenty processes at once is one start', async () => {
    const results = await race(20, () => syncTools(database.db, [read, write]))
    expect(results.flatMap((result) => result.added).sort()).toEqual(['file.read', 'file.write'])
    expect(await database.db.prisma.tool.count()).toBe(2)
  })

  test('refuses two tools of one name', async () => {
    await expect(syncTools(database.db, [read, read])).rejects.toThrow(/one name/)
  })
})

describe('looking up', () => {
  test('an alias finds its tool, and a name that nobody has finds none', async () => {
    await syncTools(database.db, [read])
    expect((await find('Read'))?.id).toBe('file.read')
    for (const name of ['read', 'constructor', '__proto__', '', 'Read\0', "' OR true --"])
      expect(await find(name)).toBeNull()
  })

  test('an alias of two tools means the attached one, and else the first', async () => {
    const virtual = define('vfs.read', { aliases: ['read_file'] })
    await syncTools(database.db, [read, virtual])
    const whose = { workspaceId: workspace.workspaceId, agentId: workspace.agentId }
    expect((await findTool(database.db, 'read_file', whose))?.id).toBe('file.read')
    await attach('vfs.read')
    expect((await findTool(database.db, 'read_file', whose))?.id).toBe('vfs.read')
    await attach('file.read')
    expect((await findTool(database.db, 'read_file', whose))?.id).toBe('file.read')
    expect((await findTool(database.db, 'vfs.read', whose))?.id).toBe('vfs.read')
  })

  test('a workspace does not find the tools of another, by whatever name', async () => {
    await bring(workspace.workspaceId, 'tool_own', 'lint', ['glee_lint'])
    for (const name of ['tool_own', 'lint', 'glee_lint']) {
      expect((await find(name))?.id).toBe('tool_own')
      expect(await find(name, other)).toBeNull()
    }
  })

  test('a workspace cannot take an existing name away with a tool of its own', async () => {
    await syncTools(database.db, [read])
    await bring(workspace.workspaceId, 'tool_own', 'file.read', ['file.read'])
    expect((await find('file.read'))?.id).toBe('file.read')
  })
})

describe('listing', () => {
  test('goes through every tool of the workspace once, page by page', async () => {
    await syncTools(
      database.db,
      Array.from({ length: 25 }, (_, index) => define(`t${index}.x`, { category: index % 2 ? 'web' : 'email' })),
    )
    await bring(workspace.workspaceId, 'tool_own', 'lint')
    await bring(other.workspaceId, 'tool_other', 'lint')
    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await listTools(database.db, { ...workspace, limit: 10, ...(after ? { after } : {}) })
      seen.push(...page.tools.map((tool) => tool.id))
      if (!page.next) break
      after = page.next
    }
    expect(seen).toHaveLength(26)
    expect(new Set(seen).size).toBe(26)
    expect(seen).toContain('tool_own')
    expect(seen).not.toContain('tool_other')
    expect((await listTools(database.db, { ...workspace, category: 'web' })).tools).toHaveLength(12)
    expect((await listTools(database.db, { ...workspace, source: 'manifest' })).tools).toHaveLength(1)
  })

  test('shows a row that somebody wrote by hand, as unavailable', async () => {
    await database.db.pool.query(
      `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ('web_search', 'Web Search', '', '{}', 'web_search')`,
    )
    expect(await find('web_search')).toMatchObject({ source: null, unavailable: 'gone', aliases: [] })
  })
})
