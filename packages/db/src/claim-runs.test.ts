import { expect, test } from 'vitest'
import { answerQuestion } from './answer-question.ts'
import { startChildRun } from './child-runs.ts'
import { claimRuns } from './claim-runs.ts'
import { finishRun } from './finish-run.ts'
import { listen } from './listen.ts'
import { askQuestion } from './questions.ts'
import { readRunContext } from './run-context.ts'
import { parkRun, queuedRunChannel, releaseRun, takeOver } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, loseClaim, race, readRun, requestCall, say, startRun } from './testing-workspace.ts'
import { readTranscript } from './transcript.ts'

const database = useTestDatabase()

const takeAll = async () => {
  for (;;) if (!(await claimRuns(database.db, { processId: 'sweep', most: 50 })).length) return
}

test('of many who take runs at once each run goes to exactly one, and none is left', async () => {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const queued = await race(40, () => say(db, workspace))
  const taken = (await race(20, () => claimRuns(db, { processId: 'a', most: 8 }))).flat()
  for (;;) {
    const more = await claimRuns(db, { processId: 'b', most: 8 })
    if (!more.length) break
    taken.push(...more)
  }
  expect(taken.map(({ run }) => run.runId).sort()).toEqual(queued.map(({ runId }) => runId).sort())
  for (const { run } of taken) expect(run.claimNumber).toBe(1)
})

test('the oldest are taken first, and no more than was asked for', async () => {
  const { db } = database
  await takeAll()
  const workspace = await createTestWorkspace(db)
  const ids: string[] = []
  for (let index = 0; index < 5; index++) {
    const { runId } = await say(db, workspace)
    await db.pool.query(`UPDATE runs SET queued_at = now() - $2 * interval '1 minute' WHERE id = $1`, [runId, index])
    ids.unshift(runId)
  }
  const taken = await claimRuns(db, { processId: 'a', most: 3 })
  expect(taken.map(({ run }) => run.runId)).toEqual(ids.slice(0, 3))
  expect((await readRun(db, ids[3] as string)).status).toBe('queued')
})

test('a taken run comes with its context and its transcript, a child’s with the place of its first ancestor', async () => {
  const { db } = database
  await takeAll()
  const workspace = await createTestWorkspace(db)
  const { runId } = await say(db, workspace)
  const [parent] = await claimRuns(db, { processId: 'a', most: 10 })
  expect(parent?.run).toMatchObject({ runId, claimNumber: 1, leftRunning: false })
  expect(parent?.context).toEqual(await readRunContext(db, runId))
  expect(parent?.transcript).toEqual(await readTranscript(db, parent?.run.conversationId as string))
  expect(parent?.transcript).toHaveLength(1)

  const content = [{ type: 'text', text: 'look it up' }]
  const child = await startChildRun(db, parent!.run, { key: 'one', content })
  const [taken] = await claimRuns(db, { processId: 'a', most: 10 })
  expect(taken?.run).toMatchObject({ runId: child?.runId, parentRunId: runId })
  expect(taken?.context.place).toEqual(parent?.context.place)
  expect(taken?.transcript).toMatchObject([{ number: 1, role: 'user', content, turn: null }])
})

test('every way in which a run is queued is announced', async () => {
  const { db } = database
  const stopping = new AbortController()
  let told = 0
  await listen(database.url, [queuedRunChannel], () => told++, { signal: stopping.signal })
  const announced = async (work: () => Promise<unknown>) => {
    const before = told
    await work()
    await expect.poll(() => told).toBe(before + 1)
  }
  const workspace = await createTestWorkspace(db)
  await announced(() => say(db, workspace))
  await takeAll()
  const run = await startRun(db, workspace)
  await expect.poll(() => told).toBe(2)

  await announced(() => releaseRun(db, run))
  const [again] = await claimRuns(db, { processId: 'a', most: 1 })
  await loseClaim(db, run.runId)
  await announced(() => takeOver(db, run.runId))
  const [held] = await claimRuns(db, { processId: 'a', most: 1 })
  expect(held?.run.claimNumber).toBe((again?.run.claimNumber ?? 0) + 1)

  const toolCallId = await requestCall(db, held!.run)
  const questionId = await askQuestion(db, held!.run, { toolCallId, kind: 'confirmation', prompt: {} })
  expect(await parkRun(db, held!.run)).toBe('parked')
  const answer = { questionId: questionId!, memberId: workspace.members.approver, verdict: 'approve' as const }
  await announced(() => answerQuestion(db, { ...answer, surface: 'console' }))

  const [parent] = await claimRuns(db, { processId: 'a', most: 1 })
  await announced(() => startChildRun(db, parent!.run, { key: 'one', content: [] }))
  const [child] = await claimRuns(db, { processId: 'a', most: 1 })
  await db.pool.query(`UPDATE tool_calls SET status = 'denied', finished_at = now() WHERE id = $1`, [toolCallId])
  expect(await parkRun(db, parent!.run)).toBe('parked')
  await announced(() => finishRun(db, child!.run, { status: 'succeeded' }))
  stopping.abort()
})
