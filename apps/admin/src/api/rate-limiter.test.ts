import { describe, expect, test } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

/** The database's part: one count a key and window, for whoever asks. */
function counter(clock: { ms: number }) {
  const counts = new Map<string, number>()
  const counting = {
    writes: 0,
    count: async (key: string, times: number) => {
      counting.writes++
      const window = Math.floor(clock.ms / 60_000)
      const name = `${key}@${window}`
      counts.set(name, (counts.get(name) ?? 0) + times)
      return { count: counts.get(name) as number, secondsLeft: ((window + 1) * 60_000 - clock.ms) / 1000 }
    },
  }
  return counting
}

function setUp(limit: number, processes = 1) {
  const clock = { ms: 0 }
  const counting = counter(clock)
  const limiters = Array.from(
    { length: processes },
    () => new RateLimiter({ limit, count: counting.count, now: () => clock.ms }),
  )
  return { clock, counting, limiters, limiter: limiters[0] as RateLimiter }
}

describe('the rate limiter', () => {
  test('lets exactly the limit through in a window, and again in the next', async () => {
    const { clock, limiter } = setUp(100)
    for (let window = 0; window < 3; window++) {
      const rates = []
      for (let call = 0; call < 130; call++) rates.push(await limiter.take('k'))
      expect(rates.filter(({ allowed }) => allowed)).toHaveLength(100)
      expect(rates[0]).toEqual({ allowed: true, limit: 100, remaining: 99, reset: 60 })
      expect(rates[99]).toMatchObject({ allowed: true, remaining: 0 })
      expect(rates[100]).toMatchObject({ allowed: false, remaining: 0 })
      clock.ms += 60_000
    }
  })

  test('never lets more through over all processes, however the calls fall on them, and loses little', async () => {
    const { limiters } = setUp(200, 3)
    const calls = Array.from({ length: 900 }, (_, index) => limiters[(index * 7) % 3]?.take('k'))
    const allowed = (await Promise.all(calls)).filter((rate) => rate?.allowed).length
    expect(allowed).toBeLessThanOrEqual(200)
    expect(allowed).toBeGreaterThan(200 - 2 * 10)
  })

  test('writes once for a block of calls, and not at all once the limit is reached', async () => {
    const { counting, limiter } = setUp(600)
    for (let call = 0; call < 600; call++) await limiter.take('k')
    expect(counting.writes).toBe(20)
    for (let call = 0; call < 1_000; call++) expect((await limiter.take('k')).allowed).toBe(false)
    expect(counting.writes).toBe(20)
  })

  test('calls that come at once share a write', async () => {
    const { counting, limiter } = setUp(600)
    await Promise.all(Array.from({ length: 30 }, () => limiter.take('k')))
    expect(counting.writes).toBe(1)
  })

  test('one caller’s calls are not another’s', async () => {
    const { limiter } = setUp(1)
    expect([(await limiter.take('a')).allowed, (await limiter.take('a')).allowed]).toEqual([true, false])
    expect((await limiter.take('b')).allowed).toBe(true)
  })

  test('a count that failed is taken anew by the next call', async () => {
    let fails = true
    const limiter = new RateLimiter({
      limit: 5,
      count: async () => {
        if (fails) throw new Error('gone')
        return { count: 1, secondsLeft: 60 }
      },
    })
    await expect(limiter.take('k')).rejects.toThrow('gone')
    fails = false
    expect((await limiter.take('k')).allowed).toBe(true)
  })
})
