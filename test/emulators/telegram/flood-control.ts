import type { Clock } from './clock.ts'
import { tooManyRequests } from './refusal.ts'

export interface FloodLimits {
  perChatASecond: number
  perGroupAMinute: number
  inAllASecond: number
}

export interface Storm {
  /** How many of the calls are refused, between 0 and 1. */
  share?: number
  /** The least and the most that `retry_after` says. */
  seconds?: readonly [number, number]
  seed?: number
}

export const usualFloodLimits: FloodLimits = { perChatASecond: 1, perGroupAMinute: 20, inAllASecond: 30 }
const minute = 60_000
/** Calls that put something before people; drafts and "typing…" are not counted. */
const counted = /^(send(?!ChatAction|MessageDraft|RichMessageDraft)|edit|copy|forward)/i
/** In a storm the drafts are refused too, as they are when Telegram is really annoyed. */
const stormy = /^(send|edit|copy|forward|delete|answer)/i

/** Refuses calls that come too fast, or in a storm half of them, and says when to come again. */
export class FloodControl {
  readonly #clock: Clock
  readonly #limits: FloodLimits | null
  readonly #sent: { chat: string; at: number }[] = []
  readonly #blockedUntil = new Map<string, number>()
  #storm: Required<Storm> | null = null

  constructor(clock: Clock, limits: FloodLimits | null) {
    this.#clock = clock
    this.#limits = limits
  }

  storm(storm: Storm | false): void {
    this.#storm = storm ? { share: 0.5, seconds: [1, 30], seed: 1, ...storm } : null
    if (!storm) this.#blockedUntil.clear()
  }

  check(method: string, chat: string | undefined): void {
    if (!stormy.test(method)) return
    const place = chat ?? ''
    const now = this.#clock.now()
    // Whoever comes back too early waits for what is left of the time it was told.
    const until = this.#blockedUntil.get(place) ?? 0
    if (now < until) throw tooManyRequests(Math.ceil((until - now) / 1000))
    if (this.#storm && this.#random() < this.#storm.share) {
      const [least, most] = this.#storm.seconds
      throw this.#block(place, least + Math.floor(this.#random() * (most - least + 1)))
    }
    if (this.#limits && counted.test(method)) this.#count(this.#limits, place, now)
  }

  #count(limits: FloodLimits, chat: string, now: number): void {
    while (this.#sent[0] && this.#sent[0].at <= now - minute) this.#sent.shift()
    const since = (milliseconds: number, own: boolean) =>
      this.#sent.filter((one) => one.at > now - milliseconds && (!own || one.chat === chat)).length
    const isGroup = chat.startsWith('-') || chat.startsWith('@')
    if (since(1000, true) >= limits.perChatASecond || since(1000, false) >= limits.inAllASecond)
      throw this.#block(chat, 1)
    if (isGroup && since(minute, true) >= limits.perGroupAMinute) {
      const oldest = this.#sent.find((one) => one.chat === chat)?.at ?? now
      throw this.#block(chat, Math.max(1, Math.ceil((oldest + minute - now) / 1000)))
    }
    this.#sent.push({ chat, at: now })
  }

  #block(chat: string, seconds: number) {
    this.#blockedUntil.set(chat, this.#clock.now() + seconds * 1000)
    return tooManyRequests(seconds)
  }

  /** The same storm each time a test runs. */
  #random(): number {
    const storm = this.#storm as Required<Storm>
    storm.seed = (Math.imul(storm.seed, 1_664_525) + 1_013_904_223) >>> 0
    return storm.seed / 2 ** 32
  }
}
