import { beforeAll, describe, expect, test } from 'vitest'
import { answerQuestion } from './answer-question.ts'
import { finishRun } from './finish-run.ts'
import { newId } from './ids.ts'
import { addUsage, appendMessage, recordStep } from './messages.ts'
import { askQuestion } from './questions.ts'
import { appendRunEvent, readRunEvents } from './run-events.ts'
import { claimRun, findLostRuns, parkRun, queueRun, renewClaim, takeOver, wakeRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  eventKinds,
  isQueued,
  loseClaim,
  race,
  raceBehind,
  readRun,
  requestCall,
  say,
  startRun,
  type TestWorkspace,
} from './testing-workspace.ts'
import { decideToolCall, startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
const use = { inputTokens: 10, outputTokens: 5, costMicros: 700 }

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

describe('claims', () => {
  test('of a hundred processes that claim a run, one gets it', async () => {
    const { runId } = await say(database.db, workspace)
    const claims = await race(100, (index) => claimRun(database.db, { runId, processId: `process-${index}` }))
    expect(claims.filter((each) => each !== null)).toHaveLength(1)
    expect((await readRun(database.db, runId)).claimNumber).toBe(1)
    expect((await eventKinds(database.db, runId)).filter((kind) => kind === 'run-start')).toHaveLength(1)
  })

  test('of a hundred processes that claim a lost run, one gets it, and a live claim is left alone', async () => {
    const run = await startRun(database.db, workspace)
    expect(await claimRun(database.db, { runId: run.runId, processId: 'other' })).toBeNull()
    await loseClaim(database.db, run.runId)
    const claims = await race(100, (index) =>
      claimRun(database.db, { runId: run.runId, processId: `process-${index}` }),
    )
    expect(claims.filter((each) => each !== null)).toHaveLength(1)
    expect((await readRun(database.db, run.runId)).claimNumber).toBe(2)
  })

  test('a holder whose claim was taken over can write nothing, and the new holder can', async () => {
    const old = await startRun(database.db, workspace)
    await loseClaim(database.db, old.runId)
    const now = await claim(database.db, old.runId, 'process-2')

    expect(await renewClaim(database.db, old)).toBeNull()
    expect(await appendMessage(database.db, old, { role: 'assistant', content: [] })).toBeNull()
    expect(await recordStep(database.db, old, { content: [], use })).toBeNull()
    expect(await addUsage(database.db, old, use)).toBe(false)
    expect(await appendRunEvent(database.db, old, { kind: 'model-start' })).toBe(false)
    expect(await parkRun(database.db, old)).toBe('lost')
    expect(await finishRun(database.db, old, { status: 'succeeded' })).toBeNull()

    expect(await renewClaim(database.db, now)).toEqual({ stopRequested: false })
    expect(await appendRunEvent(database.db, now, { kind: 'model-start' })).toBe(true)
    expect(await appendMessage(database.db, now, { role: 'assistant', content: [] })).toBe(2)
    expect(await recordStep(database.db, now, { content: [], use })).toEqual({ number: 3, step: 1, costMicros: 700 })
    expect(await addUsage(database.db, now, use)).toBe(true)
    expect(await finishRun(database.db, now, { status: 'succeeded' })).toEqual({ nextRunId: null })
    expect(await readRun(database.db, old.runId)).toMatchObject({ steps: 1, inputTokens: 20n, costMicros: 1400n })
  })

  test('a late heartbeat keeps a claim that nobody has taken over', async () => {
    const run = await startRun(database.db, workspace)
    await loseClaim(database.db, run.runId)
    expect(await renewClaim(database.db, run)).not.toBeNull()
    expect(await claimRun(database.db, { runId: run.runId, processId: 'other' })).toBeNull()
  })

  test('the numbers of a claim holder’s messages and of people’s messages never collide', async () => {
    const { db } = database
    const conversationKey = 'mixed'
    const { runId, conversationId } = await say(db, workspace, { conversationKey })
    const run = await claim(db, runId)
    await Promise.all([
      race(30, () => say(db, workspace, { conversationKey })),
      race(30, () => appendMessage(db, run, { role: 'tool', content: [] })),
      race(10, () => recordStep(db, run, { content: [], use })),
      race(10, () => renewClaim(db, run)),
    ])
    const messages = await db.prisma.message.findMany({ where: { conversationId }, orderBy: { number: 'asc' } })
    expect(messages.map((message) => message.number)).toEqual(Array.from({ length: 71 }, (_, index) => index + 1))
    expect((await readRun(db, runId)).steps).toBe(10)
  })
})

describe('lost runs', () => {
  test('a run whose process died is queued again by exactly one of those who notice', async () => {
    const run = await startRun(database.db, workspace)
    expect(await takeOver(database.db, run.runId)).toBe(false)
    await loseClaim(database.db, run.runId)
    expect(await findLostRuns(database.db)).toContain(run.runId)
    const taken = await race(20, () => takeOver(database.db, run.runId))
    expect(taken.filter(Boolean)).toHaveLength(1)
    expect(await readRun(database.db, run.runId)).toMatchObject({ status: 'queued', claimedBy: null })
    expect(await isQueued(database.db, run.runId)).toBe(true)
    expect(await appendMessage(database.db, run, { role: 'assistant', content: [] })).toBeNull()
  })

  test('a queued run is nobody’s loss', async () => {
    const { runId } = await say(database.db, workspace)
    await database.db.pool.query(`UPDATE runs SET queued_at = now() - interval '1 hour' WHERE id = $1`, [runId])
    expect(await findLostRuns(database.db)).not.toContain(runId)
    expect(await takeOver(database.db, runId)).toBe(false)
  })
})

describe('waiting', () => {
  test('a run parks while a question is open, and the answer queues it again', async () => {
    const run = await startRun(database.db, workspace)
    const toolCallId = await requestCall(database.db, run)
    expect(await parkRun(database.db, run)).toBe('work-left')
    const questionId = await askQuestion(database.db, run, { toolCallId, kind: 'confirmation', prompt: {} })
    expect(await parkRun(database.db, run)).toBe('parked')
    expect(await readRun(database.db, run.runId)).toMatchObject({ status: 'waiting', claimedBy: null })
    expect(await claimRun(database.db, { runId: run.runId, processId: 'eager' })).toBeNull()
    await answerQuestion(database.db, {
      questionId: questionId!,
      memberId: workspace.members.approver,
      verdict: 'approve',
      surface: 'console',
    })
    expect((await readRun(database.db, run.runId)).status).toBe('queued')
    expect(await isQueued(database.db, run.runId)).toBe(true)
  })

  test('a run with nothing to wait for does not park', async () => {
    expect(await parkRun(database.db, await startRun(database.db, workspace))).toBe('work-left')
  })

  test('a run does not park while one of its calls is still to be decided, started or finished', async () => {
    const { db } = database
    for (const status of ['requested', 'approved', 'running']) {
      const run = await startRun(db, workspace)
      const asking = await requestCall(db, run)
      await askQuestion(db, run, { toolCallId: asking, kind: 'confirmation', prompt: {} })
      const toolCallId = await requestCall(db, run)
      if (status !== 'requested') await decideToolCall(db, run, { toolCallId, decision: 'allow', trail: [] })
      if (status === 'running') await startToolCall(db, run, { toolCallId, argumentsDigest: 'digest-1' })
      expect([status, await parkRun(db, run)]).toEqual([status, 'work-left'])
      await db.pool.query(`UPDATE tool_calls SET status = 'failed', finished_at = now() WHERE id = $1`, [toolCallId])
      expect(await parkRun(db, run)).toBe('parked')
    }
  })

  test('an answer at the very moment of parking is never missed', async () => {
    // Whichever comes first, the run ends up queued, or still running with its holder told to look again.
    const outcomes = await race(40, async () => {
      const run = await startRun(database.db, workspace)
      const toolCallId = await requestCall(database.db, run)
      const questionId = await askQuestion(database.db, run, { toolCallId, kind: 'confirmation', prompt: {} })
      const [parked, answered] = await Promise.all([
        parkRun(database.db, run),
        answerQuestion(database.db, {
          questionId: questionId!,
          memberId: workspace.members.approver,
          verdict: 'approve',
          surface: 'console',
        }),
      ])
      expect(answered.ok).toBe(true)
      const { status } = await readRun(database.db, run.runId)
      return `${parked}, ${status}`
    })
    for (const outcome of outcomes) expect(['parked, queued', 'work-left, running']).toContain(outcome)
  })

  test('an answer that commits while parkRun stands in line for the run is seen by it', async () => {
    const { db } = database
    const run = await startRun(db, workspace)
    const toolCallId = await requestCall(db, run)
    const questionId = await askQuestion(db, run, { toolCallId, kind: 'confirmation', prompt: {} })
    const given = { questionId: questionId!, memberId: workspace.members.approver, surface: 'console' } as const
    // The answer stands in line first, so it is through before parkRun gets the row.
    const lock = { sql: 'SELECT 1 FROM runs WHERE id = $1 FOR NO KEY UPDATE', id: run.runId, waiting: 2 }
    const [answered, parked] = await raceBehind(db, lock, async (untilWaiting) => {
      const answer = answerQuestion(db, { ...given, verdict: 'approve' })
      await untilWaiting(1)
      return Promise.all([answer, parkRun(db, run)])
    })
    expect(answered.ok).toBe(true)
    expect(parked).toBe('work-left')
    expect((await readRun(db, run.runId)).status).toBe('running')
  })

  test('a parent parks while a child works, and the child’s end at the same moment is never missed', async () => {
    const { db } = database
    const outcomes = await race(30, async () => {
      const parent = await startRun(db, workspace)
      const { conversationId, runId } = await say(db, workspace)
      await finishRun(db, await claim(db, runId), { status: 'succeeded' })
      const childId = await queueRun(db, { conversationId, trigger: 'parent', parentRunId: parent.runId })
      const child = await claim(db, childId!)
      const [parked] = await Promise.all([parkRun(db, parent), finishRun(db, child, { status: 'succeeded' })])
      return `${parked}, ${(await readRun(db, parent.runId)).status}`
    })
    for (const outcome of outcomes) expect(['parked, queued', 'work-left, running']).toContain(outcome)
  })

  test('of a hundred who wake a waiting run, one does, and it is queued once', async () => {
    const run = await startRun(database.db, workspace)
    const toolCallId = await requestCall(database.db, run)
    await askQuestion(database.db, run, { toolCallId, kind: 'confirmation', prompt: {} })
    expect(await wakeRun(database.db, { runId: run.runId, reason: 'test' })).toBe(false)
    await parkRun(database.db, run)
    const woken = await race(100, () => wakeRun(database.db, { runId: run.runId, reason: 'test' }))
    expect(woken.filter(Boolean)).toHaveLength(1)
    expect(await isQueued(database.db, run.runId)).toBe(true)
  })
})

test('a run is queued for a schedule once while another is unfinished', async () => {
  const { conversationId, runId } = await say(database.db, workspace)
  expect(await queueRun(database.db, { conversationId, trigger: 'schedule' })).toBeNull()
  await finishRun(database.db, await claim(database.db, runId), { status: 'succeeded' })
  const queued = await race(20, () => queueRun(database.db, { conversationId, trigger: 'schedule' }))
  expect(queued.filter((id) => id !== null)).toHaveLength(1)
})

test('a run works with the newest published version of its own agent, however it was started', async () => {
  const { db } = database
  // A version of another agent that is newer than all of ours, and a draft of ours.
  const agentId = newId('agent')
  await db.pool.query('INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $1)', [
    agentId,
    workspace.workspaceId,
  ])
  const addVersion = async (owner: string, number: number, published: boolean) => {
    const id = newId('ver')
    await db.pool.query(
      'INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at) VALUES ($1, $2, $3, $4, $5)',
      [id, workspace.workspaceId, owner, number, published ? new Date() : null],
    )
    return id
  }
  await addVersion(agentId, 99, true)
  const current = await addVersion(workspace.agentId, 2, true)
  await addVersion(workspace.agentId, 3, false)

  const conversationKey = newId('thread')
  const first = await say(db, workspace, { conversationKey })
  await say(db, workspace, { conversationKey })
  const next = await finishRun(db, await claim(db, first.runId), { status: 'succeeded', seenMessage: 1 })
  await finishRun(db, await claim(db, next!.nextRunId!), { status: 'succeeded', seenMessage: 2 })
  const scheduled = await queueRun(db, { conversationId: first.conversationId, trigger: 'schedule' })
  for (const runId of [first.runId, next!.nextRunId!, scheduled!])
    expect((await readRun(db, runId)).agentVersionId).toBe(current)
})

test('a run’s events are read in pages and only within their workspace', async () => {
  const run = await startRun(database.db, workspace)
  const page = { workspaceId: workspace.workspaceId, runId: run.runId }
  const events = await readRunEvents(database.db, page)
  expect(events.map((event) => event.kind)).toEqual(await eventKinds(database.db, run.runId))
  expect(await readRunEvents(database.db, { ...page, limit: 1 })).toHaveLength(1)
  expect(await readRunEvents(database.db, { ...page, after: events.at(-1)!.id })).toEqual([])
  expect(await readRunEvents(database.db, { ...page, workspaceId: 'other' })).toEqual([])
})
