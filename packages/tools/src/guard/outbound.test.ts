// Who is reached. Judged by the connections at a sentinel on this machine, not by what the guard says.
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Agent, request as plainRequest } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAsOrdinaryUser } from '../sandbox/testing/as-ordinary-user.ts'
import { describeNeeding } from '../sandbox/testing/needs.ts'
import { loopbackSpellings, privateAddresses, publicAddresses } from './outbound/address-corpus.ts'
import { judgeAddress } from './outbound/judge-address.ts'
import { type Sentinel, type Site, startSentinel, startSite } from './outbound/sentinel.ts'
import {
  guardedProbe,
  naive,
  type ProbedGuard,
  probeSsrf,
  requestOf,
  resolveTests,
  type SsrfProbe,
} from './outbound/ssrf-probe.ts'
import { certificate, key } from './outbound/test-certificate.ts'
import { createOutbound, type OutboundOptions } from './outbound.ts'
import { type Outbound, OutboundProblem, type OutboundRequest } from './outbound-request.ts'
import { holdsUnlikePlantedBug } from './planted-bug.ts'

let sentinel: Sentinel
/** Answers at `front.test`, which the tests allow: where a stranger's site would be. */
let front: Site
const fallen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = []
const opened: { close(): Promise<void> }[] = []

beforeAll(async () => {
  sentinel = await startSentinel()
  front = await startSite((request, response) => {
    const url = new URL(request.url ?? '/', 'http://front.test')
    const [status, to] = [Number(url.searchParams.get('status') ?? 302), url.searchParams.get('to')]
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      fallen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      if (to !== null) response.writeHead(status, { location: /[^ -~]/.test(to) ? encodeURI(to) : to })
      response.end('hello')
    })
  })
})
afterAll(async () => {
  await Promise.all([sentinel.close(), front.close(), ...opened.map((outbound) => outbound.close())])
})

const guarded = (more: OutboundOptions = {}): Outbound => {
  const outbound = createOutbound({
    allowPrivate: [`front.test:${front.port}`, `other.test:${front.port}`],
    resolve: resolveTests,
    ...more,
  })
  opened.push(outbound)
  return outbound
}

/** Whether anything arrived while it was tried. */
async function reaches(outbound: Outbound, request: OutboundRequest): Promise<boolean> {
  const before = sentinel.connections
  const problem = await outbound.request(request).then(
    () => null,
    (error: unknown) => error,
  )
  // A connection that was made is counted a moment later.
  await new Promise((resolve) => setTimeout(resolve, 2))
  if (outbound !== naive && problem !== null) expect(problem).toBeInstanceOf(OutboundProblem)
  return sentinel.connections > before
}

const nothingArrived = ({ cases, arrived }: SsrfProbe) => {
  expect(cases).toBeGreaterThanOrEqual(600)
  expect(arrived).toEqual([])
}

describeNeeding(['root'], 'for an ordinary user as well as for root', () => {
  test('no spelling of this machine is reached', { timeout: 120_000 }, () =>
    holdsUnlikePlantedBug('guarded', 'naive', async (guard) => {
      const script = join(import.meta.dirname, 'outbound/ssrf-probe.ts')
      const { uid, ...result } = JSON.parse(await runAsOrdinaryUser(script, guard))
      expect(uid).toBeGreaterThan(0)
      nothingArrived(result)
    }),
  )
})

