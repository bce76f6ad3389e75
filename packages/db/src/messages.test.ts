import { beforeAll, expect, test } from 'vitest'
import { claimDelivery, confirmDelivery, enqueueDelivery } from './deliveries.ts'
import { recordStep, type Step } from './messages.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, startRun, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const parts = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ kind: 'text', payload: { kind: 'text', markdown: `part ${index}` } }))

const stepOf = (more: Partial<Step>): Step => ({
  content: [{ type: 'text', text: 'words' }],
  use: { inputTokens: 1, outputTokens: 1, costMicros: 1 },
  ...more,
})

async function readDeliveries(conversationId: string) {
  const rows = await database.db.prisma.delivery.findMany({ where: { conversationId }, orderBy: { number: 'asc' } })
  return rows.map(({ number, payload }) => [number, (payload as { markdown: string }).markdown])
}

test('an answer of several parts is sent in their order, after what was enqueued before and before what comes after', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  const { conversationId } = run
  const say = (markdown: string) =>
    enqueueDelivery(db, { conversationId, kind: 'text', payload: { kind: 'text', markdown } })
  await say('before')
  expect(await recordStep(db, run, stepOf({ deliveries: parts(3) }))).toMatchObject({ step: 1 })
  await say('after')
  const texts = ['before', 'part 0', 'part 1', 'part 2', 'after']
  expect(await readDeliveries(conversationId)).toEqual(texts.map((text, index) => [index + 1, text]))
  for (const text of texts) {
    const claimed = await claimDelivery(db, { processId: 'sender', conversationId })
    expect(claimed?.payload).toMatchObject({ markdown: text })
    if (claimed) await confirmDelivery(db, claimed, null)
  }
})

test('a step that is recorded again after a lost connection sends nothing twice', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  const written = await race(10, () => recordStep(db, run, stepOf({ after: 0, deliveries: parts(4) })))
  expect(written.filter(Boolean)).toHaveLength(1)
  expect(await readDeliveries(run.conversationId)).toHaveLength(4)
  expect(await recordStep(db, run, stepOf({ after: 1, deliveries: parts(2) }))).toMatchObject({ step: 2 })
  expect((await readDeliveries(run.conversationId)).map(([number]) => number)).toEqual([1, 2, 3, 4, 5, 6])
})

test('a step without words sends nothing and takes no number', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  await recordStep(db, run, stepOf({}))
  await recordStep(db, run, stepOf({ deliveries: parts(1) }))
  expect(await readDeliveries(run.conversationId)).toEqual([[1, 'part 0']])
})
