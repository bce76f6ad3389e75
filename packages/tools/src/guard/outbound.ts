// The one way out for tools. A request, step by step:
//
//   parse the address → is the host on the caller's list → connect to a checked address (checked-connection.ts)
//   → headers → a redirect starts again from the top, with less (follow-redirect.ts) → body, counted (read-body.ts)
//
// Connections are kept for the next request of the same origin. That is as safe as a new one: the address was judged
// when it was opened, and it leads nowhere else since.
import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { Agent, type buildConnector, request as plainRequest } from 'undici'
import { type ConnectionGuardOptions, createConnectionGuard } from './outbound/checked-connection.ts'
import { explainFailure } from './outbound/explain-failure.ts'
import { followRedirect, type Hop, isRedirect } from './outbound/follow-redirect.ts'
import { parseHostList } from './outbound/host-list.ts'
import { orEnded } from './outbound/or-ended.ts'
import { parseDestination } from './outbound/parse-destination.ts'
import { readBody } from './outbound/read-body.ts'
import { readHeaders } from './outbound/read-headers.ts'
import { type Outbound, type OutboundAnswer, OutboundProblem, type OutboundRequest } from './outbound-request.ts'

export interface OutboundOptions extends ConnectionGuardOptions {
  /** Certificates to trust beside the system's own, as PEM. */
  certificates?: string
}

export interface ClosableOutbound extends Outbound {
  /** Ends the connections that are kept. */
  close(): Promise<void>
}

const mostRedirects = 5
const connectMs = 10_000
const headerBytes = 64 * 1024
/** Connections to one origin; a request beyond them waits for one. */
const connectionsPerOrigin = 16
/** Origins with an open connection at a time; a request to one more is refused. */
const mostOrigins = 500

export function createOutbound(options: OutboundOptions = {}): ClosableOutbound {
  const guard = createConnectionGuard(options)
  const open = async ({ hostname, port, protocol }: buildConnector.Options) => {
    const host = hostname.replace(/^\[|\]$|\.$/g, '')
    const secure = protocol === 'https:'
    const socket = await guard.connect(host, Number(port) || (secure ? 443 : 80), { timeoutMs: connectMs })
    if (!secure) return socket
    const certificates = options.certificates === undefined ? {} : { ca: options.certificates }
    // The certificate must be the host's, not that of the address the connection goes to.
    return handshake(
      connectTls({ socket, servername: isIP(host) ? '' : host, host, ALPNProtocols: ['http/1.1'], ...certificates }),
    )
  }
  const agent = new Agent({
    connect: (target, done) =>
      void open(target).then(
        (socket) => done(null, socket),
        (error) => done(error, null),
      ),
    connections: connectionsPerOrigin,
    maxOrigins: mostOrigins,
    maxHeaderSize: headerBytes,
    allowH2: false,
    pipelining: 1,
    // One clock for the whole request (below) instead of one for each part.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    request: (request) => withDeadline(request, (signal) => send(agent, request, signal)),
    close: () => agent.destroy(),
  }
}

async function send(agent: Agent, request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
  const hosts = request.allowedHosts === undefined ? null : parseHostList(request.allowedHosts)
  let hop: Hop = {
    destination: parseDestination(request.url),
    method: request.method.toUpperCase(),
    headers: readHeaders(request.headers ?? {}),
    body: request.body ?? null,
  }
  const seen = new Set<string>()
  for (let redirects = 0; ; redirects++) {
    const { url, host, port } = hop.destination
    if (hosts !== null && !hosts.has(host, port))
      throw new OutboundProblem('blocked', `${host} is not one of the hosts that may be reached here.`)
    const sent = plainRequest(url, {
      dispatcher: agent,
      method: hop.method,
      headers: Object.fromEntries(hop.headers),
      body: hop.body,
      signal,
    })
    // The library obeys the signal only once it is connected.
    const { statusCode, headers, body } = await orEnded(sent, signal)
    // Nobody may be reading when it fails.
    body.on('error', () => {})
    const location = headers.location
    if (!isRedirect(statusCode) || typeof location !== 'string') {
      const answer = { url: url.href, status: statusCode, headers: joinHeaders(headers) }
      return { ...answer, ...(await readAnswer(body, hop.method, headers, request.maxBytes)) }
    }
    body.destroy()
    seen.add(`${hop.method} ${url.href}`)
    hop = followRedirect(hop, statusCode, location)
    if (seen.has(`${hop.method} ${hop.destination.url.href}`))
      throw new OutboundProblem('bad-answer', `${host} redirects in a circle.`)
    if (redirects === mostRedirects)
      throw new OutboundProblem('bad-answer', `${url.origin} redirects more than ${mostRedirects} times.`)
  }
}

type RawHeaders = Record<string, string | string[] | undefined>

function readAnswer(body: Readable, method: string, headers: RawHeaders, maxBytes: number) {
  const encoding = headers['content-encoding']
  // A HEAD is told how the body would be packed, and gets none.
  return readBody(body, method === 'HEAD' ? '' : [encoding ?? ''].flat().join(','), maxBytes)
}

function joinHeaders(headers: RawHeaders): Map<string, string> {
  const joined = new Map<string, string>()
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) joined.set(name, typeof value === 'string' ? value : value.join(', '))
  }
  return joined
}

/** Whatever goes wrong comes out as a problem, with what ended it first as the reason. */
async function withDeadline<T>(
  { signal, timeoutMs, url }: OutboundRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  const stop = () => ended.abort(new OutboundProblem('stopped', 'The request was stopped.'))
  const timer = setTimeout(
    () => ended.abort(new OutboundProblem('timeout', `No whole answer came within ${timeoutMs} ms.`)),
    timeoutMs,
  )
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await work(ended.signal)
  } catch (error) {
    if (ended.signal.aborted) throw ended.signal.reason
    throw explainFailure(error, url)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

function handshake(socket: TLSSocket): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('the handshake takes too long')), connectMs)
    socket.once('secureConnect', () => {
      clearTimeout(timer)
      resolve(socket)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      reject(
        new OutboundProblem('unreachable', `A secure connection could not be made (${error.code ?? error.message}).`),
      )
    })
  })
}
