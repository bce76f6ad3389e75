// The REST API held against its own OpenAPI document: every operation, by everybody, with everything that can be wrong.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApiKey, projectRoot, type Role, revokeApiKey, roles } from '@quartermaster/db'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { requireBuild, useConsole } from './console.ts'
import { callKey, opensItsOwn, type RestCall, restCalls, rightsOf } from './rest-calls.ts'
import { operationsOf, type RestAnswer, useRest } from './rest-client.ts'
import { sendRaw } from './send-raw.ts'
import { makeTenantIds, type TenantIds } from './tenant-ids.ts'

const it = useConsole({ settings: async () => ({ QM_API_RATE: '100000' }) })
const rest = useRest(it)

interface Operation {
  name: string
  method: string
  path: string
  scope: string
  role: Role
  make: (ids: TenantIds) => Promise<RestCall>
}

let operations: Operation[]
beforeAll(async () => {
  operations = operationsOf(await rest.document()).map(({ method, path, operation }) => {
    const name = callKey(method, path)
    const make = restCalls[name]
    if (!make) throw new Error(`rest-calls.ts has no call of ${name}`)
    return { name, method, path, ...rightsOf(operation.description), make: async (ids) => make(ids, it) }
  })
})

const ownIds = (role: Role = 'admin') =>
  makeTenantIds(it.db, { workspaceId: it.workspaceId, memberId: it.people[role].memberId })

