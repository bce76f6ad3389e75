import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolContext, ToolResult } from '../../contract.ts'
import { type Site, startSite } from '../../guard/outbound/sentinel.ts'
import { createOutbound } from '../../guard/outbound.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { createWebTools } from './index.ts'
import { createWebSearchTool, type SearchSettings } from './web-search.ts'

const results = [
  {
    title: 'A <strong>cat</strong>',
    url: 'https://cats.example/a',
    description: 'About <b>cats</b> &amp; more',
    content: 'About cats',
  },
  { title: 'Dog', url: 'https://dogs.example/', description: 'About dogs', content: 'About dogs' },
  { title: 'Bad', url: 'javascript:alert(1)', description: 'x', content: 'x' },
  { title: 'No address', description: 'x' },
]
let site: Site
let asked: { method: string; url: string; headers: Record<string, unknown>; body: string }
let answer: { status: number; body: string }
beforeAll(async () => {
  site = await startSite((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      asked = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      response.writeHead(answer.status).end(answer.body)
    })
  })
})
afterAll(() => site.close())

async function search(
  settings: SearchSettings | null,
  args: object = {},
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  answer ??= { status: 200, body: '{}' }
  return createWebSearchTool(settings).execute(
    { query: 'cats & dogs', limit: 10, ...args },
    sampleContext(context),
  ) as Promise<ToolResult>
}
const settingsOf = (provider: SearchSettings['provider'], more: Partial<SearchSettings> = {}): SearchSettings => ({
  provider,
  endpoint: `${site.origin}/search`,
  apiKey: 'key-1',
  ...more,
})
const given = (status: number, body: unknown) => {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

describe('each provider is asked its own way', () => {
  test('Brave', async () => {
    given(200, { web: { results } })
    const result = await search(settingsOf('brave'), { limit: 3 })
    expect(asked).toMatchObject({
      method: 'GET',
      url: '/search?q=cats+%26+dogs&count=3',
      headers: { 'x-subscription-token': 'key-1' },
    })
    expect(result.output).toBe(
      '1. A cat\n   https://cats.example/a\n   About cats & more\n\n2. Dog\n   https://dogs.example/\n   About dogs',
    )
    expect(result.data).toMatchObject({
      results: [{ url: 'https://cats.example/a' }, { url: 'https://dogs.example/' }],
    })
  })

  test('Tavily', async () => {
    given(200, { results })
    expect(await search(settingsOf('tavily'))).toMatchObject({ success: true })
    expect(asked).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer key-1' } })
    expect(JSON.parse(asked.body)).toEqual({ query: 'cats & dogs', max_results: 10 })
  })

  test("SearXNG, at Lynkr's WEB_SEARCH_ENDPOINT, without a key", async () => {
    given(200, { results })
    expect((await search({ provider: 'searxng', endpoint: `${site.origin}/search` })).output).toContain(
      'https://dogs.example/',
    )
    expect(asked).toMatchObject({ method: 'GET', url: '/search?q=cats+%26+dogs&format=json' })
    expect(asked.headers.authorization).toBeUndefined()
  })

  test('a key may come from a secret scope', async () => {
    given(200, { web: { results } })
    const settings = settingsOf('brave', { apiKey: undefined, secretScope: 'brave' })
    expect(createWebSearchTool(settings).requiredSecretScopes).toEqual(['brave'])
    await search(settings, {}, { secrets: new Map([['BRAVE_API_KEY', 'key-2']]) })
    expect(asked.headers['x-subscription-token']).toBe('key-2')
  })
})

test('no more than were asked for', async () => {
  given(200, { results })
  expect((await search(settingsOf('searxng'), { limit: 1 })).output).not.toContain('dogs.example')
})

test('results of hosts that may not be reached are left out, and counted', async () => {
  given(200, { results })
  const { output } = await search(settingsOf('searxng'), {}, { config: { allowed_hosts: ['cats.example'] } })
  expect(output).toContain('cats.example')
  expect(output).not.toContain('dogs.example')
  expect(output).toContain('(1 results from hosts')
  const { output: none } = await search(settingsOf('searxng'), {}, { config: { allowed_hosts: [] } })
  expect(none).toMatch(/Nothing was found/)
})

test('without a provider it says so, and what to do', async () => {
  const result = await search(null)
  expect(result).toMatchObject({ success: false })
  expect(result.error).toMatch(/WEB_SEARCH_ENDPOINT.*web\.fetch/)
})

test.each([
  [401, '{}', /check its key/],
  [403, '{}', /json is among its search formats/],
  [429, '{}', /Wait a minute/],
  [500, 'oops', /status 500/],
  [200, '<html>not json', /not a list of results/],
  [200, '[]', /not a list of results/],
  [200, 'null', /not a list of results/],
  [200, '{"results":{"length":3}}', /not a list of results/],
])('an answer of %i %s is a failure in words', async (status, body, error) => {
  given(status, body)
  expect((await search(settingsOf('searxng'))).error).toMatch(error)
})

test.each([
  [{ provider: 'searxng' }, /address of its endpoint/],
  [{ provider: 'brave' }, /needs a key/],
  [{ provider: 'searxng', endpoint: 'file:///etc' }, /http/],
] as [SearchSettings, RegExp][])('settings that cannot work stop the start: %j', (settings, error) => {
  expect(() => createWebSearchTool(settings)).toThrow(error)
})

test('an endpoint in the own network is for the search alone: the other tools do not reach it', async () => {
  given(200, { results })
  const [webFetch, , webSearch] = createWebTools({ outbound: createOutbound(), search: settingsOf('searxng') })
  expect(await webSearch?.execute({ query: 'x', limit: 1 } as never, sampleContext())).toMatchObject({ success: true })
  const read = { url: `${site.origin}/search`, method: 'GET', timeout: 1_000, offset: 0, limit: 100 }
  expect(await webFetch?.execute(read as never, sampleContext())).toMatchObject({ success: false })
})
