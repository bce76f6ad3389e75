import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * A row's id: what it is, then 10 characters of time and 16 random ones (80 bits), in Crockford's base 32. Ids made
 * later sort later, so they can be the tie-break of a list, and an index grows at its end.
 */
export function newId(prefix: string): string {
  let time = Date.now()
  let stamp = ''
  for (let i = 0; i < 10; i++) {
    stamp = alphabet[time % 32] + stamp
    time = Math.floor(time / 32)
  }
  let random = ''
  for (const byte of takeRandom(16)) random += alphabet[byte & 31]
  return `${prefix}_${stamp}${random}`
}

/** Asking the system for many bytes costs what asking for a few does. What is given out is not given out again. */
const pool = new Uint8Array(4096)
let used = pool.length

function takeRandom(count: number): Uint8Array {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}
