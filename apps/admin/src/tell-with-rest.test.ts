import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tellWithRest } from './tell-with-rest.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the first is told at once, many that follow as one after the rest, and none after the end', () => {
  const told = vi.fn()
  const { call, end } = tellWithRest(told, 150)
  call()
  expect(told).toHaveBeenCalledTimes(1)
  for (let count = 0; count < 10; count++) call()
  expect(told).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(150)
  expect(told).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(1_000)
  expect(told).toHaveBeenCalledTimes(2)
  call()
  expect(told).toHaveBeenCalledTimes(3)
  call()
  end()
  vi.advanceTimersByTime(1_000)
  expect(told).toHaveBeenCalledTimes(3)
})
