// What the web tools have in common: who may be reached, and a request whose problem is a sentence instead of a throw.
import type { JSONSchema, ToolContext } from '../../contract.ts'
import {
  type Outbound,
  type OutboundAnswer,
  OutboundProblem,
  type OutboundRequest,
} from '../../guard/outbound-request.ts'

export const webCommon = { category: 'web', groups: ['web'], untrusted: true } as const

export const allowedHostsSchema = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 253 },
  maxItems: 1_000,
  description: 'Only these hosts may be reached, by redirects as well: example.com, *.example.com',
} as const satisfies JSONSchema

export const allowedHostsOf = ({ config }: Pick<ToolContext, 'config'>): readonly string[] | undefined =>
  Array.isArray(config.allowed_hosts) ? (config.allowed_hosts as string[]) : undefined

export async function callOutbound(
  outbound: Outbound,
  request: OutboundRequest,
): Promise<{ ok: true; answer: OutboundAnswer } | { ok: false; problem: string }> {
  try {
    return { ok: true, answer: await outbound.request(request) }
  } catch (error) {
    if (!(error instanceof OutboundProblem)) throw error
    return { ok: false, problem: error.message }
  }
}

/** A GET reads; everything else may change something at the other end. */
export const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'

export const hostIn = (url: string): string => URL.parse(url)?.host || 'an address that cannot be read'

/** One line, however it was written. */
export const shownUrl = (url: string): string => (URL.parse(url)?.href ?? JSON.stringify(url)).slice(0, 500)