/** Of a stream only the beginning. */
async function send(operation: Operation, call: RestCall, key: string | null, headers: Record<string, string> = {}) {
  if (!call.stream)
    return rest.call(operation.method, call.path, { key, headers, ...(call.body ? { body: call.body } : {}) })
  const ending = new AbortController()
  const answer = await fetch(`${it.url}${call.path}`, {
    method: operation.method,
    signal: ending.signal,
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(call.body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(call.body ? { body: JSON.stringify(call.body) } : {}),
  })
  const found = { status: answer.status, headers: Object.fromEntries(answer.headers) }
  if (answer.ok) rest.seen.add(`stream ${operation.name}`)
  ending.abort()
  return found
}

const isRefused = ({ status, json }: RestAnswer, code: string) => [status, json?.error?.code, code]

/** What only the console's pages ask for; no key opens it. */
const ofPages: [string, string][] = [
  ['GET', '/api/search?q=x'],
  ['POST', '/api/policies/check-rule'],
  ['GET', '/api/policies/replay'],
]

/** What is no operation: signing in, the document itself, what is no address, and what the console's pages ask for. */
const others = [
  ...['/api/auth/[...nextauth]', '/api/openapi.json', '/api/[[...unknown]]'],
  ...ofPages.map(([, path]) => path.split('?')[0]),
]

test('the document has what the build has: every operation a route, every route an operation', async () => {
  const file = join(projectRoot, 'apps/admin', requireBuild(), 'server/app-paths-manifest.json')
  const built = Object.keys(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)
    .filter((path) => path.startsWith('/api/') && path.endsWith('/route'))
    .map((path) => path.replace(/\/route$/, ''))
    .filter((path) => !others.includes(path))
  const documented = new Set(operations.map(({ path }) => path.replace(/\{(\w+)\}/g, '[$1]')))
  expect(built.sort()).toEqual([...documented].sort())
  expect(Object.keys(restCalls).sort()).toEqual(operations.map(({ name }) => name).sort())
})

test('every operation answers as the document says, with exactly the role and the scope that it names', async () => {
  for (const operation of operations) {
    const ids = await ownIds(operation.role)
    const call = await operation.make(ids)
    const key = await rest.key(operation.role, [operation.scope])
    const { status } = await send(operation, call, key)
    expect([operation.name, status < 300]).toEqual([operation.name, true])
  }
})

test('every operation refuses a key without its scope, a lower role, no key, and a key that is revoked', async () => {
  const ids = await ownIds()
  const { memberId } = it.people.owner
  const actor = { kind: 'member' as const, id: memberId }
  const made = { workspaceId: it.workspaceId, memberId, name: 'to be revoked', scopes: ['*'], actor }
  const { id: keyId, key: revoked } = await createApiKey(it.db, made)
  await revokeApiKey(it.db, { workspaceId: it.workspaceId, keyId, actor })
  for (const operation of operations) {
    const call = { ...(await operation.make(ids)), stream: undefined } as unknown as RestCall
    const lower = roles[roles.indexOf(operation.role) + 1]
    const cases: [string | null, string][] = [
      [await rest.key('owner', ['nothing-of-it']), 'FORBIDDEN'],
      ...(lower ? [[await rest.key(lower), 'FORBIDDEN'] as [string, string]] : []),
      ['qm_deadbeef_nonsense', 'UNAUTHORIZED'],
      [revoked, 'UNAUTHORIZED'],
    ]
    for (const [key, code] of cases) {
      const answer = (await send(operation, call, key)) as RestAnswer
      expect([operation.name, ...isRefused(answer, code)]).toEqual([
        operation.name,
        code === 'FORBIDDEN' ? 403 : 401,
        code,
        code,
      ])
    }
    if (operation.method === 'GET') expect(((await send(operation, call, null)) as RestAnswer).status).toBe(401)
  }
})

test('what another workspace has is not there, by whatever operation and method', async () => {
  const other = await createTestWorkspace(it.db)
  const theirs = await makeTenantIds(it.db, { workspaceId: other.workspaceId, memberId: other.members.owner })
  const key = await rest.key('owner')
  const before = await it.db.prisma.auditEvent.count({ where: { workspaceId: other.workspaceId } })
  for (const operation of operations) {
    const call = await operation.make(theirs)
    if (operation.path.includes('{') && !opensItsOwn.includes(operation.name))
      expect([
        operation.name,
        (await send(operation, { ...call, stream: undefined } as unknown as RestCall, key)).status,
      ]).toEqual([operation.name, 404])
    const wanted = { 'x-workspace-id': other.workspaceId }
    const answer = (await send(
      operation,
      { ...call, stream: undefined } as unknown as RestCall,
      key,
      wanted,
    )) as RestAnswer
    expect([operation.name, answer.status, answer.json]).toEqual([
      operation.name,
      404,
      { error: { code: 'NOT_FOUND', message: 'There is no such workspace.' } },
    ])
  }
  expect(await it.db.prisma.auditEvent.count({ where: { workspaceId: other.workspaceId } })).toBe(before)
  const seen = JSON.stringify(
    await Promise.all(
      ['/api/tools', '/api/runs', '/api/executions', '/api/agents'].map((path) => rest.call('GET', path, { key })),
    ),
  )
  for (const id of [theirs.toolId, theirs.runId, theirs.executionId, theirs.agentId]) expect(seen).not.toContain(id)
})

test('one’s own attachment, grant or answer never reaches into another workspace', async () => {
  const other = await createTestWorkspace(it.db)
  const theirs = await makeTenantIds(it.db, { workspaceId: other.workspaceId, memberId: other.members.owner })
  const own = await ownIds()
  const mixed: [string, string, unknown][] = [
    ['POST', `/api/agents/${own.agentId}/tools`, { tool_id: theirs.toolId }],
    ['POST', `/api/agents/${theirs.agentId}/tools`, { tool_id: own.toolId }],
    ['GET', `/api/runs/${own.runId}/files/${theirs.fileId}`, undefined],
    ['GET', `/api/runs/${theirs.runId}/files/${own.fileId}`, undefined],
    ['POST', '/api/playground/sessions/mine/chat', { message: 'x', agentId: theirs.agentId }],
  ]
  for (const [method, path, body] of mixed)
    expect([path, (await rest.call(method, path, body ? { body } : {})).status]).toEqual([path, 404])
})

test('a change with a cookie must come from a page of the console; with a key it need not', async () => {
  const ids = await ownIds('owner')
  const context = await it.context({ as: it.people.owner })
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  for (const operation of operations.filter(({ method }) => method !== 'GET')) {
    const call = { ...(await operation.make(ids)), stream: undefined } as unknown as RestCall
    for (const origin of [undefined, 'https://evil.example', 'null', `${it.url}.evil.example`]) {
      const answer = (await send(operation, call, null, { cookie, ...(origin ? { origin } : {}) })) as RestAnswer
      expect([operation.name, origin, ...isRefused(answer, '')]).toEqual([operation.name, origin, 403, 'FORBIDDEN', ''])
    }
    const key = await rest.key('owner')
    const foreign = (await send(operation, call, key, { origin: 'https://evil.example' })) as RestAnswer
    expect([operation.name, foreign.status]).toEqual([operation.name, 403])
  }
  const own = { cookie, origin: it.url }
  const stored = await rest.call('POST', '/api/secrets', {
    key: null,
    headers: own,
    body: { name: 'by.session', scope: 'tests', value: 'x' },
  })
  expect(stored.status).toBe(201)
})

test('a session chooses among its workspaces with X-Workspace-Id, and without it has the one of the console', async () => {
  const context = await it.context({ as: it.first.email })
  const read = async (workspaceId?: string) => {
    const headers: Record<string, string> = workspaceId === undefined ? {} : { 'x-workspace-id': workspaceId }
    const answer = await context.request.get('/api/agents', { headers })
    return answer.status() === 200 ? ((await answer.json()) as { agents: unknown[] }).agents.length : answer.status()
  }
  const counts = {
    house: await it.db.prisma.agent.count({ where: { workspaceId: it.emptyWorkspaceId, archivedAt: null } }),
    demo: await it.db.prisma.agent.count({ where: { workspaceId: it.workspaceId, archivedAt: null } }),
  }
  expect(counts.house).not.toBe(counts.demo)
  expect([await read(it.emptyWorkspaceId), await read(it.workspaceId)]).toEqual([counts.house, counts.demo])
  await context.addCookies([{ name: 'qm.workspace', value: it.workspaceId, url: it.url }])
  expect(await read()).toBe(counts.demo)
  expect(await read('ws_none')).toBe(404)
})

describe('a request that is not what is expected', () => {
  test('is told what is wrong and where', async () => {
    const { agentId } = await ownIds()
    const path = `/api/agents/${agentId}/tools`
    const cases: [string, string, object, number, string, string][] = [
      ['GET', '/api/runs?colour=red', {}, 400, 'VALIDATION_ERROR', 'colour: There is no such parameter.'],
      ['GET', '/api/runs?limit=0', {}, 400, 'VALIDATION_ERROR', 'limit: '],
      ['GET', '/api/runs?limit=1e9', {}, 400, 'VALIDATION_ERROR', 'limit: '],
      ['GET', '/api/runs?status=happy', {}, 400, 'VALIDATION_ERROR', 'status: '],
      ['GET', '/api/runs?limit=1&limit=2', {}, 400, 'VALIDATION_ERROR', 'limit: given more than once.'],
      ['GET', '/api/runs?after=nonsense', {}, 400, 'VALIDATION_ERROR', 'after: expected the `next`'],
      ['GET', '/api/audit?after=-1', {}, 400, 'VALIDATION_ERROR', 'after: '],
      ['GET', '/api/executions?from=yesterday', {}, 400, 'VALIDATION_ERROR', 'from: '],
      ['GET', '/api/tools/%00', {}, 400, 'VALIDATION_ERROR', 'NUL'],
      ['GET', '/api/runs?q=%00', {}, 400, 'VALIDATION_ERROR', 'NUL'],
      ['POST', path, { raw: 'no json' }, 400, 'VALIDATION_ERROR', 'The body is not JSON.'],
      ['POST', path, { raw: '' }, 400, 'VALIDATION_ERROR', 'The body is not JSON.'],
      ['POST', path, { body: [] }, 400, 'VALIDATION_ERROR', ''],
      ['POST', path, { body: {} }, 400, 'VALIDATION_ERROR', 'tool_id: This is required.'],
      ['POST', path, { body: { tool_id: 7 } }, 400, 'VALIDATION_ERROR', 'tool_id: '],
      ['POST', path, { body: { tool_id: 'x', colour: 1 } }, 400, 'VALIDATION_ERROR', 'colour: There is no such field.'],
      ['POST', path, { raw: '{"tool_id":"x","__proto__":{"a":1}}' }, 400, 'VALIDATION_ERROR', ''],
      [
        'POST',
        path,
        { raw: `{"tool_id":"x","config":${'['.repeat(50_000)}${']'.repeat(50_000)}}` },
        400,
        'VALIDATION_ERROR',
        'deeper than',
      ],
      [
        'POST',
        path,
        { raw: '{"tool_id":"x"}', headers: { 'content-type': 'text/plain' } },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        'application/json',
      ],
      [
        'POST',
        path,
        { raw: '{"tool_id":"x"}', headers: { 'content-type': 'application/json; charset=utf-16' } },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        '',
      ],
      [
        'POST',
        path,
        { body: { tool_id: 'x', config: { a: 'x'.repeat(300_000) } } },
        413,
        'PAYLOAD_TOO_LARGE',
        'larger than 262144 bytes',
      ],
    ]
    for (const [method, address, request, status, code, words] of cases) {
      const { status: got, json } = await rest.call(method, address, request)
      expect([address, JSON.stringify(request).slice(0, 60), got, json.error]).toEqual([
        address,
        JSON.stringify(request).slice(0, 60),
        status,
        expect.objectContaining({ code, message: expect.stringContaining(words) }),
      ])
    }
  })

  test('is refused while it is read when it does not say how long it is', async () => {
    const key = await rest.key()
    const { agentId } = await ownIds()
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(64 * 1024))),
    })
    const answer = await fetch(`${it.url}/api/agents/${agentId}/tools`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: endless,
      duplex: 'half',
    } as RequestInit).catch((error: Error) => error)
    // The console closes the connection in the middle, and a client may see that before it sees the answer.
    if (answer instanceof Response) expect(answer.status).toBe(413)
    expect((await rest.call('GET', '/api/agents')).status).toBe(200)
  })

  test('names every mistake of a body', async () => {
    const { json } = await rest.call('POST', '/api/secrets', { body: { name: '', value: 7, more: 1 } })
    expect(json.error.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      'more',
      'name',
      'scope',
      'value',
    ])
  })
})

