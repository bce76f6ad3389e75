import { expect, test } from 'vitest'
import { delegateToolCall, readChildRuns, resumeDelegatedCall, startChildRun } from './child-runs.ts'
import { finishRun, requestStop, stopOrphans } from './finish-run.ts'
import { limits } from './limits.ts'
import { recordStep } from './messages.ts'
import { askQuestion } from './questions.ts'
import { parkRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  isQueued,
  loseClaim,
  race,
  readRun,
  requestCall,
  startRun,
} from './testing-workspace.ts'
import { decideToolCall, finishToolCall, startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
const content = [{ type: 'text', text: 'count the files' }]
const use = { inputTokens: 1, outputTokens: 1, costMicros: 1 }

async function startFamily() {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const parent = await startRun(db, workspace)
  const child = await startChildRun(db, parent, { key: 'call-1', content })
  if (!child) throw new Error('expected a child')
  return { db, workspace, parent, child }
}

test('a parent parks on its child, is woken by its end, and reads its last words', async () => {
  const { db, parent, child } = await startFamily()
  expect(await isQueued(db, child.runId)).toBe(true)
  expect(await parkRun(db, parent)).toBe('parked')
  const held = await claim(db, child.runId)
  await recordStep(db, held, { content: [{ type: 'text', text: '42' }], use })
  await finishRun(db, held, { status: 'succeeded' })
  expect(await readRun(db, parent.runId)).toMatchObject({ status: 'queued' })
  expect(await readChildRuns(db, parent.runId)).toMatchObject([
    { runId: child.runId, status: 'succeeded', lastWords: [{ type: 'text', text: '42' }] },
  ])
})

test('a child is started once, however often the step is replayed', async () => {
  const { db, parent, child } = await startFamily()
  expect(await startChildRun(db, parent, { key: 'call-1', content })).toEqual({ runId: child.runId, created: false })
  expect(await startChildRun(db, parent, { key: 'call-2', content })).toMatchObject({ created: true })
  expect(await readChildRuns(db, parent.runId)).toHaveLength(2)
})

test('a child asks in the name of the person who asked its parent', async () => {
  const { db, workspace, child } = await startFamily()
  expect(await readRun(db, child.runId)).toMatchObject({ requestedBy: workspace.members.member, trigger: 'parent' })
})

test('stopping a parent stops its children and their children, whatever they are doing', async () => {
  const { db, workspace, parent, child } = await startFamily()
  const held = await claim(db, child.runId)
  const grandchild = await startChildRun(db, held, { key: 'call', content })
  await parkRun(db, held)
  const actor = { kind: 'member' as const, id: workspace.members.owner }
  expect(await requestStop(db, { workspaceId: workspace.workspaceId, runId: parent.runId, actor })).toBe('stopping')
  expect(await readRun(db, child.runId)).toMatchObject({ status: 'stopped' })
  expect(await readRun(db, grandchild?.runId ?? '')).toMatchObject({ status: 'stopped' })
})

test('a child whose parent has ended is found and stopped', async () => {
  const { db, parent, child } = await startFamily()
  await finishRun(db, parent, { status: 'failed', error: { code: 'x', message: 'x' } })
  expect(await stopOrphans(db)).toBeGreaterThan(0)
  expect(await readRun(db, child.runId)).toMatchObject({ status: 'stopped' })
  expect(await stopOrphans(db)).toBe(0)
})

async function startDelegation(tasks = 2) {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const parent = await startRun(db, workspace)
  const toolCallId = await requestCall(db, parent)
  await decideToolCall(db, parent, { toolCallId, decision: 'allow', trail: [] })
  await startToolCall(db, parent, { toolCallId, argumentsDigest: 'digest-1' })
  const children = Array.from({ length: tasks }, (_, index) => ({ content, title: `part ${index}` }))
  const delegate = () => delegateToolCall(db, parent, { toolCallId, children })
  return { db, workspace, parent, toolCallId, delegate }
}

test('a call that gives work to others goes on when the last of them has ended, however they ended', async () => {
  const { db, parent, toolCallId, delegate } = await startDelegation()
  expect(await delegate()).toBe('delegated')
  expect(await delegate()).toBeNull()
  const started = await readChildRuns(db, parent.runId)
  expect(started.map(({ key, title }) => [key, title])).toEqual([
    [`${toolCallId}:0`, 'part 0'],
    [`${toolCallId}:1`, 'part 1'],
  ])
  expect(await resumeDelegatedCall(db, parent, toolCallId)).toBe(false)
  const [one, other] = await Promise.all(started.map(({ runId }) => claim(db, runId)))
  await finishRun(db, one as NonNullable<typeof one>, { status: 'succeeded' })
  expect(await resumeDelegatedCall(db, parent, toolCallId)).toBe(false)
  await finishRun(db, other as NonNullable<typeof other>, { status: 'failed', error: { code: 'x', message: 'x' } })
  expect(await race(5, () => resumeDelegatedCall(db, parent, toolCallId))).toEqual(
    expect.arrayContaining([true, false, false, false, false]),
  )
  expect(await startToolCall(db, parent, { toolCallId, argumentsDigest: 'digest-1' })).toBe('started')
})

test('a call whose children cannot all be started starts none, and still runs', async () => {
  const { db, parent, toolCallId, delegate } = await startDelegation(limits.childRuns + 1)
  expect(await delegate()).toBe('too-many')
  expect(await readChildRuns(db, parent.runId)).toEqual([])
  expect(await finishToolCall(db, parent, { toolCallId, status: 'failed' })).toBe(true)
})

test('a call that waits for people is not resumed by children', async () => {
  const { db, parent } = await startFamily()
  const toolCallId = await requestCall(db, parent)
  await askQuestion(db, parent, { toolCallId, kind: 'confirmation', prompt: {} })
  expect(await resumeDelegatedCall(db, parent, toolCallId)).toBe(false)
})

test('what a child read of strangers is told with what it said', async () => {
  const { db, parent, child } = await startFamily()
  const held = await claim(db, child.runId)
  const toolCallId = await requestCall(db, held)
  await decideToolCall(db, held, { toolCallId, decision: 'allow', trail: [] })
  await startToolCall(db, held, { toolCallId, argumentsDigest: 'digest-1' })
  await finishToolCall(db, held, { toolCallId, status: 'succeeded', taint: ['web.fetch'] })
  expect(await readChildRuns(db, parent.runId)).toMatchObject([{ taint: ['web.fetch'] }])
})

test('a lost claim starts no child, and neither does an agent of another workspace', async () => {
  const { db, parent } = await startFamily()
  const other = await createTestWorkspace(db)
  expect(await startChildRun(db, parent, { key: 'call-3', content, agentId: other.agentId })).toBeNull()
  await loseClaim(db, parent.runId)
  await claim(db, parent.runId, 'process-2')
  expect(await startChildRun(db, parent, { key: 'call-4', content })).toBeNull()
})

test('there is an end to the generations and to the number of children', async () => {
  const { db, parent } = await startFamily()
  let held = parent
  for (let generation = 1; generation < limits.runGenerations; generation++) {
    const child = await startChildRun(db, held, { key: 'deeper', content })
    held = await claim(db, child?.runId ?? '')
  }
  expect(await startChildRun(db, held, { key: 'deeper', content })).toBeNull()
  for (let index = 0; index < limits.childRuns; index++)
    await startChildRun(db, parent, { key: `many-${index}`, content })
  expect(await readChildRuns(db, parent.runId)).toHaveLength(limits.childRuns)
})

test('children that end at the same time wake their parent once', async () => {
  const { db, parent } = await startFamily()
  const more = await Promise.all(['a', 'b', 'c'].map((key) => startChildRun(db, parent, { key, content })))
  const held = await Promise.all(more.map((child) => claim(db, child?.runId ?? '')))
  await parkRun(db, parent)
  await race(3, (index) => finishRun(db, held[index] as (typeof held)[0], { status: 'succeeded' }))
  expect(await readRun(db, parent.runId)).toMatchObject({ status: 'queued' })
  expect(await isQueued(db, parent.runId)).toBe(true)
})
