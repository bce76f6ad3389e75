import { expect, test } from 'vitest'
import { inBatches } from './in-batches.ts'

test('what comes while a batch is under way is done together by the next, and no more than fit', async () => {
  const batches: number[][] = []
  const double = inBatches(async (items: readonly number[]) => {
    batches.push([...items])
    await new Promise((done) => setTimeout(done, 5))
    return items.map((item) => item * 2)
  }, 3)
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10])
  expect(batches).toEqual([[1], [2, 3, 4], [5]])
  expect(await double(6)).toBe(12)
})

test('one that cannot be done fails alone; without a database all of them do, at once', async () => {
  let tries = 0
  const work = (error: Error & { code?: string }) =>
    inBatches(async (items: readonly number[]) => {
      tries++
      if (items.includes(3)) throw error
      return items
    }, 10)
  const one = work(new Error('three'))
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(one))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(await one(5)).toBe(5)

  tries = 0
  const away = work(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
  const lost = await Promise.allSettled([1, 2, 3, 4].map(away))
  expect(lost.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
  expect(tries).toBe(2)
})