test('a method that an address has not is 405 with those that it has, and what is no address is 404, both as JSON', async () => {
  const key = await rest.key()
  const put = await rest.call('PUT', '/api/tools', { key, body: {} })
  expect([put.status, put.headers.allow, put.json.error.code]).toEqual([
    405,
    'GET, HEAD, OPTIONS',
    'METHOD_NOT_ALLOWED',
  ])
  const options = await rest.call('OPTIONS', '/api/agents/x/tools').catch((error: Error) => error.message)
  expect(options).toContain('no operation answers so: OPTIONS /api/agents/x/tools 204')
  for (const path of ['/api', '/api/nothing', '/api/tools/a/b/c/d', '/api/agents/x/nothing']) {
    const answer = await rest.call('GET', path, { key })
    expect([path, answer.status, answer.json.error.code]).toEqual([path, 404, 'NOT_FOUND'])
  }
})

test('HEAD has the status and the headers of GET and no body, and ends also where GET would be a stream', async () => {
  const headers = { authorization: `Bearer ${await rest.key()}` }
  for (const [path, status] of [
    ['/api/tools', 200],
    ['/api/tools/none', 404],
    ['/api/questions/events', 200],
  ] as const) {
    const answer = await sendRaw(it.url, path, { method: 'HEAD', headers })
    expect([path, answer.status, answer.body, answer.headers['ratelimit-limit']]).toEqual([path, status, '', '100000'])
  }
})