describe('spellings of this machine', () => {
  const urls = (to: (host: string) => string) => loopbackSpellings.map((host) => to(`${host}:${sentinel.port}`))

  test('there are enough of them, and most do arrive where nobody guards', async () => {
    expect(new Set(loopbackSpellings).size).toBeGreaterThanOrEqual(100)
    const before = sentinel.connections
    await Promise.allSettled(urls((host) => `http://${host}/`).map((url) => naive.request(requestOf(url))))
    const arrived = sentinel.connections - before
    expect(arrived).toBeGreaterThan(65)
  })

  test('none of them is reached, directly or by a redirect of any sort', { timeout: 120_000 }, () =>
    holdsUnlikePlantedBug<ProbedGuard>(
      guardedProbe,
      () => naive,
      async (guard) => nothingArrived(await probeSsrf(guard)),
    ),
  )

  test.each([['127.0.0.2'], ['0x7f.1'], ['2130706433'], ['[::ffff:127.0.0.1]'], ['１２７.0.0.1'], ['sentinel.test']])(
    'a guard that looks at the spelling lets %s through, directly and by a redirect',
    async (host) => {
      const url = `http://${host}:${sentinel.port}/`
      const by = `http://front.test:${front.port}/?to=${encodeURIComponent(url)}`
      for (const each of [url, by])
        await holdsUnlikePlantedBug(guarded(), naive, async (outbound) => {
          expect(await reaches(outbound, requestOf(each))).toBe(false)
        })
    },
  )

  test.each(['//127.0.0.1:PORT/', 'http:\\\\127.0.0.1:PORT\\', ' http://127.0.0.1:PORT/'])(
    'a redirect to %s is read as a browser reads it, and refused',
    async (to) => {
      const by = `http://front.test:${front.port}/?to=${encodeURIComponent(to.replace('PORT', String(sentinel.port)))}`
      await holdsUnlikePlantedBug(guarded(), naive, async (outbound) => {
        expect(await reaches(outbound, requestOf(by))).toBe(false)
      })
    },
  )

  test('what the owner allows is reached, on that port and no other', async () => {
    const allowed = guarded({ allowPrivate: [`127.0.0.1:${front.port}`] })
    await expect(allowed.request(requestOf(`${front.origin}/`))).resolves.toMatchObject({ status: 200 })
    expect(await reaches(allowed, requestOf(`http://127.0.0.1:${sentinel.port}/`))).toBe(false)
    expect(
      await reaches(guarded({ allowPrivate: ['127.0.0.1'] }), requestOf(`http://127.0.0.1:${sentinel.port}/`)),
    ).toBe(true)
  })

  test('an allowed name that stands for a metadata address does not lead there', async () => {
    const outbound = guarded({ allowPrivate: ['wiki.test'], resolve: async () => ['169.254.169.254'] })
    await expect(outbound.request(requestOf('http://wiki.test/'))).rejects.toMatchObject({ code: 'blocked' })
  })
})

describe('addresses', () => {
  test.each(privateAddresses)('%s is not public', (address) => expect(judgeAddress(address).verdict).not.toBe('public'))
  test.each(publicAddresses)('%s is public', (address) => expect(judgeAddress(address).verdict).toBe('public'))
})

describe('names', () => {
  test('a name that says something else the second time is asked once', async () => {
    // A documentation address would be refused; this one is public, and nothing answers for it here.
    let asked = 0
    const rebinding = async () => (asked++ === 0 ? ['8.8.8.8'] : ['127.0.0.1'])
    const checksThenConnectsByName: Outbound = {
      async request(request) {
        const [first] = await rebinding()
        if (judgeAddress(first as string).verdict !== 'public') throw new Error('refused')
        const lookup = (_host: string, _options: unknown, done: (error: null, all: object[]) => void) =>
          void rebinding().then(([address]) => done(null, [{ address, family: 4 }]))
        await plainRequest(request.url, { dispatcher: new Agent({ connect: { lookup: lookup as never } }) })
        throw new Error('unreachable')
      },
    }
    const request = requestOf(`http://rebind.test:${sentinel.port}/`, { timeoutMs: 300 })
    await holdsUnlikePlantedBug(guarded({ resolve: rebinding }), checksThenConnectsByName, async (outbound) => {
      asked = 0
      const before = sentinel.connections
      await outbound.request(request).catch(() => {})
      expect(sentinel.connections).toBe(before)
      expect(asked).toBe(1)
    })
  })

  test('one private address among public ones refuses them all', async () => {
    for (const answer of [
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '8.8.8.8'],
      ['2606:4700::1111', '::ffff:127.0.0.1'],
    ]) {
      const outbound = guarded({ resolve: async () => answer })
      expect(await reaches(outbound, requestOf(`http://mixed.test:${sentinel.port}/`))).toBe(false)
      await expect(outbound.request(requestOf('http://mixed.test/'))).rejects.toMatchObject({ code: 'blocked' })
    }
  })

  test('a kept connection of an allowed name is not lent to another name', async () => {
    const outbound = guarded()
    await outbound.request(requestOf(`http://front.test:${front.port}/`))
    await expect(outbound.request(requestOf(`http://third.test:${front.port}/`))).rejects.toMatchObject({
      code: 'blocked',
    })
  })

  test('a name that is not there, and one without addresses, are problems in words', async () => {
    await expect(guarded().request(requestOf('http://nowhere.invalid/'))).rejects.toThrow(
      /nowhere\.invalid was not found/,
    )
    await expect(guarded({ resolve: async () => [] }).request(requestOf('http://empty.test/'))).rejects.toMatchObject({
      code: 'unreachable',
    })
  })

  test('a resolver that never answers ends with the request', async () => {
    const outbound = guarded({ resolve: () => new Promise(() => {}) })
    await expect(outbound.request(requestOf('http://slow.test/', { timeoutMs: 100 }))).rejects.toMatchObject({
      code: 'timeout',
    })
  })
})

