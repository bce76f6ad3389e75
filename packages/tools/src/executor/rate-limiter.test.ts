import fc from 'fast-check'
import { expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { describeRateLimit, RateLimiter } from './rate-limiter.ts'

it('lets through at most so many in any span, not only in aligned ones', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 60 }),
      (calls, gaps) => {
        let now = 0
        const limiter = new RateLimiter(() => now)
        const passed: number[] = []
        for (const gap of gaps) {
          now += gap
          if (limiter.take('a', { calls, perMs: 100 }) === null) passed.push(now)
        }
        for (const end of passed)
          expect(passed.filter((at) => at > end - 100 && at <= end).length).toBeLessThanOrEqual(calls)
      },
    ),
  )
})

it('says when to try again, and then it works', () => {
  let now = 0
  const limiter = new RateLimiter(() => now)
  const limit = { calls: 2, perMs: 60_000 }
  expect(limiter.take('a', limit)).toBeNull()
  now = 10_000
  expect(limiter.take('a', limit)).toBeNull()
  now = 15_000
  expect(limiter.take('a', limit)).toBe(45_000)
  expect(limiter.take('b', limit)).toBeNull()
  now = 60_000
  expect(limiter.take('a', limit)).toBeNull()
  expect(describeRateLimit('web.search', limit, 45_000)).toBe(
    "Tool 'web.search' is limited to 2 calls per minute. Try again in 45 seconds.",
  )
})

it('holds a large limit without remembering each call', () => {
  let now = 0
  const limiter = new RateLimiter(() => now)
  let passed = 0
  for (now = 0; now < 60_000; now++) if (limiter.take('a', { calls: 6_000, perMs: 60_000 }) === null) passed++
  expect(passed).toBeLessThanOrEqual(6_000)
  expect(passed).toBeGreaterThan(5_900)
})

it('forgets who was idle for longest, and never grows past its bound', () => {
  const limiter = new RateLimiter(() => 0)
  for (let key = 0; key < limits.rateLimitKeys + 50; key++) limiter.take(`key ${key}`, { calls: 1, perMs: 1_000 })
  expect(limiter.size).toBe(limits.rateLimitKeys)
})
