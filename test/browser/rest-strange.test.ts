// Requests that no client means: what looks like a part of JavaScript, of SQL, of a path or of another protocol. Each gets
// an answer in the words of all errors, and the console goes on.
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { useConsole } from './console.ts'
import { callKey, restCalls, rightsOf } from './rest-calls.ts'
import { operationsOf, useRest } from './rest-client.ts'
import { sendRaw } from './send-raw.ts'
import { makeTenantIds } from './tenant-ids.ts'

const it = useConsole({ settings: async () => ({ QM_API_RATE: '100000' }) })
const rest = useRest(it)

const strange = [
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'prototype'],
  ...['null', 'undefined', 'NaN', '-1', '0', '9'.repeat(40), '1e309'],
  ...["'", "' OR 1=1 --", '"', '\\', '%', '%%', '_', '$1', '{{7*7}}', '<script>', '🙂', '\u202e', '\ud7ff'],
  ...[' ', '\t', '\r\n', '\u0001', 'a/b', '../../x', '.', '..', ';', '?', '#', '&', 'x'.repeat(300)],
]

test('an id that nothing can have is not found, whatever it looks like', async () => {
  const ids = await makeTenantIds(it.db, { workspaceId: it.workspaceId, memberId: it.people.admin.memberId })
  for (const { method, path, operation } of operationsOf(await rest.document())) {
    const names = [...path.matchAll(/\{(\w+)\}/g)]
    if (!names.length) continue
    const { body } = (await restCalls[callKey(method, path)]?.(ids, it)) ?? {}
    const key = await rest.key(rightsOf(operation.description).role)
    for (const id of strange) {
      // `.` and `..` are steps of a path and no ids, also where they are encoded.
      if (id === '.' || id === '..') continue
      // A name that somebody may choose for a session is no id that nothing can have.
      if (path.endsWith('/chat') && /^[\w-]{1,64}$/.test(id)) continue
      const address = path.replace(/\{\w+\}/g, encodeURIComponent(id))
      const answer = await rest.call(method, address, { key, ...(body ? { body } : {}) })
      // The door takes a key for a change only in an address that is written plainly.
      const expected = method === 'GET' ? [400, 404] : [400, 403, 404]
      expect([method, address, expected.includes(answer.status)]).toEqual([method, address, true])
    }
  }
}, 120_000)

