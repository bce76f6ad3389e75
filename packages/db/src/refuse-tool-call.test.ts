import { beforeAll, expect, test } from 'vitest'
import type { ClaimedRun } from './runs.ts'
import { readTaint, taintToolCall } from './taint.ts'
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
import { decideToolCall, finishToolCall, refuseToolCall, startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const read = (id: string) => database.db.prisma.toolCall.findUniqueOrThrow({ where: { id } })
const start = (run: ClaimedRun, toolCallId: string) =>
  startToolCall(database.db, run, { toolCallId, argumentsDigest: 'digest-1' })

async function approvedCall(run: ClaimedRun): Promise<string> {
  const id = await requestCall(database.db, run)
  await decideToolCall(database.db, run, { toolCallId: id, decision: 'allow', trail: ['profile'] })
  return id
}

test('a call is refused before it starts, once, and an approved one that was refused cannot start', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  const requested = await requestCall(db, run)
  const trail = [{ layer: 'global', verdict: 'deny' }]
  const refusals = await race(10, () => refuseToolCall(db, run, { toolCallId: requested, error: 'not here', trail }))
  expect(refusals.filter(Boolean)).toHaveLength(1)
  expect(await read(requested)).toMatchObject({ status: 'refused', decision: 'deny', trail, error: 'not here' })

  const approved = await approvedCall(run)
  expect(await refuseToolCall(db, run, { toolCallId: approved, error: 'no secret' })).toBe(true)
  expect(await read(approved)).toMatchObject({ status: 'refused', decision: 'allow', trail: ['profile'] })
  expect(await start(run, approved)).toBeNull()
  expect((await eventKinds(db, run.runId)).filter((kind) => kind === 'tool-call-end')).toHaveLength(2)
})

test('a call that runs, that another run made or whose claim is lost is not refused', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  const running = await approvedCall(run)
  await start(run, running)
  expect(await refuseToolCall(db, run, { toolCallId: running, error: 'late' })).toBe(false)
  const requested = await requestCall(db, run)
  const refusal = { toolCallId: requested, error: 'not mine' }
  expect(await refuseToolCall(db, await startRun(db, workspace), refusal)).toBe(false)
  await loseClaim(db, run.runId)
  await claim(db, run.runId)
  expect(await refuseToolCall(db, run, refusal)).toBe(false)
  expect((await read(requested)).status).toBe('requested')
})

test('what a call read of strangers stays with the conversation, also for the runs after it', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  const clean = await approvedCall(run)
  await start(run, clean)
  await finishToolCall(db, run, { toolCallId: clean, status: 'succeeded' })
  expect(await readTaint(db, run.conversationId)).toEqual([])

  const call = await approvedCall(run)
  await start(run, call)
  expect(await taintToolCall(db, run, { toolCallId: call, taint: ['mail'] })).toBe(true)
  const taint = ['https://example.com/', 'mail', 'mail']
  await finishToolCall(db, run, { toolCallId: call, status: 'failed', error: 'no', taint })
  expect(await readTaint(db, run.conversationId)).toEqual(['https://example.com/', 'mail'])
  expect(await readTaint(db, (await startRun(db, workspace)).conversationId)).toEqual([])
  await loseClaim(db, run.runId)
  await claim(db, run.runId)
  expect(await taintToolCall(db, run, { toolCallId: clean, taint: ['x'] })).toBe(false)
})
