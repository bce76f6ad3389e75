// For tests: every spelling of this machine, asked for directly and by redirects of each sort, as whoever runs this. What
// counts is what arrived at a sentinel. Prints JSON.
//   node ssrf-probe.ts [guarded|naive]
import { Agent, request as plainRequest } from 'undici'
import { createOutbound } from '../outbound.ts'
import type { Outbound, OutboundRequest } from '../outbound-request.ts'
import { loopbackSpellings } from './address-corpus.ts'
import { type Site, startSentinel, startSite } from './sentinel.ts'

export const redirectStatuses = [301, 302, 303, 307, 308] as const

/** Names of the tests: where a stranger's site would be. */
export const resolveTests = async (host: string): Promise<string[]> => {
  if (host.endsWith('.test')) return ['127.0.0.1']
  if (host === 'localhost') return ['127.0.0.1', '::1']
  throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
}

/** The bug of most guards: it looks at how the host is written, and leaves redirects to the library. */
export const naive: Outbound = {
  async request({ url, method }) {
    const dispatcher = new Agent({ connect: { lookup: lookupTests as never, timeout: 300 } })
    try {
      for (let address = url, hops = 0; ; hops++) {
        const { hostname } = new URL(address)
        if (hops === 0 && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.split('/')[2]?.split(':')[0] ?? ''))
          throw new Error(`${hostname} is refused`)
        const { statusCode, headers, body } = await plainRequest(address, {
          method: method as 'GET',
          dispatcher,
          signal: AbortSignal.timeout(300),
        })
        await body.dump()
        if (typeof headers.location !== 'string' || hops > 5)
          return { url: address, status: statusCode, headers: new Map(), body: new Uint8Array(), truncated: false }
        address = new URL(headers.location, address).href
      }
    } finally {
      await dispatcher.destroy()
    }
  },
}
function lookupTests(host: string, _options: unknown, done: (error: Error | null, all?: object[]) => void) {
  void resolveTests(host).then(
    (all) =>
      done(
        null,
        all.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    (error) => done(error),
  )
}

/** Redirects to wherever it is told. */
export const startRedirector = (): Promise<Site> =>
  startSite((request, response) => {
    const url = new URL(request.url ?? '/', 'http://front.test')
    const to = url.searchParams.get('to') ?? '/'
    const location = /[^ -~]/.test(to) ? encodeURI(to) : to
    response.writeHead(Number(url.searchParams.get('status') ?? 302), { location }).end('elsewhere')
  })

const mostArrived = 20

export type ProbedGuard = (frontPort: number) => Outbound & { close?(): Promise<void> }

export interface SsrfProbe {
  /** Each another address, or another way to it. */
  cases: number
  /** Of those, what arrived where nobody may. */
  arrived: string[]
}

export async function probeSsrf(guardFor: ProbedGuard): Promise<SsrfProbe> {
  const [sentinel, front] = await Promise.all([startSentinel(), startRedirector()])
  const outbound = guardFor(front.port)
  const urls = [...new Set(loopbackSpellings)].flatMap((host) => {
    const url = `http://${host}:${sentinel.port}/`
    const by = (status: number) => `http://front.test:${front.port}/?status=${status}&to=${encodeURIComponent(url)}`
    return [url, ...redirectStatuses.map(by)]
  })
  const arrived: string[] = []
  try {
    for (const url of urls) {
      const before = sentinel.connections
      await outbound.request(requestOf(url)).catch(() => {})
      // A connection that was made is counted a moment later.
      await new Promise((resolve) => setTimeout(resolve, 2))
      if (sentinel.connections > before) arrived.push(url)
      // A guard with so many holes is judged.
      if (arrived.length === mostArrived) break
    }
    return { cases: urls.length, arrived }
  } finally {
    await Promise.all([outbound.close?.(), sentinel.close(), front.close()])
  }
}

export const requestOf = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'GET',
  maxBytes: 10_000,
  timeoutMs: 3_000,
  signal: new AbortController().signal,
  ...more,
})

export const guardedProbe = (port: number) =>
  createOutbound({ allowPrivate: [`front.test:${port}`], resolve: resolveTests })

if (process.argv[1] === import.meta.filename) {
  const result = await probeSsrf(process.argv[2] === 'naive' ? () => naive : guardedProbe)
  console.log(JSON.stringify({ uid: process.getuid?.(), ...result }))
}
