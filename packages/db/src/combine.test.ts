import { beforeAll, expect, test } from 'vitest'
import { inTransaction } from './client.ts'
import type { CombinedStatement } from './combine.ts'
import { finishLastToolCall } from './finish-last-call.ts'
import { limits } from './limits.ts'
import { recordLastStep, recordStep } from './messages.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  loseClaim,
  race,
  readRun,
  startRun,
  type TestWorkspace,
} from './testing-workspace.ts'
import { beginToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

interface Item {
  key: string
  divisor?: number
  apart?: string
}

/** Answers the transaction that each item was done in, and refuses to divide by zero. */
const divide: CombinedStatement<Item> = {
  text: `SELECT key, txid_current() AS tx, 12 / divisor AS quotient FROM unnest($1::text[], $2::int[]) AS a (key, divisor)`,
  values: (items) => [items.map(({ key }) => key), items.map(({ divisor }) => divisor ?? 1)],
  keyOf: ({ key }) => key,
  apartBy: ({ apart }) => (apart ? [apart] : []),
}

const keys = (count: number) => Array.from({ length: count }, (_, nth): Item => ({ key: String(nth) }))

test('what is asked for at the same moment is one statement, up to its limit, and each gets its own answer', async () => {
  const { combiner } = database.db
  const count = limits.combineItems + 3
  const items = keys(count).map((item, nth) => ({ ...item, divisor: (nth % 12) + 1 }))
  const rows = await Promise.all(items.map((item) => combiner.run(divide, item)))
  expect(rows.map(({ quotient }) => quotient)).toEqual(items.map(({ divisor }) => Math.trunc(12 / divisor)))
  expect(new Set(rows.map(({ tx }) => tx)).size).toBe(2)
})

test('two that would write the same row are never in one statement', async () => {
  const { combiner } = database.db
  const apart = keys(4).map((item) => ({ ...item, apart: 'one row' }))
  const rows = await Promise.all(apart.map((item) => combiner.run(divide, item)))
  expect(new Set(rows.map(({ tx }) => tx)).size).toBe(4)
})

test('what rests goes out at once when it comes alone; what comes close behind it gathers, and is done', async () => {
  const { combiner } = database.db
  const resting: CombinedStatement<Item> = { ...divide, restMs: 300 }
  const start = performance.now()
  const alone = await combiner.run(resting, { key: 'first' })
  expect(performance.now() - start).toBeLessThan(250)
  // Each is asked for in a turn of the event loop of its own, with a lane free all the time.
  const behind: Promise<{ tx: string }>[] = []
  for (const { key } of keys(5)) {
    behind.push(combiner.run(resting, { key }))
    await combiner.run(divide, { key: 'another' })
  }
  const gathered = await Promise.all(behind)
  expect(new Set(gathered.map(({ tx }) => tx)).size).toBe(1)
  expect(performance.now() - start).toBeGreaterThanOrEqual(300)
  expect(gathered[0]?.tx).not.toBe(alone.tx)
})

test('as many as a statement takes do not wait until it has rested', async () => {
  const { combiner } = database.db
  const resting: CombinedStatement<Item> = { ...divide, restMs: 60_000 }
  await combiner.run(resting, { key: 'first' })
  expect(await Promise.all(keys(limits.combineItems).map((item) => combiner.run(resting, item)))).toHaveLength(
    limits.combineItems,
  )
})

test('one that cannot be done fails alone, and those that were asked for with it are done', async () => {
  const { combiner } = database.db
  const items = keys(6).map((item) => ({ ...item, divisor: item.key === '3' ? 0 : 2 }))
  const outcomes = await Promise.allSettled(items.map((item) => combiner.run(divide, item)))
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true, true])
  expect(outcomes[3]).toMatchObject({ reason: { code: '22012' } })
})

