// What every request passes before Next sees it, and the headers that every answer carries.
//
//   1. whose name it came under   a name that is not ours is refused (DNS rebinding), and decides our own origin
//   2. what others claim          forwarded-for headers and our own are removed; ours are set from what we know
//   3. how it is written          an address that is no UTF-8 is refused
//   4. on whose word it came      a request with an API key loses its cookies: it is one or the other, never both
//   5. where it came from         a request that changes something must come from a page of ours, or with a key
//   6. what the page may do       a policy with a nonce of this request
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiErrorCode } from './api/api-error.ts'
import type { ConsoleEnv } from './env.ts'

const loopback = /^(localhost|[a-z0-9-]+\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i

type DoorEnv = Pick<ConsoleEnv, 'publicUrl' | 'trustProxy'> & { dev: boolean }

/** False when the request was answered here. */
export function passDoor(request: IncomingMessage, response: ServerResponse, env: DoorEnv): boolean {
  const origin = findOrigin(request.headers.host ?? '', env.publicUrl)
  const address = findAddress(request, env.trustProxy)
  const nonce = randomBytes(18).toString('base64')
  const policy = contentPolicy(nonce, env.dev)

  for (const name of Object.keys(request.headers))
    if (/^(x-forwarded-|forwarded$|x-real-ip$|x-qm-|x-nonce$|x-middleware-|content-security-policy)/.test(name))
      delete request.headers[name]

  response.setHeader('Content-Security-Policy', policy)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Referrer-Policy', 'same-origin')
  response.setHeader('X-Frame-Options', 'DENY')
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  response.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
  if (env.publicUrl?.protocol === 'https:')
    response.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains')

  if (!origin)
    return refuse(
      response,
      request.url,
      { status: 421, code: 'MISDIRECTED_REQUEST' },
      'This console does not answer under this name. Set QM_PUBLIC_URL to the address that people use, and start it again.',
    )
  if (!isDecodable(request.url ?? ''))
    return refuse(
      response,
      request.url,
      { status: 400, code: 'VALIDATION_ERROR' },
      'The address is not encoded as UTF-8.',
    )
  const withKey = carriesKey(request)
  // What a browser adds by itself must not be what lets a request in that no page of ours made.
  if (withKey) delete request.headers.cookie
  const from = request.headers.origin
  if (!isReading(request.method) && from !== origin.origin && !(withKey && from === undefined))
    return refuse(
      response,
      request.url,
      { status: 403, code: 'FORBIDDEN' },
      `A change must come from a page of ${origin.origin}.`,
    )

  // Next reads the nonce out of the policy and puts it on its own scripts; next-auth builds its addresses from the
  // forwarded host.
  request.headers['content-security-policy'] = policy
  request.headers['x-nonce'] = nonce
  request.headers['x-forwarded-host'] = origin.host
  request.headers['x-forwarded-proto'] = origin.protocol.slice(0, -1)
  request.headers['x-qm-origin'] = origin.origin
  request.headers['x-qm-address'] = address
  request.headers['x-qm-path'] = request.url ?? '/'
  return true
}

/** Our own origin, as the person in front of it sees it; null when the request came under a name that is not ours. */
export function findOrigin(host: string, publicUrl: URL | null): URL | null {
  // A proxy may pass its own name on or the one it connects to; both mean the public address.
  if (publicUrl) return host.toLowerCase() === publicUrl.host || loopback.test(host) ? publicUrl : null
  return loopback.test(host) ? new URL(`http://${host}`) : null
}

/** The address to count attempts by. A proxy that we trust appends the one it saw; what stands before it is hearsay. */
export function findAddress(
  request: { headers: IncomingMessage['headers']; socket: { remoteAddress?: string | undefined } },
  trustProxy: boolean,
): string {
  const forwarded = trustProxy ? [request.headers['x-forwarded-for'] ?? []].flat().join(',') : ''
  return forwarded.split(',').at(-1)?.trim() || request.socket.remoteAddress || 'unknown'
}

/** A key counts for the REST API and nowhere else: pages, actions and signing in know cookies only. */
export function carriesKey(request: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return (
    apiPath.test(request.url ?? '') &&
    request.headers['next-action'] === undefined &&
    /^Bearer qm_/i.test(request.headers.authorization ?? '')
  )
}

/**
 * An address of the REST API as it is written. Node's own reading of the path is not asked: an address that only becomes
 * ours when it is tidied up is not. So no part is empty, `.` or `..`, the first one is a plain word and not `auth`, and
 * of what can be encoded only the colon may be, which ids of tools have (`mcp:github:search`).
 */
const apiPath = /^\/api\/(?!auth(?:[/?]|$))[\w-]+(?:\/(?!\.{1,2}(?:[/?]|$))(?:[\w.:-]|%3[Aa])+)*(?:\?|$)/

/** Next fails over a path that it cannot decode, as if the mistake were ours. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return true
  } catch {
    return false
  }
}

const isReading = (method = 'GET') => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * No script runs that this answer did not name. Styles may be inline: the toast and the dialogs bring their own style
 * elements, and a style cannot run anything.
 */
function contentPolicy(nonce: string, dev: boolean): string {
  return [
    `default-src 'self'`,
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? ` 'unsafe-eval'` : ''}`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `connect-src 'self'${dev ? ' ws: wss:' : ''}`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

/** Whoever calls the REST API reads the one kind of error that it has (api/api-error.ts). */
function refuse(
  response: ServerResponse,
  url = '',
  { status, code }: { status: number; code: ApiErrorCode },
  message: string,
): false {
  const isApi = /^\/api\/(?!auth\b)/.test(url)
  response
    .writeHead(status, {
      'Content-Type': isApi ? 'application/json' : 'text/plain; charset=utf-8',
      ...(isApi ? { 'Cache-Control': 'no-store' } : {}),
      Connection: 'close',
    })
    .end(isApi ? JSON.stringify({ error: { code, message } }) : `${message}\n`)
  return false
}
