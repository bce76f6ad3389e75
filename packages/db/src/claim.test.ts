// Every write of a claim holder, against every way in which a claim can be over: what it shows is not enough any more.
import { beforeAll, describe, expect, test } from 'vitest'
import { delegateToolCall } from './child-runs.ts'
import type { Claim } from './claim.ts'
import type { Database } from './client.ts'
import { enqueueDelivery } from './deliveries.ts'
import { finishRun } from './finish-run.ts'
import { grantLease, useLease } from './leases.ts'
import { addUsage, appendMessage, recordStep } from './messages.ts'
import { askQuestion } from './questions.ts'
import { appendRunEvent } from './run-events.ts'
import { type ClaimedRun, parkRun, renewClaim } from './runs.ts'
import { recordServerCalls } from './server-calls.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, raceBehind, requestCall, startRun, type TestWorkspace } from './testing-workspace.ts'
import { decideToolCall, finishToolCall, interruptToolCalls, requestToolCall, startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
const use = { inputTokens: 1, outputTokens: 1, costMicros: 1 }
const tool = { toolName: 'file.write', toolVersion: 'v1' }
const digest = { argumentsDigest: 'digest-1' }

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

/** A run with a call in each state that a write starts from. */
async function prepare(db: Database) {
  const run = await startRun(db, workspace)
  const approved = async () => {
    const toolCallId = await requestCall(db, run)
    await decideToolCall(db, run, { toolCallId, decision: 'allow', trail: [] })
    return toolCallId
  }
  const calls = { requested: await requestCall(db, run), approved: await approved(), running: await approved() }
  await startToolCall(db, run, { toolCallId: calls.running, ...digest })
  const { workspaceId, conversationId } = run
  const grantedBy = workspace.members.owner
  await grantLease(db, { workspaceId, conversationId, ...tool, scope: '', grantedBy, maxUses: 1, durationMs: 60_000 })
  return { run, calls }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/** Each answers what it answers when nothing was written (`nothing`) and when it was. */
const writes: Record<string, (db: Database, claim: ClaimedRun, calls: Prepared['calls']) => Promise<unknown>> = {
  renewClaim: (db, claim) => renewClaim(db, claim),
  appendMessage: (db, claim) => appendMessage(db, claim, { role: 'tool', content: [] }),
  recordStep: (db, claim) => recordStep(db, claim, { content: [], use }),
  addUsage: (db, claim) => addUsage(db, claim, use),
  appendRunEvent: (db, claim) => appendRunEvent(db, claim, { kind: 'model-start' }),
  requestToolCall: (db, claim) =>
    requestToolCall(db, claim, {
      ...{ step: 1, toolUseId: 'toolu_new', effect: 'read', idempotent: true, arguments: {} },
      ...tool,
      ...digest,
    }),
  decideToolCall: (db, claim, { requested }) =>
    decideToolCall(db, claim, { toolCallId: requested, decision: 'allow', trail: [] }),
  askQuestion: (db, claim, { requested }) =>
    askQuestion(db, claim, { toolCallId: requested, kind: 'confirmation', prompt: {} }),
  'askQuestion about the run': (db, claim) => askQuestion(db, claim, { kind: 'budget', prompt: {} }),
  recordServerCalls: (db, claim) =>
    recordServerCalls(db, claim, [
      {
        ...{ step: 1, toolUseId: 'srvtoolu_new', arguments: {}, trail: [], status: 'succeeded', output: '' },
        ...{ error: null, findings: [], taint: ['web'], startedAt: new Date() },
        ...tool,
        ...digest,
      },
    ]),
  delegateToolCall: (db, claim, { running }) =>
    delegateToolCall(db, claim, { toolCallId: running, children: [{ content: [] }] }),
  startToolCall: (db, claim, { approved }) => startToolCall(db, claim, { toolCallId: approved, ...digest }),
  finishToolCall: (db, claim, { running }) => finishToolCall(db, claim, { toolCallId: running, status: 'succeeded' }),
  useLease: (db, claim) => useLease(db, claim, { ...tool, scope: '' }),
  enqueueDelivery: (db, claim) =>
    enqueueDelivery(db, { conversationId: claim.conversationId, kind: 'text', payload: {}, claim }),
  finishRun: (db, claim) => finishRun(db, claim, { status: 'succeeded', seenMessage: 1 }),
}
const nothing = [null, false]

const overBy = {
  'was taken over': 'UPDATE runs SET claim_number = claim_number + 1 WHERE id = $1',
  'ended with the run': `UPDATE runs SET status = 'failed', finished_at = now(), claimed_by = NULL, claim_until = NULL WHERE id = $1`,
  'was given up to wait': `UPDATE runs SET status = 'waiting', claimed_by = NULL, claim_until = NULL WHERE id = $1`,
}

/** Everything that a write could have changed. */
async function snapshot({ runId }: Claim): Promise<unknown> {
  const { rows } = await database.db.pool.query(
    `SELECT (SELECT row_to_json(r) FROM runs r WHERE r.id = $1) AS run,
       (SELECT json_agg(t ORDER BY t.id) FROM tool_calls t WHERE t.run_id = $1) AS calls,
       (SELECT json_agg(l) FROM leases l JOIN runs r ON r.conversation_id = l.conversation_id WHERE r.id = $1) AS leases,
       (SELECT count(*) FROM questions WHERE run_id = $1) AS questions,
       (SELECT count(*) FROM run_events WHERE run_id = $1) AS events,
       (SELECT count(*) FROM messages m JOIN runs r ON r.conversation_id = m.conversation_id WHERE r.id = $1) AS messages,
       (SELECT count(*) FROM deliveries d JOIN runs r ON r.conversation_id = d.conversation_id WHERE r.id = $1) AS deliveries`,
    [runId],
  )
  return rows[0]
}

describe.each(Object.entries(writes))('%s', (_name, write) => {
  test('writes under a claim', async () => {
    const { run, calls } = await prepare(database.db)
    expect(nothing).not.toContain(await write(database.db, run, calls))
  })

  test.each(Object.entries(overBy))('writes nothing under a claim that %s', async (_how, sql) => {
    const { run, calls } = await prepare(database.db)
    await database.db.pool.query(sql, [run.runId])
    const before = await snapshot(run)
    expect(nothing).toContain(await write(database.db, run, calls))
    expect(await snapshot(run)).toEqual(before)
  })

  test.each(Object.entries(overBy))('writes nothing when the claim %s in the very moment', async (_how, sql) => {
    const { run, calls } = await prepare(database.db)
    const lock = { sql, id: run.runId, waiting: 1 }
    expect(nothing).toContain(await raceBehind(database.db, lock, () => write(database.db, run, calls)))
  })
})

test('parkRun and interruptToolCalls do nothing under a claim that is over', async () => {
  for (const sql of Object.values(overBy)) {
    const { run } = await prepare(database.db)
    await database.db.pool.query(sql, [run.runId])
    expect(await parkRun(database.db, run)).toBe('lost')
    expect(await interruptToolCalls(database.db, run)).toEqual([])
  }
})