test('every answer carries the headers of the console, is kept by no cache and says how many calls are left', async () => {
  const key = await rest.key()
  for (const [path, status] of [
    ['/api/tools', 200],
    ['/api/tools/none', 404],
    ['/api/runs?limit=x', 400],
  ] as const) {
    const { headers, status: got } = await rest.call('GET', path, { key })
    expect([path, got]).toEqual([path, status])
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'ratelimit-limit': '100000',
      'ratelimit-remaining': expect.stringMatching(/^\d+$/),
      'ratelimit-reset': expect.stringMatching(/^\d+$/),
    })
    expect(String(headers['content-security-policy'])).toContain("default-src 'self'")
  }
})

test('a failure of the database is 500 in the words of all errors, and its reasons are in the log only', async () => {
  await it.db.pool.query('ALTER TABLE tools RENAME TO tools_away')
  try {
    const { status, json, body } = await rest.call('GET', '/api/tools')
    expect([status, json.error.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(body).not.toMatch(/relation|select|at .+:\d+/i)
    await expect.poll(() => it.log()).toContain('relation "tools" does not exist')
  } finally {
    await it.db.pool.query('ALTER TABLE tools_away RENAME TO tools')
  }
})

test('the document itself is for everybody, and is valid', async () => {
  const { document } = { document: await rest.document() }
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Quartermaster', version: expect.any(String) } })
  const ids = operationsOf(document).map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, operation } of operationsOf(document)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const given = operation.parameters.flatMap((each) => ('in' in each && each.in === 'path' ? [each.name] : []))
    expect([path, given]).toEqual([path, named])
  }
})