describe('secure connections', () => {
  test('the certificate must be that of the name, while the connection goes to the checked address', async () => {
    const names: unknown[] = []
    const server = createTlsServer({ key, cert: certificate }, (_request, response) => response.end('safe'))
    server.on('secureConnection', (socket) => names.push(socket.servername))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const outbound = guarded({ allowPrivate: [`front.test:${port}`, `other.test:${port}`], certificates: certificate })
    const answer = await outbound.request(requestOf(`https://front.test:${port}/`))
    expect(Buffer.from(answer.body).toString()).toBe('safe')
    expect(names).toEqual(['front.test'])
    await expect(outbound.request(requestOf(`https://other.test:${port}/`))).rejects.toMatchObject({
      code: 'unreachable',
    })
    await expect(
      guarded({ allowPrivate: [`front.test:${port}`] }).request(requestOf(`https://front.test:${port}/`)),
    ).rejects.toThrow(/secure connection/)
    server.closeAllConnections()
    server.close()
  })
})

describe('what an address may be', () => {
  test.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://127.0.0.1/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'http://user:password@front.test/',
    'http://user@front.test/',
    'http://',
    'http:///',
    'front.test/page',
    '',
    'http://[::1',
    'http://a b/',
    'http://front.test:99999/',
    `http://front.test/${'x'.repeat(20_000)}`,
  ])('%s is refused before anything is asked for', async (url) => {
    const outbound = guarded({ resolve: async () => expect.unreachable('it was resolved') })
    await expect(outbound.request(requestOf(url))).rejects.toMatchObject({ code: 'bad-address' })
  })

  test.each([22, 25, 6667])('port %i is not spoken to', async (port) => {
    const outbound = guarded({ resolve: async () => expect.unreachable('it was resolved') })
    await expect(outbound.request(requestOf(`http://front.test:${port}/`))).rejects.toMatchObject({ code: 'blocked' })
  })

  test.each([
    'Host',
    'Connection',
    'Transfer-Encoding',
    'Content-Length',
    'Upgrade',
    'Proxy-Authorization',
    'a b',
    'x\r\ny',
    '',
  ])('the header %j is not the caller’s to set', async (name) => {
    const before = fallen.length
    await expect(
      guarded().request(requestOf(`http://front.test:${front.port}/`, { headers: { [name]: 'evil' } })),
    ).rejects.toBeInstanceOf(OutboundProblem)
    expect(fallen).toHaveLength(before)
  })

  test('a header value with a line end is refused', async () => {
    const headers = { 'X-A': 'a\r\nHost: evil' }
    await expect(guarded().request(requestOf(`http://front.test:${front.port}/`, { headers }))).rejects.toMatchObject({
      code: 'bad-address',
    })
  })
})

