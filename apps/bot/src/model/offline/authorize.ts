import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { refusal } from './reply.ts'
import type { Refusal } from './serve-messages.ts'

/** Both ways of the API to show a key: `x-api-key`, and `authorization: Bearer`, which newer SDKs use. */
export function authorize(headers: IncomingHttpHeaders, keys: readonly string[]): Refusal | null {
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const given = headers['x-api-key'] ?? bearer
  if (typeof given !== 'string') return refusal(401, 'authentication_error', 'x-api-key header is required')
  if (!keys.some((key) => isSame(given, key))) return refusal(401, 'authentication_error', 'invalid x-api-key')
  return null
}

function isSame(given: string, expected: string): boolean {
  const bytes = Buffer.from(given)
  return bytes.length === Buffer.byteLength(expected) && timingSafeEqual(bytes, Buffer.from(expected))
}
