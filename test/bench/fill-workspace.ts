// A workspace with a long past: so many runs and tool calls, spread over agents, people, tools, ends and half a year, as
// they lie when they came one after the other. Made by the server itself, without its indexes, which are built at the end.
import { type Database, newId } from '@quartermaster/db'
import pg from 'pg'
import { addToUsage } from '../../packages/db/src/usage.ts'

export interface Filling {
  workspaceId: string
  calls: number
  runs: number
}

/** How many rows one statement makes. */
const chunk = 500_000
const agents = 12
const members = 30
const tools = 40
/** The newest runs wait for somebody. */
const waiting = 60

/** The workspace and its people are there already, see seedFirstData; the rest is made here. */
export async function fillWorkspace(db: Database, { workspaceId, calls, runs }: Filling): Promise<void> {
  const client = new pg.Client({ connectionString: db.url, application_name: 'qm-bench-fill' })
  await client.connect()
  try {
    // What refers to what is right by how it is made; checking each row of ten million would be most of the work.
    await client.query(`SET session_replication_role = replica`)
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'`)
    await fill(client, { workspaceId, calls, runs })
  } finally {
    await client.end()
  }
}

async function fill(client: pg.Client, { workspaceId, calls, runs }: Filling): Promise<void> {
  const conversations = Math.max(waiting + 1, Math.round(runs / 10))
  const channelId = await makeGround(client, workspaceId)
  const dropped = await dropIndexes(client, ['conversations', 'runs', 'tool_calls'])
  await inChunks(conversations, (from, to) =>
    client.query(
      `INSERT INTO conversations (id, workspace_id, channel_id, agent_id, external_key, title, created_at, last_activity_at)
       SELECT ${idOf('cnv', 'n')}, $1, $2, ${agentOf('n')}, 'C0BENCH:' || n, 'Conversation ' || n, now(), now()
       FROM generate_series($3::int, $4::int) AS n`,
      [workspaceId, channelId, from, to],
    ),
  )
  await inChunks(runs, (from, to) =>
    client.query(
      `INSERT INTO runs (id, workspace_id, conversation_id, agent_id, requested_by, trigger, title, status, steps, input_tokens,
         output_tokens, cost_micros, error_code, error_message, queued_at, started_at, finished_at)
       SELECT ${idOf('run', 'n')}, $1, ${idOf('cnv', `(1 + n % ${conversations})`)}, ${agentOf(`(1 + n % ${conversations})`)},
         CASE WHEN n % 11 > 0 THEN ${idOf('mem', `floor(power(${hash('n', 3)}, 2) * ${members})::int`)} END,
         CASE WHEN n % 11 > 0 THEN 'message' ELSE 'schedule' END::run_trigger,
         (ARRAY['Why is the build of', 'Restart the gateway of', 'Summarise the week of', 'Answer the ticket of', 'Look at the queue of'])[1 + n % 5]
           || ' customer ' || n,
         CASE WHEN late THEN 'waiting' WHEN h < 0.94 THEN 'succeeded' WHEN h < 0.98 THEN 'failed' ELSE 'stopped' END::run_status,
         2 + n % 9, 4000 + n % 9000, 200 + n % 900, 9000 + n % 40000,
         CASE WHEN h >= 0.94 AND h < 0.98 AND NOT late THEN 'step-limit' END,
         CASE WHEN h >= 0.94 AND h < 0.98 AND NOT late THEN 'The run reached its limit of 40 steps.' END,
         at, at + interval '40 milliseconds', CASE WHEN late THEN NULL ELSE at + (2 + 60 * power(h, 6)) * interval '1 second' END
       FROM (SELECT n, ${hash('n', 1)} AS h, n > ${runs - waiting} AS late, ${timeOfRun('n', runs)} AS at
         FROM generate_series($2::int, $3::int) AS n) AS each`,
      [workspaceId, from, to],
    ),
  )
  await inChunks(calls, (from, to) =>
    client.query(
      `INSERT INTO tool_calls (id, workspace_id, run_id, conversation_id, agent_id, step, tool_use_id, tool_name, tool_version,
         effect, idempotent, arguments, arguments_digest, status, decision, trail, output, error, output_bytes, duration_ms,
         requested_at, started_at, finished_at)
       SELECT ${idOf('call', 'n')}, $1, ${idOf('run', 'run')}, ${idOf('cnv', `(1 + run % ${conversations})`)},
         ${agentOf(`(1 + run % ${conversations})`)}, 1 + n % 9, 'toolu_bench_' || n, ${toolOf('n')}, 'v1', 'read', true,
         jsonb_build_object('path', 'services/gateway-' || n % 977 || '/main.ts', 'ticket', n, 'reason', 'to see what ' || (n::bigint * 7919) % 100003 || ' does'),
         md5(n::text), status::tool_call_status,
         CASE WHEN status = 'refused' THEN 'deny' WHEN status IN ('denied', 'asking') OR n % 20 = 0 THEN 'ask' ELSE 'allow' END::decision,
         '[{"step": "attachment", "verdict": "allow"}, {"step": "profile", "verdict": "allow", "by": "coding"}, {"step": "hook", "verdict": "silent"}]',
         CASE WHEN status = 'succeeded' THEN repeat('line ' || n || ' of the answer; ', 6) END,
         CASE WHEN status IN ('failed', 'refused', 'denied') THEN 'It ended with ' || status || '.' END,
         CASE WHEN status = 'succeeded' THEN 150 END,
         CASE WHEN status IN ('succeeded', 'failed') THEN (20 + 30000 * power(h2, 9))::int END,
         at, at + interval '4 milliseconds', CASE WHEN status <> 'asking' THEN at + interval '300 milliseconds' END
       FROM (SELECT n, run, ${hash('n', 5)} AS h2, ${timeOfRun('run', runs)} + (n % 9) * interval '700 milliseconds' AS at,
           CASE WHEN run > ${runs - waiting} AND n = ceil(run::float8 * ${calls} / ${runs})::int THEN 'asking' WHEN h < 0.92 THEN 'succeeded'
             WHEN h < 0.97 THEN 'failed' WHEN h < 0.985 THEN 'refused' WHEN h < 0.997 THEN 'denied' ELSE 'interrupted' END AS status
         FROM (SELECT n, ceil(n::float8 * ${runs} / ${calls})::int AS run, ${hash('n', 4)} AS h FROM generate_series($2::int, $3::int) AS n) AS counted) AS each`,
      [workspaceId, from, to],
    ),
  )
  await client.query(
    `INSERT INTO questions (id, workspace_id, run_id, tool_call_id, kind, prompt, approvers, asked_at, expires_at)
     SELECT replace(t.id, 'call_', 'qst_'), workspace_id, run_id, id, 'confirmation', jsonb_build_object('title', 'May I use ' || tool_name || '?'),
       '{"roles": ["approver"]}', requested_at, now() + interval '1 day'
     FROM tool_calls t WHERE workspace_id = $1 AND status = 'asking'`,
    [workspaceId],
  )
  for (const definition of dropped) await client.query(definition)
  await client.query(
    `WITH ended AS (SELECT * FROM runs WHERE workspace_id = $1 AND finished_at IS NOT NULL) ${addToUsage('ended')}`,
    [workspaceId],
  )
  for (const table of ['conversations', 'runs', 'tool_calls', 'usage_hours', 'questions'])
    await client.query(`VACUUM (ANALYZE) ${table}`)
}

