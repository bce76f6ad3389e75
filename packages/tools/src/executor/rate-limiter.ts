// At most so many calls of a tool by an agent within any span of that length: a window that slides, not one that
// starts anew at the full minute and lets twice as many through around it. Per process; what must hold across
// processes is a budget, and counted in the database.
import type { AnyTool, RateLimit } from '../contract.ts'
import { limits } from '../limits.ts'
import type { Caller } from './outcome.ts'
import { Refusal } from './refusal.ts'

/** Timestamps kept for one pair. A larger limit is held in proportion: 6,000 a minute as 1,000 in ten seconds. */
const mostKept = 1_000

export class RateLimiter {
  readonly #windows = new Map<string, Window>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get size(): number {
    return this.#windows.size
  }

  /** Null where the call may go ahead, which counts it; else the milliseconds until it may. */
  take(key: string, limit: RateLimit): number | null {
    if (limit.calls < 1) return Number.POSITIVE_INFINITY
    const now = this.#now()
    const parts = Math.ceil(limit.calls / mostKept)
    const calls = Math.floor(limit.calls / parts)
    const perMs = limit.perMs / parts
    let window = this.#windows.get(key)
    // In a Map the first is the one that was not used for longest, if whatever is used is put last again.
    if (window) this.#windows.delete(key)
    if (!window || window.times.length !== calls) window = { times: new Float64Array(calls).fill(-Infinity), next: 0 }
    this.#windows.set(key, window)
    if (this.#windows.size > limits.rateLimitKeys) this.#windows.delete(this.#windows.keys().next().value as string)

    const freeAt = (window.times[window.next] as number) + perMs
    if (freeAt > now) return freeAt - now
    window.times[window.next] = now
    window.next = (window.next + 1) % calls
    return null
  }
}

/** The last calls, as a ring: `next` is the oldest of them. */
interface Window {
  times: Float64Array
  next: number
}

export function checkRateLimit(limiter: RateLimiter, tool: AnyTool, { workspaceId, agentId }: Caller): Refusal | null {
  if (!tool.rateLimit) return null
  const waitMs = limiter.take(`${workspaceId}\0${agentId}\0${tool.name}`, tool.rateLimit)
  return waitMs === null ? null : new Refusal('rate_limited', describeRateLimit(tool.name, tool.rateLimit, waitMs))
}

export function describeRateLimit(tool: string, limit: RateLimit, waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1_000)
  const when = Number.isFinite(waitMs)
    ? `Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`
    : 'It cannot be called.'
  return `Tool '${tool}' is limited to ${limit.calls} call${limit.calls === 1 ? '' : 's'} per ${describeSpan(limit.perMs)}. ${when}`
}

function describeSpan(ms: number): string {
  for (const [unit, size] of [
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const) {
    if (ms >= size && ms % size === 0) return ms === size ? unit : `${ms / size} ${unit}s`
  }
  return `${ms} ms`
}
