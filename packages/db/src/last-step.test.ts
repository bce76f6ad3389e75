import { beforeAll, expect, test } from 'vitest'
import { startChildRun } from './child-runs.ts'
import { requestStop } from './finish-run.ts'
import { recordLastStep } from './messages.ts'
import { parkRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  eventKinds,
  isQueued,
  loseClaim,
  readRun,
  requestCall,
  say,
  startRun,
  type TestWorkspace,
} from './testing-workspace.ts'
import { beginToolCall } from './tool-calls.ts'
import { readUsage } from './usage.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const use = { inputTokens: 10, outputTokens: 5, costMicros: 700 }
const words = { content: [{ type: 'text', text: 'Done.' }], use, startedAt: new Date() }

test('the last step and the end of the run are one: message, use, delivery, and the run’s end after the step’s', async () => {
  const { db } = database
  const fresh = await createTestWorkspace(db)
  const run = await startRun(db, fresh)
  const deliveries = [{ kind: 'text', payload: { kind: 'text', markdown: 'Done.', step: 1 } }]
  const ended = await recordLastStep(db, run, { ...words, deliveries, after: 0, seen: 1 })
  expect(ended).toEqual({ number: 2, step: 1, costMicros: 700, ended: true })
  expect(await readRun(db, run.runId)).toMatchObject({
    status: 'succeeded',
    steps: 1,
    claimedBy: null,
    claimUntil: null,
  })
  expect(await db.prisma.delivery.count({ where: { runId: run.runId } })).toBe(1)
  const kinds = await eventKinds(db, run.runId)
  expect(kinds.at(-1)).toBe('run-end')
  expect([...kinds].sort()).toEqual(
    ['message', 'message', 'model-end', 'model-start', 'run-end', 'run-queue', 'run-start'].sort(),
  )
  const now = new Date()
  const [hour] = await readUsage(db, fresh.workspaceId, { from: now, to: new Date(now.getTime() + 1), step: 'hour' })
  expect(hour).toMatchObject({ runs: 1, inputTokens: 10, costMicros: 700 })
  expect(await recordLastStep(db, run, { ...words, after: 0, seen: 1 })).toBeNull()
})

test('where people wrote meanwhile the step is recorded and the run goes on under its claim', async () => {
  const { db } = database
  const conversationKey = 'meanwhile'
  const run = await claim(db, (await say(db, workspace, { conversationKey })).runId)
  await say(db, workspace, { conversationKey })
  const deliveries = [{ kind: 'text', payload: { kind: 'text', markdown: 'Done.', step: 1, last: true } }]
  const step = { ...words, deliveries }
  expect(await recordLastStep(db, run, { ...step, seen: 1 })).toMatchObject({ number: 3, step: 1, ended: false })
  expect(await readRun(db, run.runId)).toMatchObject({ status: 'running', claimNumber: 1, finishedAt: null })
  expect(await recordLastStep(db, run, { ...step, seen: 3 })).toMatchObject({ number: 4, ended: true })
  // Only what really was the last word is called so.
  const sent = await db.prisma.delivery.findMany({ where: { runId: run.runId }, orderBy: { number: 'asc' } })
  expect(sent.map(({ payload }) => 'last' in (payload as object))).toEqual([false, true])
})

test('a run that was asked to stop does not end as succeeded by its last step', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  const actor = { kind: 'system' as const, id: 'test' }
  expect(await requestStop(db, { workspaceId: workspace.workspaceId, runId: run.runId, actor })).toBe('stopping')
  expect(await recordLastStep(db, run, { ...words, seen: 1 })).toMatchObject({ ended: false })
})

test('a lost claim records no last step', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  await loseClaim(db, run.runId)
  await claim(db, run.runId)
  expect(await recordLastStep(db, run, { ...words, seen: 1 })).toBeNull()
  expect((await readRun(db, run.runId)).steps).toBe(0)
})

test('the last step of a child wakes its parent', async () => {
  const { db } = database
  const parent = await startRun(db, workspace)
  const started = await startChildRun(db, parent, { key: 'one', content: [] })
  const child = await claim(db, started!.runId)
  expect(await parkRun(db, parent)).toBe('parked')
  expect(await recordLastStep(db, child, { ...words, seen: 1 })).toMatchObject({ ended: true })
  expect(await isQueued(db, parent.runId)).toBe(true)
})

const request = {
  step: 1,
  toolUseId: 'use-1',
  toolName: 'sample.mark',
  toolVersion: '1',
  effect: 'read' as const,
  idempotent: false,
  arguments: { a: 1 },
  argumentsDigest: 'digest',
  trail: [{ layer: 'profile', verdict: 'allow' }],
}

test('a call that begins is requested, allowed and running in one, once, and only under the claim', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  expect(await beginToolCall(db, run, { ...request, id: 'call-1' })).toBe(true)
  expect(await db.prisma.toolCall.findUniqueOrThrow({ where: { id: 'call-1' } })).toMatchObject({
    status: 'running',
    decision: 'allow',
    arguments: { a: 1 },
    trail: request.trail,
    claimedBy: `${(await readRun(db, run.runId)).claimedBy}#1`,
  })
  expect((await eventKinds(db, run.runId)).slice(-3)).toEqual(['tool-call-request', 'decision', 'tool-call-start'])
  expect(await beginToolCall(db, run, { ...request, id: 'call-2' })).toBe(false)

  const asked = await startRun(db, workspace)
  const known = await requestCall(db, asked)
  const { toolUseId } = await db.prisma.toolCall.findUniqueOrThrow({ where: { id: known } })
  expect(await beginToolCall(db, asked, { ...request, id: 'call-3', toolUseId })).toBe(false)

  await loseClaim(db, run.runId)
  await claim(db, run.runId)
  expect(await beginToolCall(db, run, { ...request, id: 'call-4', toolUseId: 'use-2' })).toBe(false)
})
