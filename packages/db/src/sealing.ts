import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The first byte of everything sealed: another way of sealing would get another number, and both could be opened. */
const format = 1
const nonceBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM: format byte, 96-bit random nonce, ciphertext, 128-bit tag. `boundTo` is authenticated with it and not
 * stored: whoever opens it has to say the same again, so a sealed text that was moved to another place does not open.
 */
export function seal(key: Buffer, plain: Buffer, boundTo: readonly (string | number)[]): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(associatedData(boundTo))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.from([format]), nonce, body, cipher.getAuthTag()])
}

/** The plain bytes, or null where the key, the place or a single bit is not the one it was sealed with. */
export function unseal(key: Buffer, sealed: Buffer, boundTo: readonly (string | number)[]): Buffer | null {
  if (sealed[0] !== format || sealed.length < 1 + nonceBytes + tagBytes) return null
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(associatedData(boundTo))
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
  const start = decipher.update(sealed.subarray(1 + nonceBytes, sealed.length - tagBytes))
  try {
    return Buffer.concat([start, decipher.final()])
  } catch {
    return null // The tag does not fit. The reason is not told apart on purpose: none of them is for the caller to act on.
  }
}

/** JSON, so that no two lists of parts read alike; the format byte is covered with them. */
function associatedData(boundTo: readonly (string | number)[]): Buffer {
  return Buffer.from(JSON.stringify([format, ...boundTo]), 'utf8')
}
