import { expect, test } from 'vitest'
import { claimRuns } from './claim-runs.ts'
import { finishLastToolCall } from './finish-last-call.ts'
import { releaseRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import { claim, createTestWorkspace, eventKinds, loseClaim, requestCall, startRun } from './testing-workspace.ts'
import { decideToolCall, finishToolCall, startToolCall } from './tool-calls.ts'
import { readTranscript } from './transcript.ts'

const database = useTestDatabase()
const results = [{ type: 'tool_result', tool_use_id: 'one', content: 'done' }]

async function startCall() {
  const { db } = database
  const run = await startRun(db, await createTestWorkspace(db))
  const toolCallId = await requestCall(db, run)
  await decideToolCall(db, run, { toolCallId, decision: 'allow', trail: [] })
  const { rows } = await db.pool.query('SELECT arguments_digest FROM tool_calls WHERE id = $1', [toolCallId])
  expect(await startToolCall(db, run, { toolCallId, argumentsDigest: rows[0].arguments_digest })).toBe('started')
  return { db, run, end: { toolCallId, status: 'succeeded' as const, output: 'done', taint: ['mail'] } }
}

const readCall = async (id: string) =>
  (await database.db.pool.query('SELECT status, output FROM tool_calls WHERE id = $1', [id])).rows[0]

test('the end of the last call and the results of the step are written together, and once', async () => {
  const { db, run, end } = await startCall()
  expect(await finishLastToolCall(db, run, end, results)).toBe(2)
  expect(await readCall(end.toolCallId)).toEqual({ status: 'succeeded', output: 'done' })
  expect((await readTranscript(db, run.conversationId)).at(-1)).toMatchObject({
    number: 2,
    role: 'tool',
    content: results,
    runId: run.runId,
  })
  expect((await eventKinds(db, run.runId)).slice(-2)).toEqual(['tool-call-end', 'message'])

  expect(await finishLastToolCall(db, run, end, results)).toBeNull()
  expect(await finishToolCall(db, run, end)).toBe(false)
  expect(await readTranscript(db, run.conversationId)).toHaveLength(2)

  // Whoever takes the run next knows what its calls have read.
  await releaseRun(db, run)
  const taken = await claimRuns(db, { processId: 'next', most: 50 })
  expect(taken.find((one) => one.run.runId === run.runId)).toMatchObject({ taint: ['mail'] })
})

test('who has lost the claim writes neither', async () => {
  const { db, run, end } = await startCall()
  await loseClaim(db, run.runId)
  const next = await claim(db, run.runId)
  expect(await finishLastToolCall(db, run, end, results)).toBeNull()
  // The call runs under the claim before: the new holder cannot end it either.
  expect(await finishLastToolCall(db, next, end, results)).toBeNull()
  expect(await readCall(end.toolCallId)).toEqual({ status: 'running', output: null })
  expect(await readTranscript(db, run.conversationId)).toHaveLength(1)
})
