import { beforeAll, expect, test } from 'vitest'
import { finishLastToolCall } from './finish-last-call.ts'
import { newId } from './ids.ts'
import { recordLastStep, recordStep } from './messages.ts'
import { readRunEvents } from './run-events.ts'
import { useTestDatabase } from './testing.ts'
import { claim, createTestWorkspace, say, type TestWorkspace } from './testing-workspace.ts'
import { beginToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const use = { inputTokens: 10, outputTokens: 5, costMicros: 6.6 }
const call = {
  step: 1,
  toolUseId: 'use-1',
  toolName: 'file.read',
  toolVersion: 'v1',
  effect: 'read',
  idempotent: true,
  arguments: {},
  argumentsDigest: 'd',
} as const

/** A message, a tool call and an answer, as a run goes that nothing holds up. */
async function turn() {
  const { db } = database
  const run = await claim(db, (await say(db, workspace)).runId)
  const startedAt = new Date('2026-05-04T03:02:01.000Z')
  await recordStep(db, run, { content: [], use, startedAt, data: { model: 'm' } })
  const toolCallId = newId('call')
  await beginToolCall(db, run, { ...call, id: toolCallId, trail: [] })
  await finishLastToolCall(db, run, { toolCallId, status: 'succeeded', output: 'x' }, [])
  await recordLastStep(db, run, { content: [], use, startedAt, seen: 3 })
  return { runId: run.runId, toolCallId, startedAt }
}

test('a turn reads as one event after the other, whatever shares a row', async () => {
  const { runId, toolCallId, startedAt } = await turn()
  const events = await readRunEvents(database.db, { workspaceId: workspace.workspaceId, runId })
  const named = { toolCallId, toolName: 'file.read' }
  const end = { step: 1, inputTokens: 10, outputTokens: 5, costMicros: 7 }
  expect(events.map(({ kind, data }) => [kind, data])).toEqual([
    ['run-queue', { reason: 'message' }],
    ['message', { number: 1, role: 'user' }],
    ['run-start', { claimNumber: 1, processId: 'process-1' }],
    ['model-start', { step: 1 }],
    ['model-end', { ...end, model: 'm' }],
    ['message', { number: 2, role: 'assistant' }],
    ['tool-call-request', named],
    ['decision', { toolCallId, decision: 'allow' }],
    ['tool-call-start', named],
    ['tool-call-end', { ...named, status: 'succeeded', durationMs: expect.any(Number) }],
    ['message', { number: 3, role: 'tool' }],
    ['model-start', { step: 2 }],
    ['model-end', { ...end, step: 2 }],
    ['message', { number: 4, role: 'assistant' }],
    ['run-end', { status: 'succeeded', errorCode: null, steps: 2 }],
  ])
  expect(events[3]?.at).toEqual(startedAt)
  const { rows } = await database.db.pool.query('SELECT count(*)::int AS rows FROM run_events WHERE run_id = $1', [
    runId,
  ])
  expect(rows[0].rows).toBe(6)
})

test('pages of any size have every event once, in order, also where a page ends within a row', async () => {
  const { runId } = await turn()
  const run = { workspaceId: workspace.workspaceId, runId }
  const all = await readRunEvents(database.db, run)
  const ids = all.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  expect(ids.every(Number.isSafeInteger)).toBe(true)
  for (const limit of [1, 2, 3, 4, 7]) {
    const paged = []
    for (;;) {
      const page = await readRunEvents(database.db, {
        ...run,
        limit,
        ...(paged.length ? { after: paged.at(-1)!.id } : {}),
      })
      expect(page.length).toBeLessThanOrEqual(limit)
      if (!page.length) break
      paged.push(...page)
    }
    expect(paged).toEqual(all)
  }
})

test('events of a time when each was a row of its own read as they were written', async () => {
  const { db } = database
  const { runId } = await say(db, workspace)
  const written = [
    ['model-start', { step: 1 }],
    ['model-end', { step: 1, model: 'm' }],
    ['constructor', {}],
  ] as const
  for (const [kind, data] of written)
    await db.pool.query('INSERT INTO run_events (workspace_id, run_id, kind, data) VALUES ($1, $2, $3, $4)', [
      workspace.workspaceId,
      runId,
      kind,
      data,
    ])
  const events = await readRunEvents(db, { workspaceId: workspace.workspaceId, runId })
  expect(events.slice(2).map(({ kind, data }) => [kind, data])).toEqual(written)
})

test('the events of a run go with it, and those of another stay', async () => {
  const { db } = database
  const [gone, stays] = [await turn(), await turn()]
  const count = async (runId: string) => (await readRunEvents(db, { workspaceId: workspace.workspaceId, runId })).length
  await db.pool.query('DELETE FROM conversations WHERE id = (SELECT conversation_id FROM runs WHERE id = $1)', [
    gone.runId,
  ])
  expect(await count(gone.runId)).toBe(0)
  expect(await count(stays.runId)).toBe(15)
})
