// The five endpoints of the iofold document, to the letter: its paths, statuses, fields and codes, and nothing else. Its
// clients send X-Workspace-Id with everything, and know tools by its own names.
import { newId } from '@quartermaster/db'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { useConsole } from './console.ts'
import { type RestRequest, useRest } from './rest-client.ts'
import { addTool } from './tenant-ids.ts'

const it = useConsole({ settings: async () => ({ QM_API_RATE: '100000' }) })
const rest = useRest(it)

const call = (method: string, path: string, request: RestRequest = {}) =>
  rest.call(method, path, { ...request, headers: { 'x-workspace-id': it.workspaceId, ...request.headers } })

const toolFields = ['category', 'created_at', 'description', 'handler_key', 'id', 'name', 'parameters_schema']
const fieldsOf = (object: object) => Object.keys(object).sort()

let agentId: string
beforeAll(async () => {
  agentId = newId('agt')
  await it.db.pool.query(`INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, 'Attached')`, [
    agentId,
    it.workspaceId,
  ])
  await addEmailTools(it.workspaceId)
})

/** As the document has them, known to us by our own names. */
async function addEmailTools(workspaceId: string): Promise<void> {
  for (const [id, alias, name] of [
    ['email.search', 'email_search', 'Search Emails'],
    ['email.get', 'email_get', 'Get Email'],
  ] as const) {
    await it.db.pool.query('DELETE FROM tools WHERE id = $1', [id])
    await it.db.pool.query(
      `INSERT INTO tools (id, name, description, parameters_schema, handler_key, category, created_at)
       VALUES ($1, $2, 'For tests.', $3, $1, 'email', '2025-12-10T10:00:00Z')`,
      [
        id,
        name,
        '{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer","default":10,"maximum":50}},"required":["query"]}',
      ],
    )
    await it.db.pool.query(
      `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version, aliases) VALUES ($1, $2, 'builtin', 'read', 'v1', ARRAY[$3])`,
      [id, workspaceId, alias],
    )
  }
}

const emailSearch = {
  name: 'Search Emails',
  description: 'For tests.',
  parameters_schema: expect.stringContaining('"maximum":50'),
  handler_key: 'email.search',
  category: 'email',
  created_at: '2025-12-10T10:00:00.000Z',
}

describe('GET /api/tools', () => {
  test('has every tool of the workspace with the document’s fields and nothing else', async () => {
    const { status, json } = await call('GET', '/api/tools')
    expect([status, fieldsOf(json)]).toEqual([200, ['tools']])
    expect(json.tools.length).toBe(
      await it.db.prisma.tool.count({
        where: {
          OR: [{ detail: null }, { detail: { workspaceId: null } }, { detail: { workspaceId: it.workspaceId } }],
        },
      }),
    )
    for (const tool of json.tools) {
      expect(fieldsOf(tool)).toEqual(toolFields)
      expect(typeof JSON.parse(tool.parameters_schema)).toBe('object')
    }
  })

  test('filters by category', async () => {
    const { json } = await call('GET', '/api/tools?category=email')
    expect(json.tools).toEqual([
      expect.objectContaining({ id: 'email.get', handler_key: 'email.get' }),
      { id: 'email.search', ...emailSearch },
    ])
    expect((await call('GET', '/api/tools?category=nothing')).json).toEqual({ tools: [] })
  })

  test('comes in pages where somebody asks for them, and loses none while tools are added', async () => {
    const all = (await call('GET', '/api/tools')).json.tools.map(({ id }: { id: string }) => id)
    const paged: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const { json } = await call('GET', `/api/tools?limit=7${after && `&after=${encodeURIComponent(after)}`}`)
      paged.push(...json.tools.map(({ id }: { id: string }) => id))
      await addTool(it.db, it.workspaceId, `a.${newId('x')}`)
      after = json.next
    }
    expect(paged).toEqual(all)
  })
})

describe('GET /api/tools/:id', () => {
  test('finds a tool by its id, and by the document’s own name, which the answer then calls it', async () => {
    expect((await call('GET', '/api/tools/email.search')).json).toEqual({ id: 'email.search', ...emailSearch })
    const { status, json } = await call('GET', '/api/tools/email_search')
    expect([status, json]).toEqual([200, { id: 'email_search', ...emailSearch }])
  })

  test('finds ids with dots and colons, also where the colon is encoded', async () => {
    const id = await addTool(it.db, it.workspaceId)
    for (const path of [`/api/tools/${id}`, `/api/tools/${encodeURIComponent(id)}`])
      expect((await call('GET', path)).json).toMatchObject({ id, handler_key: id })
  })

  test('is 404 NOT_FOUND for what there is not', async () => {
    const other = await createTestWorkspace(it.db)
    for (const id of ['none', 'x'.repeat(300), await addTool(it.db, other.workspaceId)]) {
      const { status, json } = await call('GET', `/api/tools/${id}`)
      expect([status, json]).toEqual([404, { error: { code: 'NOT_FOUND', message: 'There is no such tool.' } }])
    }
  })
})

