import { randomBytes } from 'node:crypto'

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
  for (const byte of randomBytes(16)) random += alphabet[byte & 31]
  return `${prefix}_${stamp}${random}`
}