/** Agents, tools' names and people, under ids that a number names; what the workspace had before stays. */
async function makeGround(client: pg.Client, workspaceId: string): Promise<string> {
  const channelId = newId('chn')
  await client.query(
    `INSERT INTO channels (id, workspace_id, kind, name, external_id) VALUES ($1, $2, 'slack', 'Bench', $1)`,
    [channelId, workspaceId],
  )
  await client.query(
    `INSERT INTO agents (id, workspace_id, slug, name) SELECT ${idOf('agt', 'n')}, $1, 'agent-' || n, 'Agent ' || n
     FROM generate_series(0, ${agents - 1}) AS n`,
    [workspaceId],
  )
  await client.query(
    `INSERT INTO members (id, workspace_id, name, role) SELECT ${idOf('mem', 'n')}, $1, 'Member ' || n, 'member'
     FROM generate_series(0, ${members - 1}) AS n`,
    [workspaceId],
  )
  return channelId
}

async function inChunks(count: number, make: (from: number, to: number) => Promise<unknown>): Promise<void> {
  for (let from = 1; from <= count; from += chunk) await make(from, Math.min(count, from + chunk - 1))
}

/** Drops what can be built again faster at the end, and says how. Unique ones stay: keys refer to them. */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT quote_ident(indexname) AS name, indexdef AS definition FROM pg_indexes
     WHERE schemaname = 'public' AND tablename = ANY($1) AND indexdef NOT LIKE 'CREATE UNIQUE%'`,
    [tables],
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  return rows.map(({ definition }) => definition)
}

/** As long as a real one, in the order of the numbers. */
const idOf = (kind: string, n: string) => `'${kind}_' || lpad((${n})::text, 26, '0')`
/** A number from 0 to 1 that looks like chance and is always the same. */
const hash = (n: string, salt: number) => `(abs(hashint8((${n})::bigint * 16 + ${salt}))::float8 / 2147483648.0)`
/** A few are used most: half of everything is the first quarter's. */
const agentOf = (n: string) => idOf('agt', `floor(power(${hash(n, 2)}, 2) * ${agents})::int`)
const toolOf = (n: string) => `'bench.tool-' || lpad(floor(power(${hash(n, 6)}, 3) * ${tools})::text, 2, '0')`
/** Half a year, evenly, up to now. */
const timeOfRun = (n: string, runs: number) =>
  `date_trunc('milliseconds', now() - interval '180 days' * (1 - (${n})::float8 / ${runs}) - interval '1 minute')`
