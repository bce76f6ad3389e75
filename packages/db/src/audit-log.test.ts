import { beforeAll, expect, test } from 'vitest'
import { recordAudit, verifyAudit } from './audit.ts'
import { type AuditFilter, listAuditActions, listAuditActors, listAuditEvents, readAuditEvents } from './audit-log.ts'
import { newId } from './ids.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
let workspaceId: string
let other: string

const newWorkspace = async () => {
  const id = newId('wsp')
  await database.db.pool.query('INSERT INTO workspaces (id, slug, name) VALUES ($1, $1, $1)', [id])
  return id
}
const record = (id: string, actor: string, action: string, subject: string, data = {}) =>
  recordAudit(database.db.pool, {
    ...{ workspaceId: id, action, data },
    actor: { kind: 'member', id: actor },
    subject: { kind: 'secret', id: subject },
  })
const list = (filter: AuditFilter = {}, more: { before?: number; limit?: number } = {}) =>
  listAuditEvents(database.db, { workspaceId, filter, limit: 100, ...more })
const numbers = async (...args: Parameters<typeof list>) => (await list(...args)).events.map(({ number }) => number)

beforeAll(async () => {
  ;[workspaceId, other] = [await newWorkspace(), await newWorkspace()]
  await record(workspaceId, 'ada', 'secret.store', 'one', { name: 'github.token' })
  await record(workspaceId, 'bob', 'secret.rotate', 'one', { note: 'it is 100% new' })
  await record(workspaceId, 'ada', 'secretary.hire', 'two')
  await record(other, 'ada', 'secret.store', 'one', { name: 'canary' })
  await record(workspaceId, 'ada', 'member.sign-in', 'ada')
  await record(workspaceId, 'bob', 'secret.retire', 'two')
})