test('a parameter that means nothing is refused or finds nothing, and none is an error of ours', async () => {
  for (const { path, operation, method } of operationsOf(await rest.document())) {
    if (method !== 'GET' || path.includes('{')) continue
    // Of what has no end, or is a whole export, the head is enough.
    const isPage = operation.responses['200']?.content?.['application/json'] !== undefined
    const key = await rest.key(rightsOf(operation.description).role)
    const names = operation.parameters.flatMap((each) => ('in' in each && each.in === 'query' ? [each.name] : []))
    for (const name of names)
      for (const value of strange.filter((_, at) => at % 3 === name.length % 3)) {
        const address = `${path}?${name}=${encodeURIComponent(value)}`
        const answer = !isPage
          ? await sendRaw(it.url, address, { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
          : await rest.call('GET', address, { key })
        expect([address, [200, 400, 404].includes(answer.status)]).toEqual([address, true])
      }
    // `__proto__` is lost on the way, in Next: it never reaches what checks parameters.
    for (const name of ['constructor', 'toString'])
      expect([path, name, (await rest.call('GET', `${path}?${name}=x`, { key })).status]).toEqual([path, name, 400])
  }
}, 120_000)

test('an address that is written strangely is answered as JSON and never as a page', async () => {
  const headers = { authorization: `Bearer ${await rest.key()}` }
  const cases: [string, number[]][] = [
    ['/api/tools/%E0%A4%A', [400, 404]],
    ['/api/tools/%', [400, 404]],
    ['/api/tools/a%2Fb', [404]],
    ['/api/tools/%C3%28', [400, 404]],
    ['/api/tools?q=%E0%A4%A', [400]],
    ['/api/tools?%00=1', [400]],
    ['/api/nothing/at/all', [404]],
    ['/api/agents/x/tools/y/z', [404]],
    ['/api/__proto__', [404]],
    ['/api/constructor', [404]],
    [`/api/tools/${'x'.repeat(301)}`, [400]],
    [`/api/tools/${'x'.repeat(7_000)}`, [400]],
  ]
  for (const [path, statuses] of cases) {
    const { status, headers: got, body } = await sendRaw(it.url, path, { headers })
    expect([path.slice(0, 40), status, got['content-type']]).toEqual([
      path.slice(0, 40),
      expect.toSatisfy((each: number) => statuses.includes(each)),
      'application/json',
    ])
    expect(JSON.parse(body).error).toMatchObject({ code: expect.any(String), message: expect.any(String) })
  }
})

test('an unknown method, a body where there is none, two headers of one name: an answer, and the next request works', async () => {
  const key = await rest.key()
  const headers = { authorization: `Bearer ${key}` }
  for (const method of ['PROPFIND', 'PURGE', 'LINK', 'SEARCH', 'MKCOL']) {
    const { status } = await sendRaw(it.url, '/api/tools', { method, headers })
    expect([method, status >= 400 && status < 500]).toEqual([method, true])
  }
  const put = await rest.call('PUT', '/api/runs/export', { key, body: {} })
  expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  const unknown = await sendRaw(it.url, '/api/nothing', { method: 'OPTIONS', headers })
  expect([204, 404]).toContain(unknown.status)
  const withBody = await sendRaw(it.url, '/api/tools', {
    headers: { ...headers, 'content-type': 'application/json', 'content-length': '2' },
    body: '{}',
  })
  expect(withBody.status).toBe(200)
  expect(await rawLines(['GET /api/tools HTTP/1.1', 'Host: evil.example', 'Connection: close'])).toMatch(
    /^HTTP\/1\.1 421 [\s\S]*"code":"MISDIRECTED_REQUEST"/,
  )
  const { host } = new URL(it.url)
  const bearer = `Authorization: Bearer ${key}`
  // Node keeps the first one: nobody is two callers.
  const twice = [`Host: ${host}`, bearer, 'Authorization: Bearer qm_deadbeef_nonsense', 'Connection: close']
  expect(await rawLines(['GET /api/tools?limit=1 HTTP/1.1', ...twice])).toMatch(/^HTTP\/1\.1 200 /)
  const workspaces = [`Host: ${host}`, bearer, `X-Workspace-Id: ${it.workspaceId}`, 'X-Workspace-Id: ws_other']
  expect(await rawLines(['GET /api/tools HTTP/1.1', ...workspaces, 'Connection: close'])).toMatch(/^HTTP\/1\.1 404 /)
  expect((await rest.call('GET', '/api/tools', { key })).status).toBe(200)
})

test('a body that is no UTF-8, or says another length than it has, is refused', async () => {
  const { host } = new URL(it.url)
  const { agentId } = await it.db.prisma.agent
    .findFirstOrThrow({ where: { workspaceId: it.workspaceId } })
    .then(({ id }) => ({ agentId: id }))
  const head = (length: number) => [
    `POST /api/agents/${agentId}/tools HTTP/1.1`,
    ...[`Host: ${host}`, `Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Connection: close'],
    `Content-Length: ${length}`,
  ]
  const key = await rest.key()
  const bytes = Buffer.concat([Buffer.from('{"tool_id":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
  expect(await rawLines(head(bytes.length), bytes)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"The body is not UTF-8\."/)
  expect(await rawLines(head(300_000))).toMatch(/^HTTP\/1\.1 413 /)
})

test('what the console’s pages ask for opens to no key, and to a session only with the role; it is counted and checked', async () => {
  const pages: [string, string, string][] = [
    ['GET', '/api/search?q=x', 'viewer'],
    ['GET', '/api/policies/replay', 'admin'],
    ['POST', '/api/policies/check-rule', 'admin'],
  ]
  const owner = await rest.key('owner', ['*'])
  for (const [method, path, needed] of pages) {
    const body: Record<string, string> = method === 'POST' ? { 'content-type': 'application/json' } : {}
    const byKey = await sendRaw(it.url, path, { method, headers: { ...body, authorization: `Bearer ${owner}` } })
    expect([path, byKey.status, JSON.parse(byKey.body).error.code]).toEqual([path, 403, 'FORBIDDEN'])
    expect([path, byKey.headers['ratelimit-limit']]).toEqual([path, '100000'])
    for (const role of ['admin', 'viewer'] as const) {
      const context = await it.context({ as: it.people[role] })
      const answer = await context.request.fetch(`${path}${path.includes('?') ? '&' : '?'}colour=red`, {
        method,
        headers: { origin: it.url },
        ...(method === 'POST' ? { data: {} } : {}),
      })
      const expected = role === 'admin' || needed === 'viewer' ? 400 : 403
      expect([path, role, answer.status()]).toEqual([path, role, expected])
    }
  }
})

/** A request line by line, and what came back, as text. */
function rawLines(lines: string[], body: Buffer = Buffer.alloc(0)): Promise<string> {
  const { hostname, port } = new URL(it.url)
  return new Promise((done, failed) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('close', () => done(answer))
    socket.on('error', failed)
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]))
  })
}