describe('an agent’s tools', () => {
  const path = () => `/api/agents/${agentId}/tools`

  test('are attached with 201, listed, refused a second time with 409, and detached with 204', async () => {
    expect((await call('GET', path())).json).toEqual({ tools: [] })
    const body = { tool_id: 'email_search', config: { default_limit: 20 } }
    const attached = await call('POST', path(), { body })
    expect([attached.status, attached.json]).toEqual([
      201,
      { id: 'email_search', ...emailSearch, config: { default_limit: 20 } },
    ])
    for (const tool_id of ['email_search', 'email.search']) {
      const again = await call('POST', path(), { body: { tool_id } })
      expect([again.status, again.json.error.code]).toEqual([409, 'ALREADY_EXISTS'])
    }
    const plain = await call('POST', path(), { body: { tool_id: 'email.get' } })
    expect([plain.status, plain.json.config]).toEqual([201, null])

    const listed = await call('GET', path())
    expect(listed.json.tools).toEqual([
      expect.objectContaining({ id: 'email.get', config: null }),
      { id: 'email.search', ...emailSearch, config: { default_limit: 20 } },
    ])
    for (const tool of listed.json.tools) expect(fieldsOf(tool)).toEqual([...toolFields, 'config'].sort())

    const detached = await call('DELETE', `${path()}/email_search`)
    expect([detached.status, detached.body, detached.headers['content-type']]).toEqual([204, '', undefined])
    const gone = await call('DELETE', `${path()}/email_search`)
    expect([gone.status, gone.json.error.code]).toEqual([404, 'NOT_FOUND'])
    expect((await call('DELETE', `${path()}/email.get`)).status).toBe(204)
  })

  test('are left as they were by a request that is refused', async () => {
    const other = await createTestWorkspace(it.db)
    const off = await addTool(it.db, it.workspaceId)
    await it.db.pool.query('UPDATE tool_details SET disabled_at = now() WHERE tool_id = $1', [off])
    const before = await it.db.prisma.auditEvent.count({ where: { workspaceId: it.workspaceId } })
    const cases: [string, string, unknown, number, string][] = [
      ['POST', path(), {}, 400, 'VALIDATION_ERROR'],
      ['POST', path(), { tool_id: '' }, 400, 'VALIDATION_ERROR'],
      ['POST', path(), { tool_id: null }, 400, 'VALIDATION_ERROR'],
      ['POST', path(), { tool_id: 'email_search', config: 'text' }, 400, 'VALIDATION_ERROR'],
      ['POST', path(), { tool_id: 'email_search', config: { default_limit: 51 } }, 400, 'VALIDATION_ERROR'],
      ['POST', path(), { tool_id: 'email_search', config: { default_colour: 'red' } }, 400, 'VALIDATION_ERROR'],
      ['POST', path(), { tool_id: off }, 400, 'VALIDATION_ERROR'],
      ['POST', path(), { tool_id: 'none' }, 404, 'NOT_FOUND'],
      ['POST', path(), { tool_id: 'a\u0000b' }, 404, 'NOT_FOUND'],
      ['POST', '/api/agents/none/tools', { tool_id: 'email_search' }, 404, 'NOT_FOUND'],
      ['POST', `/api/agents/${other.agentId}/tools`, { tool_id: 'email_search' }, 404, 'NOT_FOUND'],
      ['GET', `/api/agents/${other.agentId}/tools`, undefined, 404, 'NOT_FOUND'],
      ['GET', '/api/agents/none/tools', undefined, 404, 'NOT_FOUND'],
      ['DELETE', `/api/agents/${other.agentId}/tools/email_search`, undefined, 404, 'NOT_FOUND'],
      ['DELETE', `${path()}/none`, undefined, 404, 'NOT_FOUND'],
    ]
    for (const [method, address, body, status, code] of cases) {
      const answer = await call(method, address, body === undefined ? {} : { body })
      expect([address, body, answer.status, answer.json.error.code]).toEqual([address, body, status, code])
    }
    expect((await call('GET', path())).json).toEqual({ tools: [] })
    expect(await it.db.prisma.auditEvent.count({ where: { workspaceId: it.workspaceId } })).toBe(before)
  })

  test('are attached once, however many ask at the same moment', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('POST', path(), { body: { tool_id: 'email_get' } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)])
  })
})

test('X-Workspace-Id that is not the key’s own workspace is 404 on all five', async () => {
  const other = await createTestWorkspace(it.db)
  for (const [method, path, body] of [
    ['GET', '/api/tools'],
    ['GET', '/api/tools/email_search'],
    ['GET', `/api/agents/${agentId}/tools`],
    ['POST', `/api/agents/${agentId}/tools`, { tool_id: 'email_search' }],
    ['DELETE', `/api/agents/${agentId}/tools/email_search`],
  ] as const) {
    for (const wrong of [other.workspaceId, 'ws_abc123', '']) {
      const answer = await call(method, path, { headers: { 'x-workspace-id': wrong }, ...(body ? { body } : {}) })
      expect([method, path, wrong, answer.status]).toEqual([method, path, wrong, 404])
    }
    const { headers: _, ...without } = { headers: {}, ...(body ? { body } : {}) }
    expect((await rest.call(method, path, without)).status).not.toBe(400)
  }
})
