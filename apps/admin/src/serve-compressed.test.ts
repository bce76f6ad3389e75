import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compressedFilesOf } from './serve-compressed.ts'

let folder: string
let server: Server
const script = 'console.log("a script")'

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'qm-compressed-'))
  mkdirSync(join(folder, 'static/chunks'), { recursive: true })
  writeFileSync(join(folder, 'static/chunks/a.js'), script)
  writeFileSync(join(folder, 'static/chunks/a.js.br'), brotliCompressSync(script))
  writeFileSync(join(folder, 'secret.js.br'), 'secret')
  const serve = compressedFilesOf(folder)
  server = createServer((asked, answer) => {
    if (!serve(asked, answer)) answer.writeHead(204).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})

afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Asked byte for byte: `fetch` would put a path right before it is sent. */
function ask(path: string, encodings = 'gzip, deflate, br', method = 'GET') {
  return new Promise<{ status: number; encoding: string | undefined; body: Buffer }>((done, failed) => {
    const { port } = server.address() as AddressInfo
    request({ port, path, method, headers: { 'accept-encoding': encodings } }, async (answer) => {
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part)
      done({
        status: answer.statusCode ?? 0,
        encoding: answer.headers['content-encoding'],
        body: Buffer.concat(parts),
      })
    })
      .on('error', failed)
      .end()
  })
}

test('a browser that takes it gets the compressed script, whatever stands behind its address', async () => {
  for (const path of ['/_next/static/chunks/a.js', '/_next/static/chunks/a.js?v=1']) {
    const { status, encoding, body } = await ask(path)
    expect([status, encoding, brotliDecompressSync(body).toString()]).toEqual([200, 'br', script])
  }
})

test('who does not take it, or asks for something else, is left to Next', async () => {
  for (const encodings of ['gzip', 'gzip, br;q=0', 'abr', ''])
    expect([encodings, (await ask('/_next/static/chunks/a.js', encodings)).status]).toEqual([encodings, 204])
  for (const path of [
    '/_next/static/chunks/b.js',
    '/_next/static/chunks/a.js.br',
    '/_next/static/../secret.js',
    '/_next/static/%2e%2e/secret.js',
    '/chunks/a.js',
    '/',
  ])
    expect([path, (await ask(path)).status]).toEqual([path, 204])
  expect((await ask('/_next/static/chunks/a.js', 'br', 'POST')).status).toBe(204)
})
