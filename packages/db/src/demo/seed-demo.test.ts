import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { verifyAudit } from '../audit.ts'
import { checkMasterKey, type MasterKeys, masterKeyOf } from '../master-key.ts'
import { Problem } from '../problem.ts'
import { listSecrets, readSecret } from '../secrets.ts'
import { seedFirstData } from '../seed.ts'
import { useTestDatabase } from '../testing.ts'
import { syncTools } from '../tools.ts'
import { readUsage } from '../usage.ts'
import { type SeededDemo, seedDemo } from './seed-demo.ts'

const database = useTestDatabase()
const keys: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: null }
const now = new Date('2026-11-18T09:30:00Z')
let demo: SeededDemo
let took = 0

beforeAll(async () => {
  await checkMasterKey(database.db, keys)
  await expect(seedDemo(database.db, keys)).rejects.toThrow('no owner yet')
  await seedFirstData(database.db, {
    ownerEmail: 'owner@example.com',
    ownerPassword: 'a long enough password',
    workspaceName: 'House',
  })
  const began = performance.now()
  demo = await seedDemo(database.db, keys, { now })
  took = performance.now() - began
}, 60_000)

const query = async (sql: string) => (await database.db.pool.query(sql, [demo.workspaceId])).rows

test('it makes a workspace of the promised size in a few seconds', () => {
  const { counts } = demo
  const atLeast = {
    members: 12,
    agents: 6,
    tools: 40,
    conversations: 380,
    runs: 1300,
    tool_calls: 4500,
    messages: 4000,
  }
  for (const [table, least] of Object.entries(atLeast)) expect([table, counts[table]! >= least]).toEqual([table, true])
  expect(took).toBeLessThan(15_000)
})

test('the owner of the installation is an owner of it and sees everything in it', async () => {
  const rows = await query(
    `SELECT m.role FROM members m JOIN identities i ON i.member_id = m.id JOIN logins l ON l.id = i.login_id
     WHERE m.workspace_id = $1 AND l.email = 'owner@example.com'`,
  )
  expect(rows).toEqual([{ role: 'owner' }])
  const roles = await query('SELECT DISTINCT role FROM members WHERE workspace_id = $1')
  expect(roles).toHaveLength(5)
})

test('nothing in it calls for work: no run is queued or running, nothing waits to be sent, no job is queued', async () => {
  expect(await query(`SELECT 1 FROM runs WHERE workspace_id = $1 AND status IN ('queued', 'running')`)).toEqual([])
  expect(await query(`SELECT 1 FROM deliveries WHERE workspace_id = $1 AND status IN ('pending', 'sending')`)).toEqual(
    [],
  )
  const { rows } = await database.db.pool.query('SELECT 1 FROM graphile_worker.jobs')
  expect(rows).toEqual([])
})

test('some questions are open and not yet over, and each belongs to a waiting run and an asking call', async () => {
  const open = await query(
    `SELECT r.status AS run, t.status AS call, q.expires_at > '${now.toISOString()}' AS in_time
     FROM questions q JOIN runs r ON r.id = q.run_id JOIN tool_calls t ON t.id = q.tool_call_id
     WHERE q.workspace_id = $1 AND q.status = 'open'`,
  )
  expect(open.length).toBeGreaterThanOrEqual(4)
  for (const question of open) expect(question).toEqual({ run: 'waiting', call: 'asking', in_time: true })
  const statuses = await query('SELECT DISTINCT status, verdict FROM questions WHERE workspace_id = $1')
  expect(statuses.length).toBeGreaterThanOrEqual(4)
})

