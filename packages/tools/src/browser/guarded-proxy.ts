// The only way out of the browser: a forward proxy on this machine's loopback that opens every connection through the
// same guard as the tools do. Pages, frames, workers, sockets, fonts: whatever Chromium wants from the network it asks
// this proxy for, by the name that the page used, and the proxy resolves and judges it.
//
// Each conversation has a pass of its own, a random user name and password: who knows none is answered 407, and what a
// pass may reach ends with it.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import type { ConnectionGuard } from '../guard/outbound/checked-connection.ts'
import { type HostList, parseHostList } from '../guard/outbound/host-list.ts'
import { type Destination, parseDestination } from '../guard/outbound/parse-destination.ts'
import { OutboundProblem } from '../guard/outbound-request.ts'

export interface ProxyPass {
  username: string
  password: string
  /** Only these hosts from now on; null for all public ones. */
  limitHosts(hosts: readonly string[] | null): void
  /** Why something was refused since the last time this was asked, the latest first. */
  takeRefusals(): string[]
  /** Ends every connection that was made with it. */
  revoke(): void
}

export interface GuardedProxy {
  /** `http://127.0.0.1:<port>` */
  server: string
  issuePass(): ProxyPass
  stop(): Promise<void>
}

const connectMs = 10_000
const idleMs = 120_000
/** Connections of one pass at a time; the next is refused. */
const mostConnections = 256
/** Bytes that pages of one pass may load in all; then nothing more comes. */
const mostBytes = 1024 * 1024 * 1024
const mostRefusals = 20

interface Holder {
  hosts: HostList | null
  sockets: Set<Duplex>
  bytes: number
  refusals: string[]
}

export async function startGuardedProxy(guard: ConnectionGuard): Promise<GuardedProxy> {
  const passes = new Map<string, Holder>()
  const server = createServer({ maxHeaderSize: 64 * 1024 })
  server.on('request', (incoming, response) => void forward(guard, holderOf(incoming, passes), incoming, response))
  server.on(
    'connect',
    (incoming, client, head) => void tunnel(guard, holderOf(incoming, passes), incoming, client, head),
  )
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  // The browser's own life keeps the process alive where it should.
  server.unref()
  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    issuePass: () => issuePass(passes),
    stop: async () => {
      for (const holder of passes.values()) for (const socket of holder.sockets) socket.destroy()
      passes.clear()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function issuePass(passes: Map<string, Holder>): ProxyPass {
  const [username, password] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
  const key = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const holder: Holder = { hosts: null, sockets: new Set(), bytes: 0, refusals: [] }
  passes.set(key, holder)
  return {
    username,
    password,
    limitHosts: (hosts) => {
      holder.hosts = hosts === null ? null : parseHostList(hosts)
    },
    takeRefusals: () => holder.refusals.splice(0),
    revoke: () => {
      passes.delete(key)
      for (const socket of holder.sockets) socket.destroy()
    },
  }
}

const holderOf = ({ headers }: IncomingMessage, passes: ReadonlyMap<string, Holder>): Holder | null =>
  passes.get(headers['proxy-authorization'] ?? '') ?? null

/** Throws an OutboundProblem, which the pass remembers: the page itself learns only that it did not work. */
async function connectFor(guard: ConnectionGuard, holder: Holder, address: string): Promise<[Socket, Destination]> {
  try {
    const destination = parseDestination(address)
    const { host, port } = destination
    if (holder.hosts !== null && !holder.hosts.has(host, port))
      throw new OutboundProblem('blocked', `${host} is not one of the hosts that may be reached here.`)
    if (holder.sockets.size >= mostConnections || holder.bytes > mostBytes)
      throw new OutboundProblem('blocked', 'The page loads too much at once.')
    const socket = await guard.connect(host, port, { timeoutMs: connectMs })
    track(holder, socket)
    return [socket, destination]
  } catch (error) {
    if (!(error instanceof OutboundProblem)) throw error
    holder.refusals.unshift(error.message)
    holder.refusals.length = Math.min(holder.refusals.length, mostRefusals)
    throw error
  }
}

function track(holder: Holder, socket: Duplex): void {
  holder.sockets.add(socket)
  socket.on('close', () => holder.sockets.delete(socket))
}

/** Listens for data, which starts the flow: only where it is piped on already. */
function count(holder: Holder, source: Readable, end: () => void): void {
  source.on('data', (chunk: Uint8Array) => {
    holder.bytes += chunk.byteLength
    if (holder.bytes > mostBytes) end()
  })
}

/** CONNECT: everything secure, and WebSockets. */
async function tunnel(
  guard: ConnectionGuard,
  holder: Holder | null,
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
) {
  client.on('error', () => client.destroy())
  if (holder === null) return void client.end(`HTTP/1.1 407 Proxy Authentication Required\r\n${challenge}\r\n\r\n`)
  try {
    const [socket] = await connectFor(guard, holder, `http://${incoming.url}`)
    if (client.destroyed) return void socket.destroy()
    track(holder, client)
    const end = () => {
      socket.destroy()
      client.destroy()
    }
    socket.on('error', end).on('close', end).setTimeout(idleMs, end)
    client.on('close', end)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.byteLength > 0) socket.write(head)
    socket.pipe(client)
    count(holder, socket, end)
    client.pipe(socket)
  } catch (error) {
    if (!(error instanceof OutboundProblem)) throw error
    client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
  }
}

/** A plain request, by its whole address. */
async function forward(
  guard: ConnectionGuard,
  holder: Holder | null,
  incoming: IncomingMessage,
  response: ServerResponse,
) {
  incoming.on('error', () => response.destroy())
  if (holder === null)
    return void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="quartermaster"' }).end()
  try {
    const [socket, { url }] = await connectFor(guard, holder, incoming.url ?? '')
    if (response.destroyed) return void socket.destroy()
    const outgoing = request({
      createConnection: () => socket,
      method: incoming.method ?? 'GET',
      path: url.pathname + url.search,
      headers: { ...endToEnd(incoming.headers), host: url.host, connection: 'close' },
      maxHeaderSize: 64 * 1024,
    })
    const end = () => {
      outgoing.destroy()
      socket.destroy()
      if (!response.headersSent) refuse(response)
      else response.destroy()
    }
    outgoing.on('error', end)
    socket.setTimeout(idleMs, end)
    response.on('close', () => socket.destroy())
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
      answer.on('error', end).pipe(response)
      count(holder, answer, end)
    })
    incoming.pipe(outgoing)
  } catch (error) {
    // A status that node does not write, a header it does not read: the other side's garbage, and no answer.
    if (!response.headersSent) refuse(response)
    else response.destroy()
    if (!(error instanceof OutboundProblem) && !(error instanceof TypeError) && !(error instanceof RangeError))
      throw error
  }
}

/** The same for whatever was refused, so that a page cannot feel its way through the network behind us. */
const refuse = (response: ServerResponse): void => void response.writeHead(502, { 'content-type': 'text/plain' }).end()

const challenge = 'Proxy-Authenticate: Basic realm="quartermaster"\r\nContent-Length: 0'
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)))
