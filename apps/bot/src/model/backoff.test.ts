import { expect, test } from 'vitest'
import { resolveBackoff } from './backoff.ts'
import { ModelError, parseRetryAfter } from './model-error.ts'

const options = { attempts: 6, firstMs: 500, longestMs: 20_000, longestAskedMs: 60_000 }
const failure = (retryAfterMs: number | null, passing = true) =>
  new ModelError('rate_limited', 'Slow down.', { retryAfterMs, passing })

test('waits grow to a maximum, and are never the same for everybody', () => {
  const most = [1, 2, 3, 4, 5].map((attempt) => resolveBackoff(failure(null), attempt, options, () => 1))
  const least = [1, 2, 3, 4, 5].map((attempt) => resolveBackoff(failure(null), attempt, options, () => 0))
  expect(most).toEqual([500, 1000, 2000, 4000, 8000])
  expect(least).toEqual([250, 500, 1000, 2000, 4000])
  expect(resolveBackoff(failure(null), 20, { ...options, attempts: 30 }, () => 1)).toBe(20_000)
})

test('a time that the server asks for is kept, never shortened', () => {
  expect(resolveBackoff(failure(7000), 1, options, () => 0)).toBe(7000)
  expect(resolveBackoff(failure(7000), 1, options, () => 1)).toBe(7700)
})

test('there is no further attempt after the last, after a lasting failure, or when the wait is too long', () => {
  expect(resolveBackoff(failure(null), 6, options)).toBeNull()
  expect(resolveBackoff(failure(null, false), 1, options)).toBeNull()
  expect(resolveBackoff(failure(60_001), 1, options)).toBeNull()
  expect(resolveBackoff(failure(60_000), 1, options)).not.toBeNull()
})

test('the time to wait is read as seconds, milliseconds or a date, and nonsense is no time', () => {
  const read = (headers: Record<string, string>) => parseRetryAfter(new Headers(headers), Date.UTC(2026, 10, 18))
  expect(read({ 'retry-after': '3' })).toBe(3000)
  expect(read({ 'retry-after-ms': '250', 'retry-after': '9' })).toBe(250)
  expect(read({ 'retry-after': 'Wed, 18 Nov 2026 00:00:10 GMT' })).toBe(10_000)
  expect(read({ 'retry-after': 'soon' })).toBeNull()
  expect(read({ 'retry-after': '-4' })).toBeNull()
  expect(read({})).toBeNull()
})
