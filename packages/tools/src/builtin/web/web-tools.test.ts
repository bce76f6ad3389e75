import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyAlias } from '../../aliases.ts'
import type { AnyTool, ToolContext, ToolResult } from '../../contract.ts'
import { type Sentinel, type Site, startSentinel, startSite } from '../../guard/outbound/sentinel.ts'
import { createOutbound } from '../../guard/outbound.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { compileSchema } from '../../validate.ts'
import { createWebTools } from './index.ts'

const page = '<title>Greetings</title><h1>Hello</h1><p>See <a href="/next">next</a>.</p>'
const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = []
let site: Site
let sentinel: Sentinel

const answers: Record<string, [type: string, body: string | Buffer, status?: number]> = {
  '/': ['text/html; charset=utf-8', page],
  '/latin1': ['text/html; charset=iso-8859-1', Buffer.from('<p>café</p>', 'latin1')],
  '/meta': ['text/html', Buffer.from('<meta charset="windows-1252"><p>caf\xe9</p>', 'latin1')],
  '/json': ['application/json', '{"a":[1,2],"b":{"c":"d"}}'],
  '/deep': ['application/json', '['.repeat(5_000) + ']'.repeat(5_000)],
  '/image': ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0])],
  '/bytes': ['application/octet-stream', Buffer.from([1, 2, 0, 255, 254])],
  '/plain': ['text/plain', 'just text'],
  '/empty': ['text/html', '<body><script>app()</script></body>'],
  '/missing': ['text/html', '<p>Nothing here</p>', 404],
  '/long': ['text/plain', 'x'.repeat(200_000)],
  '/refused': ['application/json', '{"error":"no such field"}', 422],
}

beforeAll(async () => {
  sentinel = await startSentinel()
  site = await startSite((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      if (request.url === '/hang') return
      if (request.url === '/to-sentinel')
        return response.writeHead(302, { location: `http://127.0.0.1:${sentinel.port}/` }).end()
      const [type, content, status] = answers[request.url ?? ''] ?? ['text/plain', 'ok']
      response.writeHead(status ?? 200, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(content))
    })
  })
})
afterAll(async () => {
  await Promise.all([site.close(), sentinel.close()])
})
beforeEach(() => {
  seen.length = 0
})

// The tests' own site is allowed by its name, not the machine: the sentinel on another port stays out of reach.
const [webFetch, httpRequest, webSearch] = createWebTools({
  outbound: {
    request: (request) => createOutbound({ allowPrivate: [`127.0.0.1:${site.port}`] }).request(request),
  },
}) as [AnyTool, AnyTool, AnyTool]

async function call(tool: AnyTool, args: object, context: Partial<ToolContext> = {}): Promise<ToolResult> {
  const valid = compileSchema(tool.inputSchema).validate(args)
  if (!valid.ok) throw new Error(JSON.stringify(valid.violations))
  return (await tool.execute(valid.value, sampleContext(context))) as ToolResult
}

// Arguments of the contract are fixed before the site has its port; nobody listens on this one, which is a result too.
describeToolContract(webFetch, {
  validArguments: { url: 'http://127.0.0.1:9/', method: 'GET', headers: { a: 'b' }, timeout: 500 },
})
describeToolContract(httpRequest, {
  validArguments: { url: 'http://127.0.0.1:9/', method: 'POST', body: '{}', timeout_ms: 500 },
})
describeToolContract(webSearch, { validArguments: { query: 'weather', limit: 3 } })

