import { expect, test } from 'vitest'
import { firstRecordedCall, readRecordedCalls } from './recorded-calls.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, requestCall, startRun } from './testing-workspace.ts'

const database = useTestDatabase()

test('pages through the calls of one workspace, the newest first, each once, as far back as was asked', async () => {
  const { db } = database
  const [workspace, other] = [await createTestWorkspace(db), await createTestWorkspace(db)]
  const { workspaceId } = workspace
  const run = await startRun(db, workspace)
  const ids: string[] = []
  for (let index = 0; index < 7; index++) ids.push(await requestCall(db, run))
  await requestCall(db, await startRun(db, other))
  // Two of one moment, and one that is older than anybody asks for.
  await db.pool.query(
    `UPDATE tool_calls SET requested_at = now() - (CASE WHEN id = $1 THEN '40 days' ELSE '1 hour' END)::interval
     WHERE id = ANY($2)`,
    [ids[0], ids.slice(0, 3)],
  )
  const read = async (since: Date | null) => {
    const seen: string[] = []
    let after: { requestedAt: Date; id: string } | null = null
    for (;;) {
      const page = await readRecordedCalls(db, { workspaceId, since, after, limit: 2 })
      seen.push(...page.map(({ id }) => id))
      const last = page.at(-1)
      if (!last || page.length < 2) return seen
      after = last
    }
  }
  expect(new Set(await read(null))).toEqual(new Set(ids))
  expect((await read(null)).at(-1)).toBe(ids[0])
  expect(await read(null)).toHaveLength(7)
  expect(await read(new Date(Date.now() - 30 * 86_400_000))).toHaveLength(6)
  expect((await firstRecordedCall(db, workspaceId))!.getTime()).toBeLessThan(Date.now() - 39 * 86_400_000)
})

test('a call carries the taint that its conversation had when it was made, and not what came after', async () => {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const run = await startRun(db, workspace)
  const [before, read, after] = [await requestCall(db, run), await requestCall(db, run), await requestCall(db, run)]
  const at = (id: string, requested: string, finished: string | null, taint: string[]) =>
    db.pool.query(
      `UPDATE tool_calls SET requested_at = now() + $2::interval, finished_at = now() + $3::interval, taint = $4,
         status = CASE WHEN $3::interval IS NULL THEN status ELSE 'failed' END WHERE id = $1`,
      [id, requested, finished, taint],
    )
  await at(before, '-3 min', null, [])
  await at(read, '-2 min', '-1 min', ['https://strangers.example'])
  await at(after, '-30 s', null, [])
  const page = await readRecordedCalls(db, { workspaceId: workspace.workspaceId, since: null, after: null, limit: 10 })
  expect(Object.fromEntries(page.map(({ id, taint }) => [id, taint]))).toEqual({
    [before]: [],
    [read]: [],
    [after]: ['https://strangers.example'],
  })
  expect(page[0]).toMatchObject({ tool: 'file.write', arguments: { path: 'a.txt' }, trigger: 'message' })
})
