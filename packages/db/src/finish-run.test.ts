import { beforeAll, describe, expect, test } from 'vitest'
import { verifyAudit } from './audit.ts'
import { finishRun, requestStop } from './finish-run.ts'
import { newId } from './ids.ts'
import { appendMessage, recordStep } from './messages.ts'
import { askQuestion } from './questions.ts'
import { claimRun, parkRun, queueRun, renewClaim } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  eventKinds,
  isQueued,
  race,
  readRun,
  requestCall,
  say,
  startRun,
  type TestWorkspace,
} from './testing-workspace.ts'
import { decideToolCall, startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
const use = { inputTokens: 1, outputTokens: 1, costMicros: 1 }

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const stop = (runId: string) =>
  requestStop(database.db, {
    workspaceId: workspace.workspaceId,
    runId,
    actor: { kind: 'member', id: workspace.members.member },
  })

describe('finishRun', () => {
  test('of many who finish a run at once, one does, and its end is told once', async () => {
    const run = await startRun(database.db, workspace)
    const ends = await race(40, () => finishRun(database.db, run, { status: 'succeeded', seenMessage: 1 }))
    expect(ends.filter((end) => end !== null)).toHaveLength(1)
    expect((await eventKinds(database.db, run.runId)).filter((kind) => kind === 'run-end')).toHaveLength(1)
    const used = await database.db.prisma.usageHour.aggregate({ _sum: { runs: true } })
    expect(used._sum.runs).toBe(1)
  })

  test('keeps why a run failed', async () => {
    const run = await startRun(database.db, workspace)
    await finishRun(database.db, run, { status: 'failed', error: { code: 'model', message: 'It said no.' } })
    expect(await readRun(database.db, run.runId)).toMatchObject({ errorCode: 'model', errorMessage: 'It said no.' })
  })

  test('queues the next run for messages that the model was not shown, in the name of who wrote them', async () => {
    const conversationKey = newId('thread')
    const first = await say(database.db, workspace, { conversationKey })
    const run = await claim(database.db, first.runId)
    await say(database.db, workspace, { conversationKey, memberId: workspace.members.admin })
    await recordStep(database.db, run, { content: [], use })
    await say(database.db, workspace, { conversationKey, memberId: workspace.members.owner })
    const end = await finishRun(database.db, run, { status: 'succeeded', seenMessage: 1 })
    const next = await readRun(database.db, end!.nextRunId!)
    expect(next).toMatchObject({ status: 'queued', requestedBy: workspace.members.admin, trigger: 'message' })
    expect(await isQueued(database.db, next.id)).toBe(true)
    const messages = await database.db.prisma.message.findMany({
      where: { conversationId: first.conversationId },
      orderBy: { number: 'asc' },
    })
    expect(messages.map((message) => message.runId)).toEqual([first.runId, next.id, first.runId, next.id])
  })

  test('queues no run when the model saw every message, whatever the run itself wrote since', async () => {
    const conversationKey = newId('thread')
    const run = await claim(database.db, (await say(database.db, workspace, { conversationKey })).runId)
    await say(database.db, workspace, { conversationKey })
    await recordStep(database.db, run, { content: [], use })
    await appendMessage(database.db, run, { role: 'tool', content: [] })
    expect(await finishRun(database.db, run, { status: 'succeeded', seenMessage: 2 })).toEqual({ nextRunId: null })
  })

  test('queues no run after a failure before the transcript was read', async () => {
    const run = await startRun(database.db, workspace)
    expect(await finishRun(database.db, run, { status: 'failed' })).toEqual({ nextRunId: null })
  })

  test('after a stop, only what was written after it starts another run', async () => {
    const { db } = database
    const conversationKey = newId('thread')
    const run = await claim(db, (await say(db, workspace, { conversationKey })).runId)
    await say(db, workspace, { conversationKey })
    expect(await stop(run.runId)).toBe('stopping')
    expect(await finishRun(db, run, { status: 'stopped', seenMessage: 1 })).toEqual({ nextRunId: null })

    const again = await claim(db, (await say(db, workspace, { conversationKey })).runId)
    await stop(again.runId)
    await new Promise((done) => setTimeout(done, 5))
    await say(db, workspace, { conversationKey, memberId: workspace.members.owner })
    const end = await finishRun(db, again, { status: 'stopped', seenMessage: 3 })
    expect(await readRun(db, end!.nextRunId!)).toMatchObject({ requestedBy: workspace.members.owner })
  })

  test('leaves nothing of the run open', async () => {
    const { db } = database
    const run = await startRun(db, workspace)
    const asking = await requestCall(db, run)
    const running = await requestCall(db, run)
    const approved = await requestCall(db, run)
    const requested = await requestCall(db, run)
    await decideToolCall(db, run, { toolCallId: approved, decision: 'allow', trail: [] })
    await askQuestion(db, run, { toolCallId: asking, kind: 'confirmation', prompt: {} })
    await decideToolCall(db, run, { toolCallId: running, decision: 'allow', trail: [] })
    await startToolCall(db, run, { toolCallId: running, argumentsDigest: 'digest-1' })
    await finishRun(db, run, { status: 'failed' })
    const calls = await db.prisma.toolCall.findMany({ where: { runId: run.runId }, orderBy: { id: 'asc' } })
    expect(Object.fromEntries(calls.map((call) => [call.id, call.status]))).toEqual({
      [asking]: 'denied',
      [running]: 'interrupted',
      [approved]: 'denied',
      [requested]: 'denied',
    })
    expect((await eventKinds(db, run.runId)).filter((kind) => kind === 'tool-call-end')).toHaveLength(4)
    expect(await db.prisma.question.findFirst({ where: { runId: run.runId } })).toMatchObject({ status: 'withdrawn' })
  })

  test('wakes the parent that waits for it', async () => {
    const { db } = database
    const parent = await startRun(db, workspace)
    const { conversationId, runId } = await say(db, workspace)
    await finishRun(db, await claim(db, runId), { status: 'succeeded' })
    const child = await queueRun(db, { conversationId, trigger: 'parent', parentRunId: parent.runId })
    expect(await parkRun(db, parent)).toBe('parked')
    await finishRun(db, await claim(db, child!), { status: 'succeeded' })
    expect((await readRun(db, parent.runId)).status).toBe('queued')
    expect(await isQueued(db, parent.runId)).toBe(true)
  })
})

describe('requestStop', () => {
  test('ends a queued run at once, and nobody can claim it', async () => {
    const { runId } = await say(database.db, workspace)
    expect(await stop(runId)).toBe('stopped')
    expect(await claimRun(database.db, { runId, processId: 'p' })).toBeNull()
    expect(await readRun(database.db, runId)).toMatchObject({ status: 'stopped' })
    expect(await eventKinds(database.db, runId)).toEqual(expect.arrayContaining(['stop-request', 'run-end']))
  })

  test('ends a waiting run at once and withdraws its questions', async () => {
    const run = await startRun(database.db, workspace)
    const toolCallId = await requestCall(database.db, run)
    const questionId = await askQuestion(database.db, run, { toolCallId, kind: 'confirmation', prompt: {} })
    await parkRun(database.db, run)
    expect(await stop(run.runId)).toBe('stopped')
    expect(await database.db.prisma.question.findUnique({ where: { id: questionId! } })).toMatchObject({
      status: 'withdrawn',
    })
    expect(await database.db.prisma.toolCall.findUnique({ where: { id: toolCallId } })).toMatchObject({
      status: 'denied',
    })
  })

  test('tells the holder of a running run, whose next heartbeat says so too, and it cannot park any more', async () => {
    const run = await startRun(database.db, workspace)
    const toolCallId = await requestCall(database.db, run)
    await askQuestion(database.db, run, { toolCallId, kind: 'confirmation', prompt: {} })
    expect(await stop(run.runId)).toBe('stopping')
    expect(await stop(run.runId)).toBe('stopping')
    expect(await renewClaim(database.db, run)).toEqual({ stopRequested: true })
    expect(await parkRun(database.db, run)).toBe('work-left')
  })

  test('finds no run of another workspace, and leaves an ended one as it ended', async () => {
    const run = await startRun(database.db, workspace)
    const other = { workspaceId: 'other', runId: run.runId, actor: { kind: 'system', id: 'test' } as const }
    expect(await requestStop(database.db, other)).toBeNull()
    await finishRun(database.db, run, { status: 'succeeded' })
    expect(await stop(run.runId)).toBe('finished')
    expect((await readRun(database.db, run.runId)).status).toBe('succeeded')
  })

  test('against a finishing holder, the run ends once, whoever comes first', async () => {
    const outcomes = await race(40, async () => {
      const run = await startRun(database.db, workspace)
      const [ended, stopped] = await Promise.all([
        finishRun(database.db, run, { status: 'succeeded', seenMessage: 1 }),
        stop(run.runId),
      ])
      expect(ended).not.toBeNull()
      const ends = (await eventKinds(database.db, run.runId)).filter((kind) => kind === 'run-end')
      return `${stopped}, ${(await readRun(database.db, run.runId)).status}, ${ends.length}`
    })
    for (const outcome of outcomes) expect(['stopping, succeeded, 1', 'finished, succeeded, 1']).toContain(outcome)
  })

  test('against a claim, a queued run is either stopped or claimed and told', async () => {
    const outcomes = await race(40, async () => {
      const { runId } = await say(database.db, workspace)
      const [claimed, stopped] = await Promise.all([claimRun(database.db, { runId, processId: 'p' }), stop(runId)])
      return `${claimed ? 'claimed' : 'not claimed'}, ${stopped}`
    })
    for (const outcome of outcomes) expect(['claimed, stopping', 'not claimed, stopped']).toContain(outcome)
  })

  test('of many who stop a run at once, one is recorded, and the audit chain holds', async () => {
    const { runId } = await say(database.db, workspace)
    const outcomes = await race(40, () => stop(runId))
    expect(outcomes.filter((outcome) => outcome === 'stopped')).toHaveLength(1)
    const running = await startRun(database.db, workspace)
    await race(40, () => stop(running.runId))
    for (const subjectId of [runId, running.runId]) {
      const events = await database.db.prisma.auditEvent.findMany({ where: { subjectId, action: 'run.stop' } })
      expect(events).toHaveLength(1)
    }
    expect(await verifyAudit(database.db, workspace.workspaceId)).toMatchObject({ ok: true })
  })
})
