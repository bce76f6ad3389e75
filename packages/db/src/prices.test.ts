import { beforeEach, expect, test } from 'vitest'
import { wholePrice } from './default-prices.ts'
import { limits } from './limits.ts'
import { readPrices, removePrice, setPrice } from './prices.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race } from './testing-workspace.ts'

const database = useTestDatabase()
let workspaceId: string
let actor: { kind: 'member'; id: string }
beforeEach(async () => {
  const workspace = await createTestWorkspace(database.db)
  workspaceId = workspace.workspaceId
  actor = { kind: 'member', id: workspace.members.admin }
})

const set = (model: string, price: Parameters<typeof setPrice>[1]['price']) =>
  setPrice(database.db, { workspaceId, model, price, actor })
const remove = (model: string) => removePrice(database.db, { workspaceId, model, actor })
const read = () => readPrices(database.db, workspaceId)
const events = () => database.db.prisma.auditEvent.findMany({ where: { workspaceId }, orderBy: { number: 'asc' } })

test('a price is set, changed and removed, each with its event, and once', async () => {
  expect(await read()).toEqual({})
  expect(await set('my-model', { input: 1, output: 2 })).toBe(true)
  expect(await set('my-model', { input: 1, output: 2 })).toBe(false)
  expect(await set('my-model', { input: 1, output: 3, cacheRead: 0 })).toBe(true)
  expect(await read()).toEqual({ 'my-model': { input: 1, output: 3, cacheRead: 0 } })
  expect(await remove('my-model')).toBe(true)
  expect(await remove('my-model')).toBe(false)
  expect(await read()).toEqual({})
  const one = { input: 1, output: 2 }
  const other = { input: 1, output: 3, cacheRead: 0 }
  expect(await events()).toMatchObject([
    { action: 'prices.change', data: { model: 'my-model', before: null, after: one } },
    { action: 'prices.change', data: { model: 'my-model', before: one, after: other } },
    { action: 'prices.change', data: { model: 'my-model', before: other, after: null } },
  ])
})

test('two people who set prices at once both have theirs', async () => {
  await race(10, (index) => set(`model-${index}`, { input: index, output: 1 }))
  expect(Object.keys(await read())).toHaveLength(10)
})

test.each([
  ['my-model', -1, 'my-model.input: Expected at least 0.'],
  ['my-model', 100_001, 'my-model.input: Expected at most 100000.'],
  ['my-model', Number.NaN, 'my-model.input: Expected a number.'],
  ['', 1, 'Expected the name of a model.'],
  ['__proto__', 1, 'Expected a name like claude-sonnet-5-5'],
  ['two words', 1, 'Expected a name like claude-sonnet-5-5'],
])('what can be no price is refused by its name, and nothing changes: %j %d', async (model, input, message) => {
  await expect(set(model, { input, output: 2 })).rejects.toThrow(message)
  expect(await read()).toEqual({})
  expect(await events()).toEqual([])
})

test('a workspace has only so many prices, and may still change those that it has', async () => {
  const many = Array.from({ length: limits.ownPrices }, (_, n) => [`model-${n}`, { input: 1, output: 1 }])
  await database.db.pool.query(`INSERT INTO settings (workspace_id, key, value) VALUES ($1, 'prices', $2)`, [
    workspaceId,
    JSON.stringify(Object.fromEntries(many)),
  ])
  await expect(set('one-more', { input: 1, output: 1 })).rejects.toThrow('at most 200 prices')
  expect(await set('model-0', { input: 2, output: 1 })).toBe(true)
})

test('what a price leaves out follows from that of input', () => {
  expect(wholePrice({ input: 4, output: 20, cacheRead: 1, cacheWrite1h: undefined })).toEqual({
    input: 4,
    output: 20,
    cacheWrite5m: 5,
    cacheWrite1h: 8,
    cacheRead: 1,
    thousandWebSearches: 10,
  })
})