describe('web.fetch', () => {
  test('returns a page as short text, with its title', async () => {
    const result = await call(webFetch, { url: `${site.origin}/` })
    expect(result).toMatchObject({ success: true, data: { status: 200, title: 'Greetings' } })
    expect(result.output).toBe(`# Greetings\n\n# Hello\n\nSee [next](${site.origin}/next).`)
  })

  test.each([
    ['/latin1', 'café'],
    ['/meta', 'café'],
    ['/plain', 'just text'],
    ['/json', '"c": "d"'],
    ['/empty', 'browser.navigate'],
  ])('%s reads %s', async (path, text) => {
    expect((await call(webFetch, { url: `${site.origin}${path}` })).output).toContain(text)
  })

  test.each(['/image', '/bytes'])('%s is refused with what would help', async (path) => {
    const result = await call(webFetch, { url: `${site.origin}${path}` })
    expect(result).toMatchObject({ success: false })
    expect(result.error).toMatch(/not text.*browser\.screenshot/)
  })

  test('a long page is read in parts', async () => {
    const first = await call(webFetch, { url: `${site.origin}/long` })
    expect(first.output).toContain('(170000 more characters: call again with offset 30000.)')
    const last = await call(webFetch, { url: `${site.origin}/long`, offset: 199_990, limit: 100 })
    expect(last.output).toBe('x'.repeat(10))
    expect((await call(webFetch, { url: `${site.origin}/long`, offset: 300_000 })).output).toContain('only 200000')
  })

  test('a status that is an error is one, with what the page says', async () => {
    const result = await call(webFetch, { url: `${site.origin}/missing` })
    expect(result).toMatchObject({ success: false, output: 'Nothing here' })
    expect(result.error).toContain('404')
  })

  test("takes every argument of Flynn's document", async () => {
    const args = { url: `${site.origin}/x`, method: 'PUT', headers: { 'X-A': 'b' }, body: 'hello', timeout: 5000 }
    expect(await call(webFetch, args)).toMatchObject({ success: true })
    expect(seen).toMatchObject([{ method: 'PUT', body: 'hello', headers: { 'x-a': 'b' } }])
  })

  test('reading is reading, and everything else sends', () => {
    expect(webFetch.effectOf?.({ url: 'x', method: 'GET' } as never)).toBe('read')
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect(webFetch.effectOf?.({ url: 'x', method } as never)).toBe('send')
    expect(webFetch.hook).toBeUndefined()
  })

  test('ends within its limit where nobody answers', async () => {
    const result = await call(webFetch, { url: `${site.origin}/hang`, timeout: 100 })
    expect(result.error).toMatch(/100 ms/)
  })

  test('reaches nothing of this machine, by a redirect either, and only allowed hosts', async () => {
    for (const url of [
      `http://127.0.0.1:${sentinel.port}/`,
      `http://localhost:${sentinel.port}/`,
      `${site.origin}/to-sentinel`,
    ])
      expect(await call(webFetch, { url })).toMatchObject({ success: false })
    expect(sentinel.connections).toBe(0)
    const config = { allowed_hosts: ['example.com'] }
    expect((await call(webFetch, { url: `${site.origin}/` }, { config })).error).toMatch(/not one of the hosts/)
    expect(
      await call(webFetch, { url: `${site.origin}/` }, { config: { allowed_hosts: ['127.0.0.1'] } }),
    ).toMatchObject({ success: true })
  })

  test('names the page as the source of taint', async () => {
    const sources: string[] = []
    await call(webFetch, { url: `${site.origin}/plain` }, { taint: (source) => void sources.push(source) })
    expect(sources).toEqual([`${site.origin}/plain`])
    expect(webFetch.untrusted).toBe(true)
  })
})