test('events come the newest first, page by page, each once, and only the workspace’s own', async () => {
  expect(await numbers()).toEqual([5, 4, 3, 2, 1])
  const first = await list({}, { limit: 2 })
  expect(first).toMatchObject({ events: [{ number: 5 }, { number: 4 }], next: 4 })
  const second = await list({}, { limit: 2, before: 4 })
  expect(second).toMatchObject({ events: [{ number: 3 }, { number: 2 }], next: 2 })
  expect(await list({}, { limit: 2, before: 2 })).toMatchObject({ events: [{ number: 1 }], next: null })
  expect(JSON.stringify((await list()).events)).not.toContain('canary')
  expect((await list()).events[4]).toMatchObject({
    actor: { kind: 'member', id: 'ada' },
    subject: { kind: 'secret', id: 'one' },
    data: { name: 'github.token' },
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('an action is that action, and an area is its actions and no other’s', async () => {
  expect(await numbers({ action: 'secret.store' })).toEqual([1])
  expect(await numbers({ action: 'secret.*' })).toEqual([5, 2, 1])
  expect(await numbers({ action: 'secret.*' }, { limit: 1, before: 5 })).toEqual([2])
  expect(await numbers({ action: 'nothing.*' })).toEqual([])
})

test('an actor, a subject and both with an area', async () => {
  const ada = { kind: 'member', id: 'ada' } as const
  expect(await numbers({ actor: ada })).toEqual([4, 3, 1])
  expect(await numbers({ actor: ada, action: 'secret.*' })).toEqual([1])
  expect(await numbers({ actor: { kind: 'agent', id: 'ada' } })).toEqual([])
  expect(await numbers({ subject: { kind: 'secret', id: 'two' } })).toEqual([5, 3])
  expect(await numbers({ subject: { kind: 'secret', id: 'two' }, action: 'secret.*' })).toEqual([5])
  expect(await numbers({ subject: { kind: 'secret', id: 'two' }, actor: ada })).toEqual([3])
})

test('a text is found in the data and the ids, literally', async () => {
  expect(await numbers({ text: 'GITHUB' })).toEqual([1])
  expect(await numbers({ text: '100%' })).toEqual([2])
  expect(await numbers({ text: '%' })).toEqual([2])
  expect(await numbers({ text: '_' })).toEqual([])
  expect(await numbers({ text: 'two', action: 'secret.*' })).toEqual([5])
  expect(await numbers({ text: 'bob' })).toEqual([5, 2])
})

test('a time is from a moment on and before another, also where numbers and moments are not in one order', async () => {
  const id = await newWorkspace()
  // The first is numbered after the second, as with a transaction that took longer.
  for (const [minute, name] of [
    [10, 'b'],
    [5, 'a'],
    [20, 'c'],
    [40, 'd'],
  ] as const)
    await database.db.pool.query(
      `INSERT INTO audit_events (workspace_id, at, actor_kind, actor_id, action, subject_kind, subject_id)
       VALUES ($1, $2, 'system', 'x', 'test.happen', 'x', $3)`,
      [id, new Date(Date.UTC(2026, 0, 1, 9, minute)), name],
    )
  const within = async (from: number | null, to: number | null) => {
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 9, minute))
    const filter = { ...(from === null ? {} : { from: at(from) }), ...(to === null ? {} : { to: at(to) }) }
    const { events } = await listAuditEvents(database.db, { workspaceId: id, filter, limit: 10 })
    return events.map(({ subject }) => subject.id).join('')
  }
  expect(await within(5, 20)).toBe('ab')
  expect(await within(10, null)).toBe('dcb')
  expect(await within(null, 6)).toBe('a')
  expect(await within(null, 5)).toBe('')
  expect(await within(41, null)).toBe('')
  expect(await within(6, 6)).toBe('')
})

test('what the log can be filtered by is what it has', async () => {
  expect(await listAuditActions(database.db, workspaceId)).toEqual([
    'member.sign-in',
    'secret.retire',
    'secret.rotate',
    'secret.store',
    'secretary.hire',
  ])
  expect(await listAuditActors(database.db, workspaceId)).toEqual([
    { kind: 'member', id: 'ada' },
    { kind: 'member', id: 'bob' },
  ])
  expect(await listAuditActions(database.db, await newWorkspace())).toEqual([])
})

/** Many at once, as a long log has them. */
async function longLog(events: number): Promise<string> {
  const id = await newWorkspace()
  // In pieces: the head's row has a version for each event until the commit.
  for (let from = 1; from <= events; from += 500)
    await database.db.pool.query(
      `INSERT INTO audit_events (workspace_id, actor_kind, actor_id, action, subject_kind, subject_id, data)
       SELECT $1, 'system', 'x', 'test.' || (n % 7), 'x', 'x',
         jsonb_build_object('word', CASE n WHEN 3 THEN 'needle' ELSE 'hay' END)
       FROM generate_series($2::int, least($2 + 499, $3::int)) n`,
      [id, from, events],
    )
  return id
}

test('a text that is far back is found by going on, and an export has every event once', async () => {
  const id = await longLog(20_500)
  const first = await listAuditEvents(database.db, { workspaceId: id, filter: { text: 'needle' }, limit: 50 })
  expect(first).toEqual({ events: [], next: 501 })
  const second = await listAuditEvents(database.db, {
    workspaceId: id,
    filter: { text: 'needle' },
    before: 501,
    limit: 50,
  })
  expect(second).toMatchObject({ events: [{ number: 3 }], next: null })
  const seen: number[] = []
  for await (const { number } of readAuditEvents(database.db, { workspaceId: id })) seen.push(number)
  expect(seen).toEqual(Array.from({ length: 20_500 }, (_, index) => 20_500 - index))

  const progress: [number, number][] = []
  const verdict = await verifyAudit(database.db, id, { onProgress: (...so) => progress.push(so) })
  expect(verdict).toMatchObject({ ok: true, events: 20_500 })
  expect(progress.at(0)).toEqual([5_000, 20_500])
  expect(progress.at(-1)).toEqual([20_500, 20_500])
  const stopped = AbortSignal.abort()
  await expect(verifyAudit(database.db, id, { signal: stopped })).rejects.toThrow()

  // No page reads further than it shows: each filter's own index gives the order.
  for (const filter of [{ action: 'test.3' }, { actor: { kind: 'system', id: 'x' } as const }, {}] as AuditFilter[])
    expect((await listAuditEvents(database.db, { workspaceId: id, filter, limit: 5 })).events).toHaveLength(5)
})
