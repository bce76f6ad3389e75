import type { RunEventKind, RunStatus } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { drawTimeline } from './read-timeline.ts'

const second = (count: number) => new Date(Date.UTC(2026, 10, 18, 8, 0, 0) + count * 1_000)
const event = (kind: RunEventKind, at: number, data: Record<string, unknown> = {}) => ({ kind, at: second(at), data })
const call = (id: string, more: Record<string, unknown>) =>
  ({
    ...{
      id,
      tool_name: 'file.read',
      step: 1,
      status: 'succeeded',
      decision: 'allow',
      arguments: { path: `${id}.txt` },
    },
    ...{ requested_at: second(4), started_at: second(4), finished_at: second(5), duration_ms: 1_000 },
    ...more,
  }) as never
const run = (status: RunStatus, finished: number | null) => ({
  ...{ status, queuedAt: second(0), startedAt: second(1), children: [] },
  finishedAt: finished === null ? null : second(finished),
})
const message = { number: 1, name: 'Ada', created_at: second(0) }

test('calls stand under the step that asked for them, each with what was decided', () => {
  const { items, idle } = drawTimeline({
    run: run('succeeded', 9),
    events: [
      event('run-queue', 0),
      event('run-start', 1),
      event('model-start', 1),
      event('model-end', 3, { step: 1, model: 'claude', inputTokens: 10, outputTokens: 2, costMicros: 99 }),
      event('model-start', 6),
      event('model-end', 9, { step: 2, model: 'claude', inputTokens: 20, outputTokens: 2 }),
      event('run-end', 9),
    ],
    calls: [call('a', {}), call('b', { status: 'denied', decision: 'deny', started_at: null, duration_ms: null })],
    questions: [],
    messages: [message],
    now: second(20),
  })
  expect(items.map(({ key, nested, tag }) => [key, nested, tag?.word ?? null])).toEqual([
    ['m1', false, null],
    ['s1', false, null],
    ['a', true, 'allowed'],
    ['b', true, 'denied'],
    ['s2', false, null],
  ])
  expect(items[1]).toMatchObject({
    note: '12 tokens',
    costMicros: 99,
    durationMs: 2_000,
    spans: [{ from: 1_000, to: 3_000, look: 'model' }],
  })
  expect(idle).toEqual([{ from: 0, to: 1_000 }])
})

test('what waits for a person is hatched up to now, and the time in which nobody works is known as such', () => {
  const { items, idle, length } = drawTimeline({
    run: run('waiting', null),
    events: [
      event('run-start', 1),
      event('model-end', 3, { step: 1 }),
      event('tool-call-request', 4, { toolCallId: 'a' }),
      event('question-ask', 4),
      event('run-park', 4),
    ],
    calls: [call('a', { status: 'asking', decision: 'ask', started_at: null, finished_at: null, duration_ms: null })],
    questions: [{ id: 'q', tool_call_id: 'a', title: 'May I?', status: 'open', asked_at: second(4), closed_at: null }],
    messages: [message],
    now: second(100),
  })
  expect(items.at(-1)).toMatchObject({
    tag: { word: 'asking' },
    durationMs: 96_000,
    spans: [{ from: 4_000, to: 100_000, look: 'wait' }],
  })
  expect(idle).toEqual([
    { from: 0, to: 1_000 },
    { from: 4_000, to: 100_000 },
  ])
  expect(length).toBe(100_000)
})

test('a model that has not answered yet is at work, and one that never did has no answer', () => {
  const draw = (status: RunStatus, finished: number | null) =>
    drawTimeline({
      run: run(status, finished),
      events: [event('run-start', 1), ...(finished === null ? [] : [event('model-start', 1)])],
      ...{ calls: [], questions: [], messages: [], now: second(8) },
    }).items.at(-1)
  expect(draw('running', null)).toMatchObject({ key: 's1', durationMs: 7_000, tag: { word: 'working' } })
  expect(draw('failed', 6)).toMatchObject({ key: 's1', durationMs: 5_000, tag: { word: 'no answer' } })
})
