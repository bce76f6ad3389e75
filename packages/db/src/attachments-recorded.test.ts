// What the migration agent_drafts does for agents of a time when tools were attached past the history of versions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from './environment.ts'
import { newId } from './ids.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()

const migration = readFileSync(join(projectRoot, 'prisma/migrations/20261118202638_agent_drafts/migration.sql'), 'utf8')
const recording = migration.slice(migration.indexOf('CREATE FUNCTION pg_temp'))

async function attach(agentId: string, config: string | null): Promise<string> {
  const toolId = newId('tool')
  const { pool } = database.db
  await pool.query(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ($1, $1, '', '{}', $1)`,
    [toolId],
  )
  await pool.query('INSERT INTO agent_tools (agent_id, tool_id, config) VALUES ($1, $2, $3)', [agentId, toolId, config])
  return toolId
}

async function record(): Promise<void> {
  // Its function belongs to a session, as it does in the migration's own.
  const client = await database.db.pool.connect()
  try {
    await client.query(recording)
    await client.query('DROP FUNCTION pg_temp.config_of')
  } finally {
    client.release()
  }
}

const versionsOf = async (agentId: string) =>
  (
    await database.db.pool.query(
      `SELECT number, published_at IS NOT NULL AS published, attachments FROM agent_versions WHERE agent_id = $1 ORDER BY number`,
      [agentId],
    )
  ).rows

test('what was attached past the history becomes a version, once; an agent without attachments gets none', async () => {
  const { agentId } = await createTestWorkspace(database.db)
  const { agentId: bare } = await createTestWorkspace(database.db)
  const before = await versionsOf(agentId)
  const configured = await attach(agentId, '{"limit": 5}')
  const broken = await attach(agentId, 'not JSON')
  const plain = await attach(agentId, null)
  const of = [
    { toolId: configured, config: { limit: 5 } },
    { toolId: broken, config: null },
    { toolId: plain, config: null },
  ].sort((a, b) => (a.toolId < b.toolId ? -1 : 1))
  const untouched = await versionsOf(bare)
  await record()
  const recorded = [...before, { number: before.at(-1).number + 1, published: true, attachments: of }]
  expect(await versionsOf(agentId)).toEqual(recorded)
  expect(await versionsOf(bare)).toEqual(untouched)
  await record()
  expect(await versionsOf(agentId)).toEqual(recorded)
})
