import { beforeAll, expect, test } from 'vitest'
import { finishRun, requestStop } from './finish-run.ts'
import { recordStep } from './messages.ts'
import { useTestDatabase } from './testing.ts'
import { claim, createTestWorkspace, race, say, startRun, type TestWorkspace } from './testing-workspace.ts'
import { durationBuckets, findPercentile, readUsage } from './usage.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
const hour = 3_600_000

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const around = (step: 'hour' | 'day') => ({ from: new Date(Date.now() - hour), to: new Date(Date.now() + hour), step })

test('every finished run is counted once, however many finish at the same time', async () => {
  const { db } = database
  const runs = await race(40, () => startRun(db, workspace))
  await race(40, async (index) => {
    const run = runs[index]!
    await recordStep(db, run, { content: [], use: { inputTokens: 100, outputTokens: 10, costMicros: 1_000 } })
    await db.pool.query(`UPDATE runs SET queued_at = clock_timestamp() - interval '4 seconds' WHERE id = $1`, [
      run.runId,
    ])
    await finishRun(db, run, { status: index % 4 ? 'succeeded' : 'failed', seenMessage: 1 })
  })
  const { runId } = await say(db, workspace)
  await requestStop(db, { workspaceId: workspace.workspaceId, runId, actor: { kind: 'system', id: 'test' } })

  const rows = await readUsage(db, workspace.workspaceId, around('hour'))
  const sum = (pick: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + pick(row), 0)
  expect(rows.length).toBeGreaterThanOrEqual(2)
  expect(sum((row) => row.runs)).toBe(41)
  expect(sum((row) => row.failed)).toBe(10)
  expect(sum((row) => row.stopped)).toBe(1)
  expect(sum((row) => row.inputTokens)).toBe(4_000)
  expect(sum((row) => row.costMicros)).toBe(40_000)
  for (const row of rows.filter((each) => each.runs > 1)) {
    expect(row.p50Ms).toBeGreaterThanOrEqual(3_000)
    expect(row.p95Ms).toBeLessThanOrEqual(7_500)
  }
  const stored = await db.prisma.usageHour.findMany()
  for (const row of stored) expect(row.durations).toHaveLength(durationBuckets.length + 1)
})

test('a run that is still unfinished, or of another workspace, is not counted', async () => {
  const other = await createTestWorkspace(database.db)
  const { runId } = await say(database.db, other)
  const total = async () =>
    (await readUsage(database.db, other.workspaceId, around('day'))).reduce((sum, row) => sum + row.runs, 0)
  expect(await total()).toBe(0)
  await finishRun(database.db, await claim(database.db, runId), { status: 'succeeded' })
  expect(await total()).toBe(1)
})

test('hours and days without runs are there, empty, and days begin at midnight in the zone', async () => {
  const { db } = database
  const day = (date: string, timezone: string) =>
    readUsage(db, workspace.workspaceId, {
      from: new Date(`${date}T12:00:00Z`),
      to: new Date('2026-03-31T12:00:00Z'),
      step: 'day',
      timezone,
    })
  const rows = await day('2026-03-28', 'Europe/Berlin')
  // Clocks change on the 29th: the day before begins at 23:00 UTC, the day after at 22:00.
  expect(rows.map((row) => row.at.toISOString())).toEqual([
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
    '2026-03-30T22:00:00.000Z',
  ])
  expect(rows.every((row) => row.runs === 0 && row.p50Ms === null)).toBe(true)
  const hours = await readUsage(db, workspace.workspaceId, {
    from: new Date('2026-03-28T10:30:00Z'),
    to: new Date('2026-03-28T13:00:00Z'),
    step: 'hour',
    timezone: 'Asia/Kolkata',
  })
  expect(hours.map((row) => row.at.getUTCHours())).toEqual([10, 11, 12])
})

test('a percentile lies inside the bucket that holds it', () => {
  const counts = (filled: Record<number, number>) =>
    Array.from({ length: durationBuckets.length + 1 }, (_, index) => filled[index] ?? 0)
  expect(findPercentile([], 0.5)).toBeNull()
  expect(findPercentile(counts({}), 0.5)).toBeNull()
  expect(findPercentile(counts({ 0: 10 }), 0.5)).toBe(125)
  expect(findPercentile(counts({ 2: 90, 5: 10 }), 0.5)).toBeGreaterThan(500)
  expect(findPercentile(counts({ 2: 90, 5: 10 }), 0.5)).toBeLessThan(1_000)
  expect(findPercentile(counts({ 2: 90, 5: 10 }), 0.95)).toBe(4_000)
  expect(findPercentile(counts({ [durationBuckets.length]: 1 }), 0.95)).toBe(86_400_000)
})
