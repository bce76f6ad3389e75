// Servers that mean harm or mean nothing: each gets a clear answer within the limit, and nothing is left behind.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { type Sentinel, type Site, startRawServer, startSite } from './outbound/sentinel.ts'
import { createOutbound } from './outbound.ts'
import { OutboundProblem, type OutboundRequest } from './outbound-request.ts'

const outbound = createOutbound({ allowPrivate: ['127.0.0.1'] })
const opened: (Sentinel | Site)[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()))
})

const get = (port: number, more: Partial<OutboundRequest> = {}) =>
  outbound.request({
    url: `http://127.0.0.1:${port}/`,
    method: 'GET',
    maxBytes: 100_000,
    timeoutMs: 2_000,
    signal: new AbortController().signal,
    ...more,
  })

async function raw(answer: Parameters<typeof startRawServer>[0]): Promise<Sentinel> {
  const server = await startRawServer(answer)
  opened.push(server)
  return server
}
async function site(listener: Parameters<typeof startSite>[0]): Promise<Site> {
  const server = await startSite(listener)
  opened.push(server)
  return server
}
const untilClosed = (server: Sentinel) => expect.poll(() => server.open, { timeout: 2_000 }).toBe(0)

describe('a server that takes its time', () => {
  test('never answers: the request ends at its limit, and the connection with it', async () => {
    const server = await raw(() => {})
    const start = performance.now()
    await expect(get(server.port, { timeoutMs: 200 })).rejects.toMatchObject({ code: 'timeout' })
    expect(performance.now() - start).toBeLessThan(1_000)
    await untilClosed(server)
  })

  test('drips its headers, or its body: the limit is of the whole', async () => {
    for (const begin of ['', 'HTTP/1.1 200 OK\r\n\r\n']) {
      const server = await raw((socket) => {
        socket.write(begin || 'HTTP/1.1 200 OK\r\n')
        const timer = setInterval(() => socket.write(begin ? 'x' : 'x-a: b\r\n'), 20)
        socket.on('close', () => clearInterval(timer))
      })
      await expect(get(server.port, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'timeout' })
      await untilClosed(server)
    }
  })

  test('is stopped by the caller, before and while it is waited for', async () => {
    const server = await raw(() => {})
    await expect(get(server.port, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'stopped' })
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 50)
    await expect(get(server.port, { signal: controller.signal })).rejects.toMatchObject({ code: 'stopped' })
    await untilClosed(server)
  })

  test('closes, resets, or is not there', async () => {
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      const server = await raw((socket) => socket[end]())
      await expect(get(server.port)).rejects.toMatchObject({ code: 'unreachable' })
    }
    const gone = await startRawServer(() => {})
    await gone.close()
    await expect(get(gone.port)).rejects.toMatchObject({ code: 'unreachable' })
  })
})

describe('a server that answers garbage', () => {
  test.each([
    ['bytes', '\x00\xff\xfe garbage \x01\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a status of letters', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['a line end within a header', 'HTTP/1.1 200 OK\r\na: b\rc: d\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['chunks of no size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n'],
    ['headers of 200 KB', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(30_000)}`],
    ['half an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['a protocol to switch to', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('%s', async (_what, answer) => {
    const server = await raw((socket) => socket.end(Buffer.from(answer, 'latin1')))
    const problem = await get(server.port).then(
      ({ status }) => expect.unreachable(`it answered ${status}`),
      (error: unknown) => error,
    )
    expect(problem).toBeInstanceOf(OutboundProblem)
    expect(['bad-answer', 'unreachable']).toContain((problem as OutboundProblem).code)
    expect((problem as OutboundProblem).message).not.toContain('garbage')
    await untilClosed(server)
  })

  test('what is packed wrongly, or in a way that nobody knows', async () => {
    for (const encoding of ['gzip', 'br', 'zstd', 'deflate', 'compress', 'gzip, gzip, gzip, gzip']) {
      const { port } = await site((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end('this is not packed at all, by nobody'),
      )
      await expect(get(port), encoding).rejects.toMatchObject({ code: 'bad-answer' })
    }
  })

  test('a redirect in a circle, of one and of two', async () => {
    let asked = 0
    const { port } = await site((request, response) => {
      asked++
      response.writeHead(302, { location: request.url === '/' ? '/b' : '/' }).end()
    })
    await expect(get(port)).rejects.toThrow(/in a circle/)
    expect(asked).toBe(2)
    const self = await site((_request, response) => response.writeHead(302, { location: '/' }).end())
    await expect(get(self.port)).rejects.toThrow(/in a circle/)
  })
})

describe('packed answers', () => {
  const text = Buffer.from('How vexingly quick daft zebras jump. '.repeat(200))
  const ways: [string, Buffer][] = [
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['identity', text],
  ]
  test.each(ways)('%s is unpacked', async (encoding, packed) => {
    const { port } = await site((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(packed),
    )
    const answer = await get(port)
    expect(Buffer.from(answer.body).equals(text)).toBe(true)
    expect(answer.truncated).toBe(false)
  })

  const zeros = Buffer.alloc(100 * 1024 * 1024)
  const bombs: [string, Buffer][] = [
    ['gzip', gzipSync(zeros)],
    ['br', brotliCompressSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['zstd', zstdCompressSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
  ]
  test.each(bombs)('a bomb in %s costs no more than the limit', async (encoding, bomb) => {
    const { port } = await site((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
    )
    const before = process.memoryUsage().rss
    const small = await get(port, { maxBytes: 50_000 })
    expect([small.truncated, small.body.byteLength]).toEqual([true, 50_000])
    await expect(get(port, { maxBytes: 50 * 1024 * 1024 })).rejects.toThrow(/bomb/)
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024)
  })

  test('packed blocks without content do not go on for ever', async () => {
    const empty = Buffer.concat(Array.from({ length: 200 }, () => gzipSync('')))
    const server = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write(empty));
      }
      socket.on('drain', more)
      more()
    })
    await expect(get(server.port, { maxBytes: 10_000 })).rejects.toMatchObject({ code: 'bad-answer' })
    await untilClosed(server)
  })
})

describe('long answers', () => {
  test('are read up to the limit, and the source is stopped there', async () => {
    let sent = 0
    const server = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(64 * 1024))) sent += 64 * 1024
      }
      socket.on('drain', more)
      more()
    })
    const answer = await get(server.port, { maxBytes: 100_000 })
    expect([answer.truncated, answer.body.byteLength]).toEqual([true, 100_000])
    await untilClosed(server)
    expect(sent).toBeLessThan(20 * 1024 * 1024)
  })

  test('of exactly the limit are whole', async () => {
    const { port } = await site((_request, response) => response.end('x'.repeat(1_000)))
    await expect(get(port, { maxBytes: 1_000 })).resolves.toMatchObject({ truncated: false })
    await expect(get(port, { maxBytes: 999 })).resolves.toMatchObject({ truncated: true })
  })

  test('a HEAD has no body, whatever it says about one', async () => {
    const { port } = await site((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 99 }).end(),
    )
    await expect(get(port, { method: 'HEAD' })).resolves.toMatchObject({ status: 200, truncated: false })
  })
})
