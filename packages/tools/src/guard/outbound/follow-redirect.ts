// What a redirect turns a request into, by the rules of fetch, and stricter where a person approved one host: what they
// approved is never handed on to another.
import { OutboundProblem } from '../outbound-request.ts'
import { type Destination, parseDestination } from './parse-destination.ts'

export interface Hop {
  destination: Destination
  method: string
  headers: ReadonlyMap<string, string>
  body: string | Uint8Array | null
}

/** What says nothing about who asks. Any other header may be a key (`X-Api-Key`), and stays with its origin. */
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent'])

export const isRedirect = (status: number): boolean =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308

export function followRedirect(hop: Hop, status: number, location: string): Hop {
  const from = hop.destination
  let destination: Destination
  try {
    destination = parseDestination(location, from.url)
  } catch (error) {
    if (!(error instanceof OutboundProblem)) throw error
    throw new OutboundProblem(error.code, `${from.host} redirects to an address that cannot be used. ${error.message}`)
  }
  const becomesGet =
    status === 303
      ? hop.method !== 'GET' && hop.method !== 'HEAD'
      : (status === 301 || status === 302) && hop.method === 'POST'
  const method = becomesGet ? 'GET' : hop.method
  const body = becomesGet ? null : hop.body
  const sameOrigin = destination.url.origin === from.url.origin
  const changes = method !== 'GET' && method !== 'HEAD'
  const upgrades = destination.host === from.host && destination.url.protocol === 'https:'
  if (changes && !sameOrigin && !upgrades)
    throw new OutboundProblem(
      'blocked',
      `${from.host} wants the ${method} repeated at ${destination.url.origin}, which nobody asked for. If that is meant, call it there.`,
    )
  const headers = [...hop.headers].filter(
    ([name]) => (sameOrigin || harmless.has(name)) && !(becomesGet && name.startsWith('content-')),
  )
  return { destination, method, headers: new Map(headers), body }
}
