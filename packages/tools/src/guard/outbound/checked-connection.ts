// The one place that opens a connection to somewhere else, for the tools and for the browser's pages. A name is resolved
// once, every address it stands for is judged, and the connection goes to an address that was judged: there is no second
// lookup that could say something else.
import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { OutboundProblem } from '../outbound-request.ts'
import { parseHostList } from './host-list.ts'
import { judgeAddress } from './judge-address.ts'
import { orEnded } from './or-ended.ts'

export interface ConnectionGuardOptions {
  /** `host` or `host:port` of the owner's own network that may be reached all the same. */
  allowPrivate?: readonly string[]
  /** The addresses of a name; the system's resolver where it is left out. */
  resolve?: (host: string) => Promise<readonly string[]>
}

export interface ConnectionGuard {
  /** Throws an OutboundProblem. The socket is connected, and the caller's to end. */
  connect(host: string, port: number, options: { timeoutMs: number; signal?: AbortSignal }): Promise<Socket>
}

/** Addresses of one name that are tried; the others are not. */
const mostAddresses = 16

export function createConnectionGuard(options: ConnectionGuardOptions = {}): ConnectionGuard {
  const allowed = parseHostList(options.allowPrivate ?? [])
  const resolve = options.resolve ?? resolveBySystem
  return {
    async connect(host, port, { timeoutMs, signal }) {
      const ended = new AbortController()
      const stop = () => ended.abort(new OutboundProblem('stopped', 'Stopped.'))
      const timer = setTimeout(
        () => ended.abort(new OutboundProblem('timeout', `${host} did not answer within ${timeoutMs} ms.`)),
        timeoutMs,
      )
      signal?.addEventListener('abort', stop, { once: true })
      if (signal?.aborted) stop()
      try {
        const addresses = await orEnded(addressesOf(host, resolve), ended.signal)
        const mayBeLocal = allowed.has(host, port)
        for (const address of addresses) checkAddress(host, address, mayBeLocal)
        return await connectToAny(host, addresses, port, ended.signal)
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
      }
    },
  }
}

/** One bad address among good ones refuses them all: whoever answers so means to be tried twice. */
function checkAddress(host: string, address: string, mayBeLocal: boolean): void {
  const judged = judgeAddress(address)
  if (judged.verdict === 'public' || (judged.verdict === 'local' && mayBeLocal)) return
  throw new OutboundProblem(
    'blocked',
    `${host} is not on the public internet (${judged.reason} address), and was not contacted. An owner can allow a host of their own network.`,
  )
}

async function addressesOf(host: string, resolve: (host: string) => Promise<readonly string[]>) {
  if (isIP(host)) return [host]
  const unknown = (cause: string) =>
    new OutboundProblem('unreachable', `The host ${host} was not found (${cause}). Check the spelling of the address.`)
  const found = await resolve(host).catch((error: NodeJS.ErrnoException) => {
    throw unknown(error.code ?? error.message)
  })
  if (found.length === 0) throw unknown('it has no address')
  return found
}

const resolveBySystem = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address)

async function connectToAny(
  host: string,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const tried = addresses.slice(0, mostAddresses)
  let socket: Socket
  if (tried.length === 1) socket = connect({ host: tried[0] as string, port, noDelay: true })
  else {
    // Node tries the families in turn (RFC 8305) and asks only us for the addresses.
    const checked = tried.map((address) => ({ address, family: isIP(address) }))
    socket = connect({
      host: 'checked.invalid',
      port,
      noDelay: true,
      autoSelectFamily: true,
      lookup: (_name, _options, callback) => (callback as (error: null, all: typeof checked) => void)(null, checked),
    })
  }
  return new Promise((resolve, reject) => {
    const fail = (problem: Error) => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
      reject(problem)
    }
    const abort = () => fail(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) return abort()
    // Stays for the socket's life: after a failed attempt a late error must not end the process.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      fail(new OutboundProblem('unreachable', `${host} could not be reached on port ${port} (${codeOf(error)}).`)),
    )
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort)
      resolve(socket)
    })
  })
}

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message
