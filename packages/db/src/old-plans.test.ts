// The statements of a turn are planned once a connection. A plan from the first minute of an installation, when every table
// was empty, has to do for tables that have grown since.
import pg from 'pg'
import { expect, test } from 'vitest'
import { claimRuns } from './claim-runs.ts'
import { type Database, openDatabase } from './client.ts'
import { claimDelivery, confirmDelivery } from './deliveries.ts'
import { finishLastToolCall } from './finish-last-call.ts'
import { newId } from './ids.ts'
import { recordLastStep, recordStep } from './messages.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, say, type TestWorkspace } from './testing-workspace.ts'
import { beginToolCall } from './tool-calls.ts'

const database = useTestDatabase()
const use = { inputTokens: 1, outputTokens: 1, costMicros: 1 }
const others = 3_000

async function turn(db: Database, workspace: TestWorkspace): Promise<void> {
  const { runId, conversationId } = await say(db, workspace)
  const [taken] = await claimRuns(db, { processId: 'process-1', most: 1 })
  expect(taken?.run.runId).toBe(runId)
  const { run } = taken!
  expect(await recordStep(db, run, { content: [], use })).not.toBeNull()
  const toolCallId = newId('call')
  const call = { step: 1, toolName: 't', toolVersion: 'v', effect: 'read', idempotent: true, arguments: {} } as const
  await beginToolCall(db, run, { ...call, id: toolCallId, toolUseId: newId('use'), argumentsDigest: 'd', trail: [] })
  await finishLastToolCall(db, run, { toolCallId, status: 'succeeded' }, [])
  const deliveries = [{ kind: 'text', payload: {} }]
  expect(await recordLastStep(db, run, { content: [], use, seen: 3, deliveries })).toMatchObject({ ended: true })
  const delivery = await claimDelivery(db, { processId: 'process-1', conversationId })
  expect(await confirmDelivery(db, delivery!, null)).toBe(true)
}

/** Conversations whose runs wait for an answer, each with a call, a message and a delivery, in the same channel. */
async function grow({ workspaceId, agentId, channelId, members }: TestWorkspace): Promise<void> {
  await onOwnConnection(async (client) => {
    const [w, a, c, m] = [workspaceId, agentId, channelId, members.member].map((id) => client.escapeLiteral(id))
    const insert = (columns: string, values: string) =>
      client.query(`INSERT INTO ${columns} SELECT ${values} FROM generate_series(1, ${others}) AS n`)
    await insert(
      'conversations (id, workspace_id, agent_id, channel_id, external_key, opened_by)',
      `'c' || n, ${w}, ${a}, ${c}, 'k' || n, ${m}`,
    )
    await insert(
      'runs (id, workspace_id, agent_id, conversation_id, requested_by, trigger, status)',
      `'r' || n, ${w}, ${a}, 'c' || n, ${m}, 'message', 'waiting'`,
    )
    await insert(
      'tool_calls (id, workspace_id, agent_id, run_id, conversation_id, step, tool_use_id, tool_name, tool_version, effect, arguments, arguments_digest, status)',
      `'t' || n, ${w}, ${a}, 'r' || n, 'c' || n, 1, 'u', 't', 'v', 'read', '{}', 'd', 'asking'`,
    )
    await insert(
      'questions (id, workspace_id, run_id, tool_call_id, kind, prompt, expires_at)',
      `'q' || n, ${w}, 'r' || n, 't' || n, 'confirmation', '{}', now() + interval '1 day'`,
    )
    await insert(
      'messages (conversation_id, number, workspace_id, run_id, role, content, member_id)',
      `'c' || n, 1, ${w}, 'r' || n, 'user', '[]', ${m}`,
    )
    await insert(
      'deliveries (id, workspace_id, conversation_id, channel_id, number, kind, payload, status, sent_at)',
      `'d' || n, ${w}, 'c' || n, ${c}, 1, 'text', '{}', 'sent', now()`,
    )
  })
}

test('a turn with plans from when there was nothing reads no more rows where there is much', async () => {
  // A server that analyses the tables meanwhile would have the statements planned anew.
  const tables = ['conversations', 'runs', 'tool_calls', 'questions', 'messages', 'deliveries', 'inbound_events']
  for (const table of tables) await database.db.pool.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`)
  const workspace = await createTestWorkspace(database.db)
  const db = openDatabase(database.url, { name: 'planned-early', maxConnections: 2 })
  try {
    await turn(db, workspace)
    await grow(workspace)
    const before = await readRows()
    await turn(db, workspace)
    await turn(db, workspace)
    await db.close()
    expect((await readRows()) - before).toBeLessThan(others)
  } finally {
    await db.close()
  }
})

/** Rows that were read so far, in whatever way. */
function readRows(): Promise<number> {
  return onOwnConnection(async (client) => {
    const { rows } = await client.query(
      `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables) AS rows`,
    )
    return Number(rows[0].rows)
  })
}

/** What a connection did is counted when it ends. */
async function onOwnConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
