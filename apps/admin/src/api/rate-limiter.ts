// How often a key or a session may call the REST API, counted for all console processes together. One write for each
// request would cost more than most requests: so a process takes permits out of the database in blocks and spends them
// by itself. What all of them hand out is never more than the limit; what one of them took and did not spend before the
// window ended is lost, at most a block (limits.ts, rateWrites). Once the limit is reached nothing is written at all.
import type { Attempts } from '@quartermaster/db'
import { apiLimits as limits } from './limits.ts'

export interface Rate {
  allowed: boolean
  limit: number
  /** How many more until the window ends, as far as this process knows. */
  remaining: number
  /** Until the window ends, in seconds. */
  reset: number
}

interface RateLimiterOptions {
  /** Calls in a window. */
  limit: number
  /** Adds this many to the count of the window, and says what it is then. */
  count: (key: string, times: number) => Promise<Attempts>
  now?: () => number
}

interface Window {
  /** Permits that this process has and has not spent. */
  permits: number
  /** What is counted of the window, by everybody. */
  counted: number
  endsAt: number
  taking: Promise<void> | null
}

export class RateLimiter {
  readonly #options: Required<RateLimiterOptions>
  readonly #block: number
  readonly #windows = new Map<string, Window>()

  constructor(options: RateLimiterOptions) {
    this.#options = { now: () => performance.now(), ...options }
    this.#block = Math.max(1, Math.floor(options.limit / limits.rateWrites))
  }

  /** Spends a permit of this caller's, where there is one. */
  async take(key: string): Promise<Rate> {
    const { limit, now } = this.#options
    const window = this.#windowOf(key)
    while (window.permits === 0 && window.counted < limit) {
      // Those who come at once wait for one block together.
      window.taking ??= this.#takeBlock(key, window).finally(() => {
        window.taking = null
      })
      await window.taking
    }
    const allowed = window.permits > 0
    if (allowed) window.permits--
    return {
      allowed,
      limit,
      remaining: window.permits + Math.max(0, limit - window.counted),
      reset: Math.max(1, Math.ceil((window.endsAt - now()) / 1000)),
    }
  }

  #windowOf(key: string): Window {
    const { now } = this.#options
    const known = this.#windows.get(key)
    if (known && (known.endsAt > now() || known.taking)) return known
    if (this.#windows.size >= limits.rateCallers)
      for (const [other, { endsAt, taking }] of this.#windows)
        if (endsAt <= now() && !taking) this.#windows.delete(other)
    const window: Window = { permits: 0, counted: 0, endsAt: 0, taking: null }
    this.#windows.set(key, window)
    return window
  }

  async #takeBlock(key: string, window: Window): Promise<void> {
    const { limit, count, now } = this.#options
    const counted = await count(key, this.#block)
    const before = counted.count - this.#block
    window.permits += Math.max(0, Math.min(this.#block, limit - before))
    window.counted = counted.count
    window.endsAt = now() + counted.secondsLeft * 1000
  }
}
