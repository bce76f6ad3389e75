// `npm run seed:demo`: a believable workspace for looking at the console. It is a workspace of its own beside the real
// one; owners of the installation are owners of it too and can switch to it. All of it is written in one transaction,
// through the same constraints as real data.
import type pg from 'pg'
import { recordAudit } from '../audit.ts'
import { type Database, inTransaction } from '../client.ts'
import type { MasterKeys } from '../master-key.ts'
import { Problem } from '../problem.ts'
import { countToolUsage } from '../tool-usage.ts'
import { durationBuckets } from '../usage.ts'
import { demoWorkspaceId } from './demo-workspace-id.ts'
import { makeAudit } from './make-audit.ts'
import { makeHistory } from './make-history.ts'
import { makeWorkspace, type OwnerLogin } from './make-workspace.ts'
import { workspace } from './northwind.ts'
import { Random } from './random.ts'
import { insertRows } from './rows.ts'

export interface SeedDemo {
  /** Replaces a demo that is there already. */
  again?: boolean
  /** For pictures that should not change from day to day. */
  now?: Date
}

export interface SeededDemo {
  workspaceId: string
  /** How many rows each table got. */
  counts: Record<string, number>
}

/** In the order in which rows refer to one another. */
const tables = [
  'members',
  'identities',
  'api_keys',
  'invitations',
  'tools',
  'tool_details',
  'secret_scopes',
  'secrets',
  'secret_versions',
  'agents',
  'agent_versions',
  'agent_tools',
  'grants',
  'channels',
  'bindings',
  'profiles',
  'tool_groups',
  'policy_settings',
  'rules',
  'skills',
  'policy_drafts',
  'settings',
  'conversations',
  'virtual_files',
  'inbound_events',
  'messages',
  'runs',
  'tool_calls',
  'questions',
  'answers',
  'leases',
  'deliveries',
  'run_events',
] as const