test('a broken connection fails those that were on it, and what is asked for next is done', async () => {
  const { combiner, pool } = database.db
  const sleep: CombinedStatement<string> = {
    text: `SELECT key, pg_sleep(30) FROM unnest($1::text[]) AS a (key)`,
    values: (items) => [items],
    keyOf: (key) => key,
  }
  const broken = Promise.allSettled(['a', 'b'].map((key) => combiner.run(sleep, key)))
  let ended = 0
  while (!ended) {
    const { rows } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid() AND wait_event = 'PgSleep'`,
    )
    ended = rows.length
  }
  expect((await broken).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await combiner.run(divide, { key: 'after' })).toMatchObject({ quotient: 12 })
})

test('a run whose rows somebody holds keeps nobody else up, and goes on when they let go', async () => {
  const { db } = database
  const runs = await Promise.all(Array.from({ length: 6 }, () => startRun(db, workspace)))
  const [blocked, ...others] = runs as [(typeof runs)[number], ...typeof runs]
  const step = { content: [], use: { inputTokens: 1, outputTokens: 1, costMicros: 1 }, after: 0 }
  let isDone = false
  const waiting = await inTransaction(db, async (tx) => {
    await tx.query('SELECT 1 FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [blocked.conversationId])
    const held = recordStep(db, blocked, step).finally(() => {
      isDone = true
    })
    const recorded = await Promise.all(others.map((run) => recordStep(db, run, step)))
    expect(recorded.map((each) => each?.step)).toEqual(others.map(() => 1))
    expect(isDone).toBe(false)
    return { held }
  })
  expect(await waiting.held).toMatchObject({ step: 1 })
})

test('whole turns of many runs at once leave with each run what it alone would have left', async () => {
  const { db } = database
  const use = { inputTokens: 10, outputTokens: 5, costMicros: 700 }
  const turn = async (nth: number) => {
    const run = await startRun(db, workspace)
    const id = `call_${nth}_${run.runId}`
    const text = (words: string) => [{ type: 'text', text: `${words} of ${nth}` }]
    const parts = Array.from({ length: nth % 3 }, (_, part) => ({ kind: 'text', payload: { text: `${nth}.${part}` } }))
    expect(await recordStep(db, run, { content: text('calls'), use, after: 0, deliveries: parts })).toMatchObject({
      number: 2,
    })
    const call = { step: 1, toolUseId: 'use', toolName: `tool.${nth}`, toolVersion: 'v1', effect: 'read' as const }
    const rest = { idempotent: true, arguments: { nth }, argumentsDigest: `${nth}` }
    expect(await beginToolCall(db, run, { ...call, ...rest, id, trail: [{ nth }] })).toBe(true)
    // One of them is lost to its holder: it writes nothing more, and the others do not notice.
    if (nth === 7) {
      await loseClaim(db, run.runId)
      await claim(db, run.runId, 'process-2')
    }
    const taint = nth % 2 ? [`https://example.com/"${nth}"\\`] : []
    const end = { toolCallId: id, status: 'succeeded' as const, output: `${nth}`, taint }
    const number = await finishLastToolCall(db, run, end, [{ nth }])
    expect(number).toBe(nth === 7 ? null : 3)
    const last = await recordLastStep(db, run, { content: text('done'), use, after: 1, seen: 3, deliveries: parts })
    if (nth === 7) expect(last).toBeNull()
    else expect(last).toMatchObject({ number: 4, step: 2, ended: true })
    return { run, nth, id, taint }
  }
  let next = 0
  for (const { run, nth, id, taint } of await race(40, () => turn(next++))) {
    if (nth === 7) continue
    const { conversationId, runId } = run
    expect(await readRun(db, runId)).toMatchObject({ status: 'succeeded', steps: 2, costMicros: 1400n })
    const messages = await db.prisma.message.findMany({ where: { conversationId }, orderBy: { number: 'asc' } })
    expect(messages.map(({ content }) => JSON.stringify(content))).toEqual([
      expect.stringContaining('hello'),
      expect.stringContaining(`calls of ${nth}"`),
      JSON.stringify([{ nth }]),
      expect.stringContaining(`done of ${nth}"`),
    ])
    expect(await db.prisma.toolCall.findUnique({ where: { id } })).toMatchObject({
      runId,
      toolName: `tool.${nth}`,
      arguments: { nth },
      trail: [{ nth }],
      output: `${nth}`,
      taint,
    })
    const deliveries = await db.prisma.delivery.findMany({ where: { conversationId }, orderBy: { number: 'asc' } })
    const parts = Array.from({ length: nth % 3 }, (_, part) => `${nth}.${part}`)
    expect(deliveries.map(({ payload }) => (payload as { text: string }).text)).toEqual([...parts, ...parts])
    expect(deliveries.map(({ number }) => number)).toEqual([...parts, ...parts].map((_, index) => index + 1))
  }
})
