import { expect, test } from 'vitest'
import { shareReads } from './share-reads.ts'

function slowReads() {
  const begun: { key: string; end: PromiseWithResolvers<number> }[] = []
  const read = shareReads<number>((key) => {
    const end = Promise.withResolvers<number>()
    begun.push({ key, end })
    return end.promise
  })
  return { begun, read }
}

test('those who ask while a read is under way share the next one, which begins after they asked', async () => {
  const { begun, read } = slowReads()
  const first = read('a')
  const others = [read('a'), read('a'), read('a')]
  expect(begun).toHaveLength(1)
  begun[0]?.end.resolve(1)
  expect(await first).toBe(1)
  await expect.poll(() => begun.length).toBe(2)
  begun[1]?.end.resolve(2)
  expect(await Promise.all(others)).toEqual([2, 2, 2])
})

test('a read of another key waits for nobody', () => {
  const { begun, read } = slowReads()
  void read('a')
  void read('b')
  expect(begun.map(({ key }) => key)).toEqual(['a', 'b'])
})

test('a failed read fails those who asked for it, and the next one is made all the same', async () => {
  const { begun, read } = slowReads()
  const first = read('a')
  const second = read('a')
  begun[0]?.end.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await expect.poll(() => begun.length).toBe(2)
  begun[1]?.end.resolve(2)
  expect(await second).toBe(2)
  const third = read('a')
  begun[2]?.end.resolve(3)
  expect(await third).toBe(3)
})
