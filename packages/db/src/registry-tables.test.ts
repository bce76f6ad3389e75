// tools and agent_tools are those of the iofold document: what was written for its registry runs here unchanged.
import { beforeAll, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const sql = async (text: string, ...values: unknown[]) => (await database.db.pool.query(text, values)).rows

test('the tables have the columns of the document, in its order, and none besides', async () => {
  const columns = (table: string) =>
    sql(
      `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable, column_default AS default
       FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position`,
      table,
    )
  const text = { type: 'text', nullable: false, default: null }
  const createdAt = {
    name: 'created_at',
    type: 'timestamp with time zone',
    nullable: false,
    default: 'CURRENT_TIMESTAMP',
  }
  expect(await columns('tools')).toEqual([
    { name: 'id', ...text },
    { name: 'name', ...text },
    { name: 'description', ...text },
    { name: 'parameters_schema', ...text },
    { name: 'handler_key', ...text },
    { name: 'category', ...text, default: `'general'::text` },
    createdAt,
  ])
  expect(await columns('agent_tools')).toEqual([
    { name: 'agent_id', ...text },
    { name: 'tool_id', ...text },
    { name: 'config', ...text, nullable: true },
    createdAt,
  ])
})

test('the tables have the keys and indexes of the document', async () => {
  const keys = await sql(
    `SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conrelid IN ('tools'::regclass, 'agent_tools'::regclass) AND contype IN ('p', 'f', 'u') ORDER BY 1, contype DESC, 2`,
  )
  expect(keys).toEqual([
    { table: 'agent_tools', definition: 'PRIMARY KEY (agent_id, tool_id)' },
    {
      table: 'agent_tools',
      definition: 'FOREIGN KEY (agent_id) REFERENCES agents(id) ON UPDATE CASCADE ON DELETE CASCADE',
    },
    {
      table: 'agent_tools',
      definition: 'FOREIGN KEY (tool_id) REFERENCES tools(id) ON UPDATE CASCADE ON DELETE CASCADE',
    },
    { table: 'tools', definition: 'PRIMARY KEY (id)' },
  ])
  const indexes = await sql(
    `SELECT indexname AS name, substring(indexdef FROM '\\((.*)\\)') AS columns FROM pg_indexes
     WHERE tablename IN ('tools', 'agent_tools') AND indexname LIKE 'idx%' ORDER BY 1`,
  )
  expect(indexes).toEqual([
    { name: 'idx_agent_tools_agent', columns: 'agent_id' },
    { name: 'idx_agent_tools_tool', columns: 'tool_id' },
    { name: 'idx_tools_category', columns: 'category' },
    { name: 'idx_tools_handler', columns: 'handler_key' },
  ])
})

test('the document’s own statements run as they stand', async () => {
  await sql(`INSERT INTO tools VALUES (
    'email_search',
    'Search Emails',
    'Search for emails in an inbox using a full-text query...',
    '{"type": "object", "properties": {}, "required": []}',
    'email_search',
    'email',
    '2025-12-10 10:00:00'
  )`)
  await sql(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ('t', 'T', 'd', '{}', 'h')`,
  )
  await sql(
    `INSERT INTO agent_tools VALUES ('${workspace.agentId}', 'email_search', '{"default_limit": 20}', '2025-12-10 10:05:00')`,
  )
  await sql(`INSERT INTO agent_tools (agent_id, tool_id) VALUES ($1, 't')`, workspace.agentId)
  expect(await sql(`SELECT category, created_at IS NOT NULL AS dated FROM tools WHERE id = 't'`)).toEqual([
    { category: 'general', dated: true },
  ])
})

async function newTool(workspaceId?: string): Promise<string> {
  const id = newId('tool')
  await sql(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ($1, $1, '', '{}', $1)`,
    id,
  )
  await sql(
    `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version) VALUES ($1, $2, 'manifest', 'read', 'v1')`,
    id,
    workspaceId ?? null,
  )
  return id
}

const attach = (agentId: string, toolId: string) =>
  sql('INSERT INTO agent_tools (agent_id, tool_id) VALUES ($1, $2)', agentId, toolId)
const attached = async (toolId: string) =>
  (await sql('SELECT agent_id FROM agent_tools WHERE tool_id = $1', toolId)).length

test('an attachment ends with its agent and with its tool, and is there once', async () => {
  const [kept, gone] = [await newTool(), await newTool()]
  const agentId = newId('agent')
  await sql('INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $1)', agentId, workspace.workspaceId)
  for (const toolId of [kept, gone]) await attach(agentId, toolId)
  await expect(attach(agentId, kept)).rejects.toMatchObject({ constraint: 'agent_tools_pkey' })
  await sql('DELETE FROM tools WHERE id = $1', gone)
  expect([await attached(kept), await attached(gone)]).toEqual([1, 0])
  await sql('DELETE FROM agents WHERE id = $1', agentId)
  expect(await attached(kept)).toBe(0)
})

test('a tool that a workspace brought is attached only to that workspace’s agents, and does not change hands', async () => {
  const other = await createTestWorkspace(database.db)
  const [everybodys, theirs] = [await newTool(), await newTool(other.workspaceId)]
  await attach(workspace.agentId, everybodys)
  await attach(other.agentId, everybodys)
  await attach(other.agentId, theirs)
  const refused = { constraint: 'agent_tools_one_workspace' }
  await expect(attach(workspace.agentId, theirs)).rejects.toMatchObject(refused)
  await expect(
    sql('UPDATE agent_tools SET agent_id = $1 WHERE tool_id = $2', workspace.agentId, theirs),
  ).rejects.toMatchObject(refused)
  await expect(
    sql('UPDATE tool_details SET workspace_id = $1 WHERE tool_id = $2', workspace.workspaceId, theirs),
  ).rejects.toMatchObject({ constraint: 'tool_details_workspace_stays' })
  await sql(`UPDATE tool_details SET version = 'v2' WHERE tool_id = $1`, theirs)
})
