import { createHash } from 'node:crypto'
import type { Clock } from './clock.ts'
import type { Method } from './methods/method.ts'
import type { Json } from './model.ts'
import type { RateFigures, SlackEmulatorOptions } from './settings.ts'

/** Calls a minute in each of Slack's tiers. */
const tiers = { 1: 1, 2: 20, 3: 50, 4: 100 } as const

/** How an app connects is left in peace, unless a test names it: storms are about what the bot does. */
const calm = new Set(['apps.connections.open', 'auth.test', 'oauth.v2.access'])

export interface Storm {
  /** How many calls of a hundred are refused. */
  percent?: number
  minSeconds?: number
  maxSeconds?: number
  /** The same seed refuses the same calls. */
  seed?: number
  methods?: readonly string[]
}

export interface Limited {
  retryAfter: number
  tooEarly: boolean
}

/** Slack's rate limits, and storms of 429 that a test asks for. */
export class Rates {
  readonly #clock: Clock
  readonly #calls = new Map<string, number[]>()
  readonly #until = new Map<string, number>()
  #rule: NonNullable<SlackEmulatorOptions['rates']>
  #storm: Required<Storm> | null = null
  #random = 1

  constructor(clock: Clock, rule: NonNullable<SlackEmulatorOptions['rates']>) {
    this.#clock = clock
    this.#rule = rule
  }

  set(rule: NonNullable<SlackEmulatorOptions['rates']>): void {
    this.#rule = rule
    this.#calls.clear()
  }

  storm(storm: Storm | null): void {
    this.#storm = storm && { percent: 50, minSeconds: 1, maxSeconds: 30, seed: 1, methods: [], ...storm }
    this.#random = ((storm?.seed ?? 1) * 16_807 + 1_234_567_890) % 2_147_483_647 || 1
    this.#until.clear()
  }

  /** Whether a call is refused, and for how many seconds. */
  limit(name: string, method: Method, teamId: string, args: Json): Limited | null {
    const key = `${teamId} ${name} ${createHash('sha256').update(JSON.stringify(args)).digest('base64')}`
    const left = (this.#until.get(key) ?? 0) - this.#clock.now()
    if (left > 0) return { retryAfter: Math.ceil(left / 1000), tooEarly: true }
    const retryAfter = this.#stormy(name) ?? this.#count(name, method, teamId, args)
    if (retryAfter === null) return null
    this.#until.set(key, this.#clock.now() + retryAfter * 1000)
    return { retryAfter, tooEarly: false }
  }

  #stormy(name: string): number | null {
    const storm = this.#storm
    if (!storm || (storm.methods.length ? !storm.methods.includes(name) : calm.has(name))) return null
    if (this.#draw() * 100 >= storm.percent) return null
    return storm.minSeconds + Math.floor(this.#draw() * (storm.maxSeconds - storm.minSeconds + 1))
  }

  /** Seconds to wait, when there were too many calls in the time before. */
  #count(name: string, method: Method, teamId: string, args: Json): number | null {
    if (this.#rule === 'off') return null
    const figures: RateFigures = this.#rule === 'slack' ? { perMinute: {}, postsPerSecond: 1 } : this.#rule
    if (method.tier === 'post')
      return figures.postsPerSecond ? this.#window(`${name} ${args.channel}`, figures.postsPerSecond, 1000) : null
    const most = figures.perMinute[name] ?? (this.#rule === 'slack' ? tiers[method.tier] : undefined)
    // Opening sockets has a tier of its own that Slack does not hold a reconnecting app to.
    if (most === undefined || name === 'apps.connections.open') return null
    return this.#window(`${teamId} ${name}`, most, 60_000)
  }

  #window(key: string, most: number, ms: number): number | null {
    const now = this.#clock.now()
    const recent = (this.#calls.get(key) ?? []).filter((at) => now - at < ms)
    this.#calls.set(key, recent)
    if (recent.length < most) {
      recent.push(now)
      return null
    }
    return Math.max(1, Math.ceil(((recent[0] as number) + ms - now) / 1000))
  }

  /** A small generator, so that a storm can be repeated. */
  #draw(): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647
    return this.#random / 2_147_483_647
  }
}
