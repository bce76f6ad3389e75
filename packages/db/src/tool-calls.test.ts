import { beforeAll, expect, test } from 'vitest'
import { answerQuestion } from './answer-question.ts'
import { askQuestion } from './questions.ts'
import type { ClaimedRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  eventKinds,
  loseClaim,
  race,
  requestCall,
  startRun,
  type TestWorkspace,
} from './testing-workspace.ts'
import { decideToolCall, finishToolCall, interruptToolCalls, requestToolCall, startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const read = (id: string) => database.db.prisma.toolCall.findUniqueOrThrow({ where: { id } })
const allow = (run: ClaimedRun, toolCallId: string) =>
  decideToolCall(database.db, run, { toolCallId, decision: 'allow', trail: ['profile'] })
const start = (run: ClaimedRun, toolCallId: string, argumentsDigest = 'digest-1') =>
  startToolCall(database.db, run, { toolCallId, argumentsDigest })

async function approvedCall(run: ClaimedRun, call: Parameters<typeof requestCall>[2] = {}): Promise<string> {
  const id = await requestCall(database.db, run, call)
  await allow(run, id)
  return id
}

test('a replayed step finds the call that it recorded before', async () => {
  const run = await startRun(database.db, workspace)
  const call = {
    step: 1,
    toolUseId: 'toolu_1',
    toolName: 'file.read',
    toolVersion: 'v1',
    effect: 'read',
    idempotent: true,
    arguments: {},
    argumentsDigest: 'd',
  } as const
  const requested = await race(30, () => requestToolCall(database.db, run, call))
  expect(requested.filter((each) => each?.created)).toHaveLength(1)
  expect(new Set(requested.map((each) => each?.id)).size).toBe(1)
  expect((await eventKinds(database.db, run.runId)).filter((kind) => kind === 'tool-call-request')).toHaveLength(1)
})

test('a call goes from request to result, with a record of each', async () => {
  const run = await startRun(database.db, workspace)
  const id = await approvedCall(run)
  expect(await start(run, id)).toBe('started')
  expect(
    await finishToolCall(database.db, run, { toolCallId: id, status: 'succeeded', output: 'done', findings: ['x'] }),
  ).toBe(true)
  expect(await read(id)).toMatchObject({ status: 'succeeded', output: 'done', outputBytes: 4, decision: 'allow' })
  expect((await read(id)).durationMs).toBeGreaterThanOrEqual(0)
  expect(await eventKinds(database.db, run.runId)).toEqual(
    expect.arrayContaining(['tool-call-request', 'decision', 'tool-call-start', 'tool-call-end']),
  )
})

test('of a hundred that start an approved call, one does', async () => {
  const run = await startRun(database.db, workspace)
  const id = await approvedCall(run)
  const started = await race(100, () => start(run, id))
  expect(started.filter((outcome) => outcome === 'started')).toHaveLength(1)
  expect(started.filter((outcome) => outcome === null)).toHaveLength(99)
  expect((await eventKinds(database.db, run.runId)).filter((kind) => kind === 'tool-call-start')).toHaveLength(1)
})

test('a call that was not approved does not start', async () => {
  const run = await startRun(database.db, workspace)
  const requested = await requestCall(database.db, run)
  expect(await start(run, requested)).toBeNull()
  await decideToolCall(database.db, run, { toolCallId: requested, decision: 'deny', trail: [], error: 'Not here.' })
  expect(await start(run, requested)).toBeNull()
  expect(await read(requested)).toMatchObject({ status: 'refused', error: 'Not here.' })
  expect(await allow(run, requested)).toBe(false)
})

test('a call whose arguments changed since they were recorded is refused for good', async () => {
  const run = await startRun(database.db, workspace)
  const id = await approvedCall(run)
  expect(await start(run, id, 'digest-2')).toBe('changed')
  expect((await read(id)).status).toBe('refused')
  expect(await start(run, id)).toBeNull()
})

test('a call that was edited in the database after people approved it is refused', async () => {
  const run = await startRun(database.db, workspace)
  const id = await requestCall(database.db, run)
  const questionId = await askQuestion(database.db, run, { toolCallId: id, kind: 'confirmation', prompt: {} })
  await answerQuestion(database.db, {
    questionId: questionId!,
    memberId: workspace.members.owner,
    verdict: 'approve',
    surface: 'web',
  })
  await database.db.pool.query(
    `UPDATE tool_calls SET arguments = '{"path": "/etc"}', arguments_digest = 'digest-2' WHERE id = $1`,
    [id],
  )
  expect(await start(run, id, 'digest-2')).toBe('changed')
})

test('a call of another run cannot be decided, started or finished', async () => {
  const run = await startRun(database.db, workspace)
  const other = await startRun(database.db, workspace)
  const id = await requestCall(database.db, run)
  expect(await allow(other, id)).toBe(false)
  expect(await allow(run, id)).toBe(true)
  expect(await start(other, id)).toBeNull()
  expect(await start(run, id)).toBe('started')
  expect(await finishToolCall(database.db, other, { toolCallId: id, status: 'succeeded' })).toBe(false)
})

test('what a lost claim left running runs again if it may, and is interrupted otherwise', async () => {
  const lost = await startRun(database.db, workspace)
  const safe = await approvedCall(lost, { idempotent: true })
  const unsafe = await approvedCall(lost)
  await start(lost, safe)
  await start(lost, unsafe)
  await loseClaim(database.db, lost.runId)
  const run = await claim(database.db, lost.runId)

  const interrupted = await interruptToolCalls(database.db, run)
  expect(Object.fromEntries(interrupted.map((call) => [call.id, call.status]))).toEqual({
    [safe]: 'approved',
    [unsafe]: 'interrupted',
  })
  expect(await start(run, unsafe)).toBeNull()
  expect(await start(run, safe)).toBe('started')
  expect(await interruptToolCalls(database.db, run)).toEqual([])
  expect((await read(safe)).status).toBe('running')
})

test('a holder whose claim was taken over cannot touch its calls, and the new holder can', async () => {
  const old = await startRun(database.db, workspace)
  const requested = await requestCall(database.db, old)
  const approved = await approvedCall(old)
  const running = await approvedCall(old, { idempotent: true })
  await start(old, running)
  await loseClaim(database.db, old.runId)
  const run = await claim(database.db, old.runId)

  expect(await allow(old, requested)).toBe(false)
  expect(await start(old, approved)).toBeNull()
  expect(await finishToolCall(database.db, old, { toolCallId: running, status: 'succeeded' })).toBe(false)
  expect(await interruptToolCalls(database.db, old)).toEqual([])
  expect(await askQuestion(database.db, old, { toolCallId: requested, kind: 'confirmation', prompt: {} })).toBeNull()
  await expect(requestCall(database.db, old)).rejects.toThrow('expected the call')

  expect(await finishToolCall(database.db, run, { toolCallId: running, status: 'succeeded' })).toBe(false)
  expect(await allow(run, requested)).toBe(true)
  expect(await start(run, approved)).toBe('started')
  expect(await finishToolCall(database.db, run, { toolCallId: approved, status: 'failed', error: 'no' })).toBe(true)
})
