import { createHash } from 'node:crypto'

/** Seeded chance: the same seed gives the same workspace, so a screenshot can be compared with the last one. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(0, from.length - 1)] as T
  }

  /** One of them, the heavier the likelier. */
  weighted<T extends { weight: number }>(from: readonly T[]): T {
    let left = this.next() * from.reduce((sum, candidate) => sum + candidate.weight, 0)
    for (const candidate of from) {
      left -= candidate.weight
      if (left < 0) return candidate
    }
    return from.at(-1) as T
  }

  /** Around `median`, sometimes much more: how durations are spread. */
  skewed(median: number, spread = 0.6): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next())
    return median * Math.exp(spread * normal)
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += this.int(0, 15).toString(16)
    return text
  }

  /** An id in the form of ids.ts, of a given moment. */
  id(prefix: string, at: Date): string {
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
    let time = at.getTime()
    let stamp = ''
    for (let i = 0; i < 10; i++) {
      stamp = alphabet[time % 32] + stamp
      time = Math.floor(time / 32)
    }
    let rest = ''
    for (let i = 0; i < 16; i++) rest += alphabet[this.int(0, 31)]
    return `${prefix}_${stamp}${rest}`
  }
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
