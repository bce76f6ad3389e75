// What the database itself refuses about runs and what hangs on them, whoever writes: each rule of
// prisma/migrations/*_invariants with a write that it refuses and a sibling that it allows.
import { beforeAll, describe, expect, test } from 'vitest'
import { enqueueDelivery } from './deliveries.ts'
import { finishRun } from './finish-run.ts'
import { newId } from './ids.ts'
import { grantLease } from './leases.ts'
import { askQuestion, withdrawQuestions } from './questions.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, requestCall, say, startRun, type TestWorkspace } from './testing-workspace.ts'
import { decideToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const sql = (text: string, ...values: unknown[]) => database.db.pool.query(text, values)
const refused = (constraint: string) => expect.objectContaining({ constraint })

const insertRun = (conversationId: string, status: string, more = '') =>
  sql(
    `INSERT INTO runs (id, workspace_id, conversation_id, agent_id, trigger, status${more && ', finished_at'})
     VALUES ($1, $2, $3, $4, 'api', $5::run_status${more})`,
    newId('run'),
    workspace.workspaceId,
    conversationId,
    workspace.agentId,
    status,
  )

describe('runs', () => {
  test('a conversation has one unfinished run, and as many finished ones as it likes', async () => {
    const { conversationId } = await say(database.db, workspace)
    for (const status of ['queued', 'waiting'])
      await expect(insertRun(conversationId, status)).rejects.toEqual(refused('runs_one_unfinished'))
    await insertRun(conversationId, 'succeeded', ', now()')
    await insertRun(conversationId, 'failed', ', now()')
  })

  test('a claim exists exactly while a run runs', async () => {
    const { runId } = await say(database.db, workspace)
    const set = (columns: string) => sql(`UPDATE runs SET ${columns} WHERE id = $1`, runId)
    await expect(set(`status = 'running'`)).rejects.toEqual(refused('runs_claim_while_running'))
    for (const columns of [`claimed_by = 'p', claim_until = now()`, `claimed_by = 'p'`, 'claim_until = now()'])
      await expect(set(columns)).rejects.toEqual(refused('runs_claim_while_running'))
    await set(`status = 'running', claimed_by = 'p', claim_until = now()`)
    await expect(set(`status = 'waiting'`)).rejects.toEqual(refused('runs_claim_while_running'))
  })

  test('a run has an end exactly when it has ended', async () => {
    const { runId } = await say(database.db, workspace)
    const set = (columns: string) => sql(`UPDATE runs SET ${columns} WHERE id = $1`, runId)
    await expect(set(`status = 'failed'`)).rejects.toEqual(refused('runs_finished_at'))
    await expect(set('finished_at = now()')).rejects.toEqual(refused('runs_finished_at'))
    await set(`status = 'failed', finished_at = now()`)
  })

  test('counts are never negative', async () => {
    const { runId } = await say(database.db, workspace)
    for (const column of ['steps', 'input_tokens', 'output_tokens', 'cost_micros']) {
      await expect(sql(`UPDATE runs SET ${column} = -1 WHERE id = $1`, runId)).rejects.toEqual(refused('runs_counts'))
      await sql(`UPDATE runs SET ${column} = 1 WHERE id = $1`, runId)
    }
  })

  test('a finished run stays as it ended, and its title may still change', async () => {
    const run = await startRun(database.db, workspace)
    await finishRun(database.db, run, { status: 'succeeded' })
    await expect(sql(`UPDATE runs SET status = 'queued', finished_at = NULL WHERE id = $1`, run.runId)).rejects.toEqual(
      refused('runs_finished_is_final'),
    )
    await sql(`UPDATE runs SET title = 'renamed' WHERE id = $1`, run.runId)
  })

  test('a run cannot point into another workspace', async () => {
    const other = await createTestWorkspace(database.db)
    const { runId } = await say(database.db, workspace)
    const ask = (memberId: string) => sql('UPDATE runs SET requested_by = $2 WHERE id = $1', runId, memberId)
    await expect(ask(other.members.owner)).rejects.toEqual(refused('runs_workspace_id_requested_by_fkey'))
    await ask(workspace.members.owner)
  })
})

describe('tool calls', () => {
  test('a running call names its claim and its start', async () => {
    const id = await requestCall(database.db, await startRun(database.db, workspace))
    const set = (columns: string) => sql(`UPDATE tool_calls SET ${columns} WHERE id = $1`, id)
    await expect(set(`status = 'running'`)).rejects.toEqual(refused('tool_calls_running_has_claim'))
    await expect(set(`status = 'running', claimed_by = 'p'`)).rejects.toEqual(refused('tool_calls_running_has_claim'))
    await set(`status = 'running', claimed_by = 'p', started_at = now()`)
  })

  test('a call has an end exactly when it has ended', async () => {
    const id = await requestCall(database.db, await startRun(database.db, workspace))
    const set = (columns: string) => sql(`UPDATE tool_calls SET ${columns} WHERE id = $1`, id)
    for (const status of ['succeeded', 'failed', 'interrupted', 'refused', 'denied'])
      await expect(set(`status = '${status}'`)).rejects.toEqual(refused('tool_calls_finished_at'))
    await expect(set('finished_at = now()')).rejects.toEqual(refused('tool_calls_finished_at'))
    await set(`status = 'denied', finished_at = now()`)
  })

  test('a finished call stays as it ended', async () => {
    const run = await startRun(database.db, workspace)
    const id = await requestCall(database.db, run)
    await decideToolCall(database.db, run, { toolCallId: id, decision: 'deny', trail: [] })
    await expect(
      sql(`UPDATE tool_calls SET status = 'approved', finished_at = NULL WHERE id = $1`, id),
    ).rejects.toEqual(refused('tool_calls_finished_is_final'))
    await sql(`UPDATE tool_calls SET findings = '["seen"]' WHERE id = $1`, id)
  })

  test('a request of the model is one call in a run', async () => {
    const run = await startRun(database.db, workspace)
    const id = await requestCall(database.db, run, { toolUseId: 'toolu_1' })
    const copy = (toolUseId: string) =>
      sql(
        `INSERT INTO tool_calls (id, workspace_id, run_id, conversation_id, agent_id, step, tool_use_id, tool_name,
           tool_version, effect, arguments, arguments_digest)
         SELECT $2, workspace_id, run_id, conversation_id, agent_id, step, $3, tool_name, tool_version, effect, arguments,
           arguments_digest FROM tool_calls WHERE id = $1`,
        id,
        newId('call'),
        toolUseId,
      )
    await expect(copy('toolu_1')).rejects.toEqual(refused('tool_calls_run_id_tool_use_id_key'))
    await copy('toolu_2')
  })
})

describe('questions', () => {
  async function ask() {
    const run = await startRun(database.db, workspace)
    const toolCallId = await requestCall(database.db, run)
    const id = await askQuestion(database.db, run, { toolCallId, kind: 'confirmation', prompt: {} })
    return { run, toolCallId, id: id! }
  }
  const withdraw = (runId: string) =>
    withdrawQuestions(database.db, {
      workspaceId: workspace.workspaceId,
      runId,
      reason: 'test',
      actor: { kind: 'system', id: 'test' },
    })

  test('a call has one open question, and another when that one is closed', async () => {
    const { run, id } = await ask()
    const again = () =>
      sql(
        `INSERT INTO questions (id, workspace_id, run_id, tool_call_id, kind, prompt, expires_at)
         SELECT $2, workspace_id, run_id, tool_call_id, kind, prompt, expires_at FROM questions WHERE id = $1`,
        id,
        newId('q'),
      )
    await expect(again()).rejects.toEqual(refused('questions_one_open'))
    await withdraw(run.runId)
    await again()
  })

  test('a question is closed exactly when it has a time of closing', async () => {
    const { id } = await ask()
    await expect(sql(`UPDATE questions SET status = 'answered' WHERE id = $1`, id)).rejects.toEqual(
      refused('questions_closed_at'),
    )
    await expect(sql('UPDATE questions SET closed_at = now() WHERE id = $1', id)).rejects.toEqual(
      refused('questions_closed_at'),
    )
    await sql(`UPDATE questions SET status = 'answered', closed_at = now() WHERE id = $1`, id)
  })

  test('between one and twenty answers can be required', async () => {
    const { id } = await ask()
    const need = (count: number) => sql('UPDATE questions SET required_answers = $2 WHERE id = $1', id, count)
    for (const count of [0, 21]) await expect(need(count)).rejects.toEqual(refused('questions_required_answers'))
    for (const count of [1, 20]) await need(count)
  })

  test('a closed question stays as it was answered', async () => {
    const { run, id } = await ask()
    await withdraw(run.runId)
    await expect(sql(`UPDATE questions SET status = 'open', closed_at = NULL WHERE id = $1`, id)).rejects.toEqual(
      refused('questions_closed_is_final'),
    )
    await sql(`UPDATE questions SET prompt = '{"title": "old"}' WHERE id = $1`, id)
  })

  test('a member answers a question once, and another member may answer too', async () => {
    const { id } = await ask()
    const answer = (memberId: string) =>
      sql(
        `INSERT INTO answers (question_id, member_id, workspace_id, verdict, surface) VALUES ($1, $2, $3, 'approve', 'web')`,
        id,
        memberId,
        workspace.workspaceId,
      )
    await answer(workspace.members.owner)
    await expect(answer(workspace.members.owner)).rejects.toEqual(refused('answers_pkey'))
    await answer(workspace.members.admin)
  })

  test('a lease is never used more often than it was granted', async () => {
    const { run } = await ask()
    const leaseId = await grantLease(database.db, {
      workspaceId: workspace.workspaceId,
      conversationId: run.conversationId,
      toolName: 't',
      toolVersion: 'v',
      scope: '',
      grantedBy: workspace.members.owner,
      maxUses: 2,
      durationMs: 1_000,
    })
    const set = (columns: string) => sql(`UPDATE leases SET ${columns} WHERE id = $1`, leaseId)
    for (const columns of ['uses = 3', 'uses = -1', 'max_uses = 0'])
      await expect(set(columns)).rejects.toEqual(refused('leases_uses'))
    await set('uses = 2')
  })
})

describe('deliveries', () => {
  async function enqueueTwo(): Promise<[string, string]> {
    const { conversationId } = await say(database.db, workspace)
    const delivery = { conversationId, kind: 'text', payload: {} }
    const first = await enqueueDelivery(database.db, delivery)
    const second = await enqueueDelivery(database.db, delivery)
    return [first!.id, second!.id]
  }
  const set = (id: string, columns: string) => sql(`UPDATE deliveries SET ${columns} WHERE id = $1`, id)
  const sending = `status = 'sending', claimed_by = 'p', claim_until = now()`

  test('a conversation sends one delivery at a time', async () => {
    const [first, second] = await enqueueTwo()
    await set(first, sending)
    await expect(set(second, sending)).rejects.toEqual(refused('deliveries_one_sending'))
    await set(first, `status = 'sent', sent_at = now(), claimed_by = NULL, claim_until = NULL`)
    await set(second, sending)
  })

  test('a claim exists exactly while a delivery is sent', async () => {
    const [first] = await enqueueTwo()
    await expect(set(first, `status = 'sending'`)).rejects.toEqual(refused('deliveries_claim_while_sending'))
    for (const columns of [`claimed_by = 'p', claim_until = now()`, `claimed_by = 'p'`, 'claim_until = now()'])
      await expect(set(first, columns)).rejects.toEqual(refused('deliveries_claim_while_sending'))
    await set(first, sending)
  })

  test('a delivery has a time of sending exactly when it was sent', async () => {
    const [first] = await enqueueTwo()
    await expect(set(first, `status = 'sent'`)).rejects.toEqual(refused('deliveries_sent_at'))
    await expect(set(first, 'sent_at = now()')).rejects.toEqual(refused('deliveries_sent_at'))
    await set(first, `status = 'sent', sent_at = now()`)
  })

  test('two deliveries of a conversation have two numbers', async () => {
    const [first] = await enqueueTwo()
    await expect(set(first, 'number = 2')).rejects.toEqual(refused('deliveries_conversation_id_number_key'))
    await set(first, 'number = 3')
  })
})

describe('virtual files', () => {
  const insert = async (file: { conversation?: boolean; agent?: boolean; path?: string; size?: number }) => {
    const { conversationId } = await say(database.db, workspace)
    return sql(
      `INSERT INTO virtual_files (id, workspace_id, conversation_id, agent_id, path, content, size)
       VALUES ($1, $2, $3, $4, $5, '\\x6162', $6)`,
      newId('file'),
      workspace.workspaceId,
      file.conversation ? conversationId : null,
      file.agent ? workspace.agentId : null,
      file.path ?? `/${newId('path')}`,
      file.size ?? 2,
    )
  }

  test('a file belongs to a conversation or to an agent, and never to both or neither', async () => {
    await expect(insert({})).rejects.toEqual(refused('virtual_files_one_owner'))
    await expect(insert({ conversation: true, agent: true })).rejects.toEqual(refused('virtual_files_one_owner'))
    await insert({ conversation: true })
    await insert({ agent: true })
  })

  test('a path begins at the root and has at most 1,024 characters', async () => {
    await expect(insert({ agent: true, path: 'a' })).rejects.toEqual(refused('virtual_files_path'))
    await expect(insert({ agent: true, path: `/${'a'.repeat(1_024)}` })).rejects.toEqual(refused('virtual_files_path'))
    await insert({ agent: true, path: `/${'a'.repeat(1_023)}` })
  })

  test('a file’s size is that of its content', async () => {
    await expect(insert({ agent: true, size: 3 })).rejects.toEqual(refused('virtual_files_size'))
    await insert({ agent: true, size: 2 })
  })
})
