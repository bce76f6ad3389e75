// How each provider of searches is asked, and what its answer says. Nothing here touches the network.
import type { OutboundRequest } from '../../guard/outbound-request.ts'

export type SearchProviderName = 'brave' | 'tavily' | 'searxng'

export interface SearchResult {
  title: string
  url: string
  snippet: string
}

export interface SearchProvider {
  endpoint: string | null
  needsKey: boolean
  ask(
    endpoint: string,
    query: string,
    limit: number,
    key: string,
  ): Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>
  /** What it says beyond this is not looked at. */
  read(answer: unknown): SearchResult[]
}

export const searchProviders: Readonly<Record<SearchProviderName, SearchProvider>> = {
  brave: {
    endpoint: 'https://api.search.brave.com/res/v1/web/search',
    needsKey: true,
    ask: (endpoint, query, limit, key) => ({
      url: withQuery(endpoint, { q: query, count: String(limit) }),
      method: 'GET',
      headers: { accept: 'application/json', 'x-subscription-token': key },
    }),
    read: (answer) => listIn(fieldOf(fieldOf(answer, 'web'), 'results'), 'description'),
  },
  tavily: {
    endpoint: 'https://api.tavily.com/search',
    needsKey: true,
    ask: (endpoint, query, limit, key) => ({
      url: endpoint,
      method: 'POST',
      headers: { accept: 'application/json', authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, max_results: limit }),
    }),
    read: (answer) => listIn(fieldOf(answer, 'results'), 'content'),
  },
  searxng: {
    endpoint: null,
    needsKey: false,
    ask: (endpoint, query, _limit, key) => ({
      url: withQuery(endpoint, { q: query, format: 'json' }),
      method: 'GET',
      headers: { accept: 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) },
    }),
    read: (answer) => listIn(fieldOf(answer, 'results'), 'content'),
  },
}

function withQuery(endpoint: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(endpoint)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

function listIn(list: unknown, snippet: string): SearchResult[] {
  if (!Array.isArray(list)) throw new Error('there is no list of results')
  return list.flatMap((entry) => {
    const url = fieldOf(entry, 'url')
    if (typeof url !== 'string' || !/^https?:/i.test(url)) return []
    return [{ title: textOf(fieldOf(entry, 'title')) || url, url, snippet: textOf(fieldOf(entry, snippet)) }]
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
