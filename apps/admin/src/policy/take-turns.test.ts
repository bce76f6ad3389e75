import { expect, test } from 'vitest'
import { takeTurns } from './take-turns.ts'

const items = Array.from({ length: 50 }, (_, index) => index)

/** What the readers got, and how often something else had its turn meanwhile. */
async function read(turnMs: number, signal = new AbortController().signal) {
  let turns = 0
  let other = setImmediate(function again() {
    turns++
    other = setImmediate(again)
  })
  const got: number[] = []
  for await (const item of takeTurns(items, { turnMs, signal })) got.push(item)
  clearImmediate(other)
  return { got, turns }
}

test('what waits in the process has its turn between two items, and every item comes once', async () => {
  const { got, turns } = await read(0)
  expect(got).toEqual(items)
  expect(turns).toBeGreaterThanOrEqual(items.length - 1)
})

test('without a turn in between nothing else runs: the guard is what lets it', async () => {
  expect((await read(Number.POSITIVE_INFINITY)).turns).toBe(0)
})

test('ends where nobody reads any more', async () => {
  expect((await read(0, AbortSignal.abort())).got).toEqual([])
})
