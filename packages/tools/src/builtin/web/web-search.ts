import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded, type ToolContext } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { parseHostList } from '../../guard/outbound/host-list.ts'
import { parseDestination } from '../../guard/outbound/parse-destination.ts'
import { createOutbound } from '../../guard/outbound.ts'
import type { Outbound } from '../../guard/outbound-request.ts'
import { allowedHostsOf, allowedHostsSchema, callOutbound, webCommon } from './call-outbound.ts'
import { htmlToText } from './html-to-text.ts'
import { type SearchProviderName, type SearchResult, searchProviders } from './search-providers.ts'

export interface SearchSettings {
  provider: SearchProviderName
  /** Another address than the provider's own; SearXNG has none of its own: http://localhost:8888/search */
  endpoint?: string | undefined
  apiKey?: string | undefined
  /** The scope that holds the key, where it is not given here. */
  secretScope?: string | undefined
}

const answerBytes = 2 * 1024 * 1024
const searchMs = 20_000
const snippetCharacters = 500

const notSetUp =
  'No search provider is set up, so the web cannot be searched. An owner can set one up: SearXNG by its address (WEB_SEARCH_ENDPOINT), Brave or Tavily by a key, or a key of Anthropic, whose models search by themselves where every search may run unasked. A known address can be read with web.fetch.'

export function createWebSearchTool(settings: SearchSettings | null) {
  const source = settings === null ? null : createSource(settings)
  return defineTool({
    ...webCommon,
    name: 'web.search',
    title: 'Search the web',
    description: 'Searches the web and returns titles, addresses and excerpts. Read a result with web.fetch.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    aliases: aliasesOf('web.search'),
    timeoutMs: searchMs + 5_000,
    rateLimit: { calls: 60, perMs: 60_000 },
    ...(settings?.secretScope === undefined ? {} : { requiredSecretScopes: [settings.secretScope] }),
    configSchema: { type: 'object', properties: { allowed_hosts: allowedHostsSchema }, additionalProperties: false },
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1_000, description: 'What to search for' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 20,
          default: 10,
          description: 'Number of results to return (default 10)',
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    execute: async ({ query, limit }, context) => {
      if (source === null) return failed(notSetUp)
      context.progress(`Searching for ${query.slice(0, 100)}`)
      const found = await source(query, limit, context)
      if (!found.ok) return failed(found.problem)
      const hosts = allowedHostsOf(context)
      const allowed = hosts === undefined ? found.results : found.results.filter(({ url }) => isOnList(url, hosts))
      const results = allowed.slice(0, limit)
      const left = found.results.length - allowed.length
      const note = left === 0 ? '' : `\n\n(${left} results from hosts that may not be reached here were left out.)`
      if (results.length === 0)
        return succeeded(`Nothing was found. Try other or fewer words.${note}`, { data: { results } })
      return succeeded(`${results.map(show).join('\n\n')}${note}`, { data: { results } })
    },
  })
}

type Found = { ok: true; results: SearchResult[] } | { ok: false; problem: string }

/** Throws for settings that cannot work, when the app is composed. */
function createSource({ provider: name, endpoint: given, apiKey, secretScope }: SearchSettings) {
  const provider = searchProviders[name]
  const endpoint = given ?? provider.endpoint
  if (endpoint === null) throw new Error(`The search provider ${name} needs the address of its endpoint`)
  const { host, port } = parseDestination(endpoint)
  if (provider.needsKey && !apiKey && secretScope === undefined)
    throw new Error(`The search provider ${name} needs a key`)
  // The endpoint may be in the owner's own network, and only for the search: pages are read by the tools' own way out.
  const outbound: Outbound = createOutbound({
    allowPrivate: given === undefined ? [] : [`${host.includes(':') ? `[${host}]` : host}:${port}`],
  })
  return async (query: string, limit: number, { signal, secrets }: ToolContext): Promise<Found> => {
    const key = apiKey ?? [...secrets.values()][0] ?? ''
    const request = provider.ask(endpoint, query, limit, key)
    const got = await callOutbound(outbound, { ...request, maxBytes: answerBytes, timeoutMs: searchMs, signal })
    if (!got.ok) return { ok: false, problem: `The search failed. ${got.problem}` }
    const { status, body } = got.answer
    if (status === 401 || status === 403)
      return {
        ok: false,
        problem: `${name} refused the search (status ${status}). An owner should check its key${name === 'searxng' ? ', and that json is among its search formats' : ''}.`,
      }
    if (status === 429)
      return { ok: false, problem: `${name} wants fewer searches for now (status 429). Wait a minute.` }
    if (status >= 400) return { ok: false, problem: `${name} could not search (status ${status}). Try again later.` }
    try {
      return { ok: true, results: provider.read(JSON.parse(Buffer.from(body).toString('utf8'))) }
    } catch {
      return {
        ok: false,
        problem: `What ${name} answered is not a list of results. An owner should check the search endpoint.`,
      }
    }
  }
}

function isOnList(url: string, hosts: readonly string[]): boolean {
  try {
    const { host, port } = parseDestination(url)
    return parseHostList(hosts).has(host, port)
  } catch {
    return false // An address that could not be read could not be fetched either.
  }
}

/** Excerpts come with the words in bold. */
const show = ({ title, url, snippet }: SearchResult, index: number): string =>
  [
    `${index + 1}. ${plain(title)}`,
    `   ${url}`,
    snippet && `   ${plain(snippet).slice(0, snippetCharacters).toWellFormed()}`,
  ]
    .filter(Boolean)
    .join('\n')

const plain = (html: string): string => htmlToText(html.slice(0, 5_000), 'about:blank').text.replace(/\s+/g, ' ')