describe('the list of hosts', () => {
  const at = (host: string, path = '/') => `http://${host}:${front.port}${path}`

  test('a host on it is reached, one off it is not, at every hop', async () => {
    const outbound = guarded()
    const list = { allowedHosts: ['front.test'] }
    await expect(outbound.request(requestOf(at('front.test'), list))).resolves.toMatchObject({ status: 200 })
    await expect(outbound.request(requestOf(at('other.test'), list))).rejects.toMatchObject({ code: 'blocked' })
    const by = at('front.test', `/?to=${encodeURIComponent(at('other.test'))}`)
    const before = fallen.length
    await expect(outbound.request(requestOf(by, list))).rejects.toMatchObject({ code: 'blocked' })
    expect(fallen.slice(before).map(({ headers }) => headers.host)).toEqual([`front.test:${front.port}`])
    await expect(outbound.request(requestOf(by, { allowedHosts: ['*.test'] }))).resolves.toMatchObject({ status: 200 })
  })

  test.each([['*.front.test'], ['front.tes'], ['xfront.test'], ['*'], ['front.test/'], ['']])(
    '%j does not stand for front.test',
    async (entry) => {
      await expect(guarded().request(requestOf(at('front.test'), { allowedHosts: [entry] }))).rejects.toMatchObject({
        code: 'blocked',
      })
    },
  )

  test.each([['FRONT.test'], ['front.test.'], ['*.test']])('%j does', async (entry) => {
    await expect(guarded().request(requestOf(at('front.test'), { allowedHosts: [entry] }))).resolves.toMatchObject({
      status: 200,
    })
  })

  test('an empty list lets nobody through', async () => {
    await expect(guarded().request(requestOf(at('front.test'), { allowedHosts: [] }))).rejects.toMatchObject({
      code: 'blocked',
    })
  })
})

describe('redirects', () => {
  const at = (host: string, query = '') => `http://${host}:${front.port}/${query}`
  const to = (status: number, url: string) => `?status=${status}&to=${encodeURIComponent(url)}`
  const secrets = { Authorization: 'Bearer key', Cookie: 'session=1', 'X-Api-Key': 'key', Accept: 'text/html' }

  test('what may be a key stays with its origin', async () => {
    await guarded().request(requestOf(at('front.test', to(302, at('other.test'))), { headers: secrets }))
    expect(fallen.at(-2)?.headers).toMatchObject({
      authorization: 'Bearer key',
      cookie: 'session=1',
      'x-api-key': 'key',
    })
    expect(Object.keys(fallen.at(-1)?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })

  test('within one origin everything is kept', async () => {
    await guarded().request(requestOf(at('front.test', to(302, '/next')), { headers: secrets }))
    expect(fallen.at(-1)).toMatchObject({ url: '/next', headers: { authorization: 'Bearer key', 'x-api-key': 'key' } })
  })

  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('%i makes of a %s a %s', async (status, method, then) => {
    const body = method === 'HEAD' ? {} : { body: '{}', headers: { 'Content-Type': 'application/json' } }
    await guarded().request(requestOf(at('front.test', to(status, '/next')), { method, ...body }))
    expect(fallen.at(-1)).toMatchObject({
      url: '/next',
      method: then,
      body: then === method && method !== 'HEAD' ? '{}' : '',
    })
    expect(fallen.at(-1)?.headers['content-type']).toBe(
      then === method && method !== 'HEAD' ? 'application/json' : undefined,
    )
  })

  test('a body is not handed on to a host that nobody asked for', async () => {
    const before = fallen.length
    const post = requestOf(at('front.test', to(307, at('other.test'))), { method: 'POST', body: 'secret' })
    await expect(guarded().request(post)).rejects.toMatchObject({ code: 'blocked' })
    expect(fallen).toHaveLength(before + 1)
  })

  test('five are followed, six are not; a circle ends at once', async () => {
    const chain = (length: number): string => (length === 0 ? '/end' : `/${to(302, chain(length - 1))}`)
    const outbound = guarded()
    await expect(outbound.request(requestOf(at('front.test', chain(5).slice(1))))).resolves.toMatchObject({
      status: 200,
    })
    await expect(outbound.request(requestOf(at('front.test', chain(6).slice(1))))).rejects.toMatchObject({
      code: 'bad-answer',
    })
  })

  test.each(['http://user:pass@other.test/', 'file:///etc/passwd', 'ftp://other.test/', 'http://[bad'])(
    'a redirect to %s is refused',
    async (url) => {
      await expect(guarded().request(requestOf(at('front.test', to(302, url))))).rejects.toThrow(
        /redirects to an address/,
      )
    },
  )

  test('a redirect without a target is an answer', async () => {
    const site = await startSite((_request, response) => response.writeHead(302).end('no target'))
    const outbound = guarded({ allowPrivate: ['127.0.0.1'] })
    await expect(outbound.request(requestOf(site.origin))).resolves.toMatchObject({ status: 302 })
    await site.close()
  })
})