export async function seedDemo(db: Database, keys: MasterKeys, options: SeedDemo = {}): Promise<SeededDemo> {
  const now = (options.now ?? new Date()).getTime()
  const seeded = await inTransaction(db, async (tx): Promise<SeededDemo> => {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('seed demo', 0))`)
    const logins = await findOwners(tx)
    const { rows: found } = await tx.query('SELECT id FROM workspaces WHERE id = $1', [demoWorkspaceId])
    if (found[0] && !options.again)
      throw new Problem(
        `The demo workspace "${workspace.name}" is there already.`,
        'Run "npm run seed:demo -- --again" to replace it; what you changed in it is lost then.',
      )
    if (found[0]) await clear(tx)
    else
      await tx.query(`INSERT INTO workspaces (id, slug, name, created_at) VALUES ($1, $2, $3, $4)`, [
        demoWorkspaceId,
        workspace.slug,
        workspace.name,
        new Date(now - 120 * 24 * 3_600_000),
      ])

    const { rows, directory } = makeWorkspace(now, keys, logins, await findBuiltins(tx))
    rows.addAll(makeHistory(new Random(7), directory, now))
    rows.of('run_events').sort(byTime)
    for (const table of tables) await insertRows(tx, table, rows.of(table))
    await addUpUsage(tx)
    const auditEvents = [...rows.of('audit_events'), ...makeAudit(new Random(11), directory, now)].sort(byTime)
    await insertRows(tx, 'audit_events', await onlyNew(tx, auditEvents))
    await recordAudit(tx, {
      workspaceId: demoWorkspaceId,
      actor: { kind: 'system', id: 'seed-demo' },
      action: found[0] ? 'demo.replace' : 'demo.create',
      subject: { kind: 'workspace', id: demoWorkspaceId },
    })
    const counts = Object.fromEntries(tables.map((table) => [table, rows.of(table).length]))
    return { workspaceId: demoWorkspaceId, counts: { ...counts, audit_events: auditEvents.length } }
  })
  // As a bot would within its first minutes, so that the registry has figures at once.
  while (await countToolUsage(db, { lag: 0 }));
  return seeded
}

const byTime = (a: Record<string, unknown>, b: Record<string, unknown>) =>
  String(a.at) < String(b.at) ? -1 : String(a.at) > String(b.at) ? 1 : 0

async function findOwners(tx: pg.PoolClient): Promise<OwnerLogin[]> {
  const { rows } = await tx.query<OwnerLogin>(
    `SELECT DISTINCT l.id, l.email, l.name FROM logins l
     JOIN identities i ON i.login_id = l.id
     JOIN members m ON m.workspace_id = i.workspace_id AND m.id = i.member_id
     WHERE m.role = 'owner' AND m.disabled_at IS NULL AND m.workspace_id <> $1 ORDER BY l.id`,
    [demoWorkspaceId],
  )
  if (!rows.length)
    throw new Problem(
      'There is no owner yet who could look at the demo.',
      'Run "npm start" once, which makes the first workspace and its owner; then run this again.',
    )
  return rows
}

async function findBuiltins(tx: pg.PoolClient): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ name: string; id: string }>(
    'SELECT t.handler_key AS name, t.id FROM tools t JOIN tool_details d ON d.tool_id = t.id WHERE d.workspace_id IS NULL AND d.gone_at IS NULL',
  )
  return new Map(rows.map(({ name, id }) => [name, id]))
}

/** Everything but the workspace itself and its audit log, which is append-only and goes on. */
async function clear(tx: pg.PoolClient): Promise<void> {
  const { rows } = await tx.query('SELECT tool_id FROM tool_details WHERE workspace_id = $1', [demoWorkspaceId])
  const toolIds = rows.map((row) => row.tool_id)
  for (const table of ['usage_hours', 'tool_usage_days', 'tool_usage_marks', 'tool_switches'])
    await tx.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [demoWorkspaceId])
  await tx.query('DELETE FROM agent_tools WHERE agent_id IN (SELECT id FROM agents WHERE workspace_id = $1)', [
    demoWorkspaceId,
  ])
  for (const table of [...tables].reverse())
    if (table === 'tools') await tx.query('DELETE FROM tools WHERE id = ANY($1)', [toolIds])
    else if (table !== 'agent_tools') await tx.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [demoWorkspaceId])
}

/** The sums that finishRun would have kept (usage.ts), from the runs themselves. */
async function addUpUsage(tx: pg.PoolClient): Promise<void> {
  const bucket = `width_bucket(extract(epoch FROM finished_at - queued_at)::float8 * 1000, ARRAY[${durationBuckets.join(', ')}]::float8[]) + 1`
  const counts = Array.from(
    { length: durationBuckets.length + 1 },
    (_, index) => `count(*) FILTER (WHERE status <> 'stopped' AND ${bucket} = ${index + 1})::int`,
  )
  await tx.query(
    `INSERT INTO usage_hours (workspace_id, hour, agent_id, slot, runs, failed, stopped, input_tokens, output_tokens, cost_micros, durations)
     SELECT workspace_id, date_trunc('hour', finished_at, 'UTC'), agent_id, 0, count(*),
       count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE status = 'stopped'),
       sum(input_tokens), sum(output_tokens), sum(cost_micros), ARRAY[${counts.join(', ')}]
     FROM runs WHERE workspace_id = $1 AND finished_at IS NOT NULL GROUP BY 1, 2, 3`,
    [demoWorkspaceId],
  )
}

/** A replaced demo's log already has the days before; it goes on after its last event. */
async function onlyNew(tx: pg.PoolClient, events: Record<string, unknown>[]): Promise<Record<string, unknown>[]> {
  const { rows } = await tx.query('SELECT max(at) AS last FROM audit_events WHERE workspace_id = $1', [demoWorkspaceId])
  const last: Date | null = rows[0].last
  return last ? events.filter((event) => new Date(String(event.at)) > last) : events
}