describe('http.request', () => {
  test.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'])('makes a %s', async (method) => {
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: '{"a":1}' } : {}
    const result = await call(httpRequest, { url: `${site.origin}/json`, method, ...body })
    expect(result).toMatchObject({ success: true, data: { status: 200 } })
    expect(seen).toMatchObject([{ method, body: body.body ?? '' }])
    if (body.body) expect(seen[0]?.headers['content-type']).toBe('application/json')
    expect(httpRequest.effectOf?.({ url: 'x', method } as never)).toBe(
      method === 'GET' || method === 'HEAD' ? 'read' : 'send',
    )
  })

  test('returns status, headers and indented JSON', async () => {
    const { output } = await call(httpRequest, { url: `${site.origin}/json` })
    expect(output).toMatch(/^GET .*\nStatus: 200\n[\s\S]*content-type: application\/json/)
    expect(output).toContain('{\n  "a": [\n    1,\n    2\n  ],')
  })

  test('is cut at 100 KB with a hint, or where it is configured', async () => {
    const result = await call(httpRequest, { url: `${site.origin}/long` })
    expect(result.output).toMatch(/\(Cut at 102400 bytes\. Ask for less/)
    expect(result).toMatchObject({ success: true, data: { truncated: true } })
    const config = { http_response_limit: 1_000 }
    expect((await call(httpRequest, { url: `${site.origin}/long` }, { config })).output.length).toBeLessThan(1_500)
  })

  test('JSON that is deep does not grow', async () => {
    const { output } = await call(httpRequest, { url: `${site.origin}/deep` })
    expect(output.length).toBeLessThan(12_000)
  })

  test('an error of the API comes with what it says', async () => {
    const result = await call(httpRequest, { url: `${site.origin}/refused`, method: 'POST', body: '{}' })
    expect(result).toMatchObject({ success: false })
    expect(result.output).toContain('no such field')
  })

  test.each(['/image', '/bytes'])('%s is counted, not shown', async (path) => {
    expect((await call(httpRequest, { url: `${site.origin}${path}` })).output).toMatch(/bytes of .*not shown/)
  })

  test('the network policy is obeyed: all, a list, none', async () => {
    const url = `${site.origin}/plain`
    const reaches = async (config: object) => (await call(httpRequest, { url }, { config: config as never })).success
    expect(await reaches({})).toBe(true)
    expect(await reaches({ network_policy: 'allow-all' })).toBe(true)
    expect(await reaches({ network_policy: 'allow-all', allowed_hosts: ['example.com'] })).toBe(false)
    expect(await reaches({ network_policy: 'allow-list', allowed_hosts: ['127.0.0.1'] })).toBe(true)
    expect(await reaches({ network_policy: 'allow-list', allowed_hosts: ['example.com'] })).toBe(false)
    expect(await reaches({ network_policy: 'allow-list' })).toBe(false)
    seen.length = 0
    expect(await reaches({ network_policy: 'deny-all', allowed_hosts: ['127.0.0.1'] })).toBe(false)
    expect(seen).toEqual([])
    expect(compileSchema(httpRequest.configSchema!).validate({ network_policy: 'sometimes' }).ok).toBe(false)
  })

  test('a body without a method for it, and a header that is not the caller’s, are refused in words', async () => {
    expect((await call(httpRequest, { url: site.origin, body: 'x' })).error).toMatch(/no body/)
    expect((await call(httpRequest, { url: site.origin, headers: { Host: 'evil' } })).error).toMatch(/Host/)
    expect(seen).toEqual([])
  })

  test("nodyn's http_request is this tool", async () => {
    const alias = httpRequest.aliases?.find(({ name }) => name === 'http_request')
    const mapped = applyAlias(alias!, { url: `${site.origin}/x`, method: 'PATCH', headers: { A: 'b' }, body: '[]' })
    if (!mapped.ok) throw new Error(mapped.error)
    expect(await call(httpRequest, mapped.arguments as object)).toMatchObject({ success: true })
    expect(seen).toMatchObject([{ method: 'PATCH', body: '[]' }])
  })

  test('the card shows where it goes and all that leaves', () => {
    const summary = httpRequest.summarize?.({
      url: 'https://api.example.com/x?key=1',
      method: 'POST',
      headers: { A: 'b' },
      body: '{"a":1}',
    } as never)
    expect(summary).toEqual({
      title: 'POST 7 bytes to api.example.com',
      facts: [
        { label: 'Address', value: 'https://api.example.com/x?key=1' },
        { label: 'Header A', value: 'b' },
        { label: 'Body', value: '{"a":1}' },
      ],
      recipients: ['api.example.com'],
    })
  })
})