test('transcripts are whole: numbered without a gap, every tool use has its result, nothing lies in the future', async () => {
  const gaps = await query(
    `SELECT c.id FROM conversations c JOIN messages m ON m.conversation_id = c.id WHERE c.workspace_id = $1
     GROUP BY c.id HAVING count(*) <> max(m.number) OR c.next_message <> max(m.number) + 1`,
  )
  expect(gaps).toEqual([])
  const unpaired = await query(
    `SELECT u.id FROM messages m, jsonb_to_recordset(m.content) AS u(type text, id text)
     JOIN tool_calls t ON t.tool_use_id = u.id JOIN runs r ON r.id = t.run_id
     WHERE m.workspace_id = $1 AND u.type = 'tool_use' AND r.status <> 'waiting' AND NOT EXISTS (
       SELECT 1 FROM messages n WHERE n.conversation_id = m.conversation_id AND n.number = m.number + 1
         AND n.content @> jsonb_build_array(jsonb_build_object('tool_use_id', u.id)))`,
  )
  expect(unpaired).toEqual([])
  const late = await query(
    `SELECT 1 FROM runs WHERE workspace_id = $1 AND (finished_at > '${now.toISOString()}' OR finished_at < queued_at)`,
  )
  expect(late).toEqual([])
  const overlapping = await query(
    `SELECT a.id FROM runs a JOIN runs b ON b.conversation_id = a.conversation_id AND b.id <> a.id
     WHERE a.workspace_id = $1 AND a.queued_at <= b.queued_at AND coalesce(a.finished_at, 'infinity') > b.queued_at`,
  )
  expect(overlapping).toEqual([])
})

test('the usage is that of the runs', async () => {
  const usage = await readUsage(database.db, demo.workspaceId, {
    from: new Date(now.getTime() - 40 * 24 * 3_600_000),
    to: new Date(now.getTime() + 3_600_000),
    step: 'day',
  })
  const sum = (key: 'runs' | 'failed' | 'stopped' | 'costMicros') => usage.reduce((total, row) => total + row[key], 0)
  const [runs] = await query(
    `SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'failed')::int AS failed,
       count(*) FILTER (WHERE status = 'stopped')::int AS stopped, sum(cost_micros)::float8 AS cost
     FROM runs WHERE workspace_id = $1 AND finished_at IS NOT NULL`,
  )
  expect([sum('runs'), sum('failed'), sum('stopped'), sum('costMicros')]).toEqual([
    runs.runs,
    runs.failed,
    runs.stopped,
    runs.cost,
  ])
  expect(runs.failed / runs.runs).toBeGreaterThan(0.01)
  expect(runs.failed / runs.runs).toBeLessThan(0.12)
})

test('its secrets open with the master key, and its audit log verifies', async () => {
  for (const { name } of await listSecrets(database.db, demo.workspaceId))
    expect((await readSecret(database.db, keys, { workspaceId: demo.workspaceId, name }))?.value).toContain(name)
  expect(await verifyAudit(database.db, demo.workspaceId)).toMatchObject({ ok: true })
})

test('a second time is refused; again replaces it, keeps the audit log and leaves other workspaces alone', async () => {
  await expect(seedDemo(database.db, keys, { now })).rejects.toThrow(Problem)
  const before = await verifyAudit(database.db, demo.workspaceId)
  const houseBefore = await database.db.pool.query(
    `SELECT count(*)::int AS n FROM agents a JOIN workspaces w ON w.id = a.workspace_id WHERE w.slug = 'house'`,
  )
  const again = await seedDemo(database.db, keys, { now, again: true })
  expect(again.counts).toEqual(demo.counts)
  const after = await verifyAudit(database.db, demo.workspaceId)
  if (!before.ok || !after.ok) throw new Error('the log does not verify')
  expect(after.events).toBe(before.events + 1)
  const houseAfter = await database.db.pool.query(
    `SELECT count(*)::int AS n FROM agents a JOIN workspaces w ON w.id = a.workspace_id WHERE w.slug = 'house'`,
  )
  expect(houseAfter.rows).toEqual(houseBefore.rows)
}, 60_000)

test('a tool that every workspace has is not there a second time', async () => {
  await syncTools(database.db, [
    {
      name: 'shell.exec',
      title: 'Run a command',
      description: 'Runs a command.',
      category: 'runtime',
      inputSchema: { type: 'object' },
      effect: 'execute',
      version: 'v1',
    },
  ])
  await seedDemo(database.db, keys, { again: true, now })
  const own = await query(
    `SELECT t.name FROM tools t JOIN tool_details d ON d.tool_id = t.id WHERE d.workspace_id = $1`,
  )
  expect(own.map(({ name }) => name)).toContain('k8s.logs')
  expect(own.map(({ name }) => name)).not.toContain('shell.exec')
  const attached = await query(
    `SELECT 1 FROM agent_tools a JOIN agents g ON g.id = a.agent_id WHERE g.workspace_id = $1 AND a.tool_id = 'shell.exec'`,
  )
  expect(attached.length).toBeGreaterThan(0)
})
