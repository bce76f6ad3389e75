import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded, type ToolContext } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { Outbound } from '../../guard/outbound-request.ts'
import {
  allowedHostsOf,
  allowedHostsSchema,
  callOutbound,
  hostIn,
  isReading,
  shownUrl,
  webCommon,
} from './call-outbound.ts'
import { decodeText } from './decode-text.ts'
import { prettyJson } from './pretty-json.ts'
import { summarizeRequest } from './summarize-request.ts'

const defaultBytes = 100 * 1024
const mostBytes = 512 * 1024
/** Characters of all headers of the answer together; the rest is left out. */
const headerCharacters = 8_000

export function createHttpRequestTool(outbound: Outbound) {
  return defineTool({
    ...webCommon,
    name: 'http.request',
    title: 'Make an HTTP request',
    description:
      'Makes an HTTP request and returns status, headers and body; JSON is indented. For reading a page, web.fetch is shorter.',
    effect: 'send',
    // By its effect a GET or HEAD is silent and every other call asks, so there is no hook of its own.
    effectOf: ({ method, body }) => (isReading(method) && body === undefined ? 'read' : 'send'),
    aliases: aliasesOf('http.request'),
    eagerInputStreaming: true,
    timeoutMs: 125_000,
    maxOutputBytes: 4 * mostBytes,
    rateLimit: { calls: 120, perMs: 60_000 },
    configSchema: {
      type: 'object',
      properties: {
        network_policy: {
          enum: ['allow-all', 'allow-list', 'deny-all'],
          description:
            'Which hosts may be reached: every public one, those of allowed_hosts, or none (default allow-all)',
        },
        allowed_hosts: allowedHostsSchema,
        http_response_limit: {
          type: 'integer',
          minimum: 1,
          maximum: mostBytes,
          description: `Bytes of a body that are returned (default ${defaultBytes})`,
        },
      },
      additionalProperties: false,
    },
    inputSchema: {
      type: 'object',
      properties: {
        url: { type: 'string', minLength: 1, description: 'The address: https://api.example.com/items' },
        method: {
          type: 'string',
          enum: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'],
          default: 'GET',
          description: 'HTTP method (default GET)',
        },
        headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'HTTP headers' },
        body: { type: 'string', description: 'Request body; JSON as text. Not with GET and HEAD' },
        timeout_ms: {
          type: 'integer',
          minimum: 1,
          maximum: 120_000,
          default: 30_000,
          description: 'Milliseconds for the whole request (default 30000)',
        },
      },
      required: ['url'],
      additionalProperties: false,
    },
    summarize: (args) => summarizeRequest(args),
    leaseOf: ({ method, url }) => {
      const { origin } = new URL(url)
      return { key: `${method} ${origin}`, words: `${method} requests to ${origin}` }
    },
    execute: async ({ url, method, headers, body, timeout_ms }, context) => {
      if (isReading(method) && body !== undefined)
        return failed(`A ${method} has no body. Use POST, or put it in the address.`)
      const policy = networkPolicyOf(context)
      if (policy.denied)
        return failed('The network policy of this workspace is deny-all: no HTTP requests are made. Go on without.')
      context.progress(`${method} ${shownUrl(url)}`)
      const limit =
        typeof context.config.http_response_limit === 'number' ? context.config.http_response_limit : defaultBytes
      const got = await callOutbound(outbound, {
        url,
        method,
        headers: withContentType(headers ?? {}, body),
        ...(body === undefined ? {} : { body }),
        ...(policy.allowedHosts === undefined ? {} : { allowedHosts: policy.allowedHosts }),
        maxBytes: limit,
        timeoutMs: timeout_ms,
        signal: context.signal,
      })
      if (!got.ok) return failed(got.problem)
      const { answer } = got
      context.taint(answer.url)
      const shown = showBody(answer.body, answer.headers.get('content-type'), limit)
      const cut =
        answer.truncated || shown.cut
          ? `\n\n(Cut at ${limit} bytes. Ask for less: fewer fields, a narrower query, a page at a time.)`
          : ''
      const head = `${method} ${shownUrl(answer.url)}\nStatus: ${answer.status}\n${showHeaders(answer.headers)}`
      const output = `${head}\n\n${shown.text}${cut}`
      const data = {
        url: answer.url,
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: shown.text,
        truncated: cut !== '',
      }
      if (answer.status >= 400)
        return failed(`${hostIn(answer.url)} answered with status ${answer.status}.`, { output, data })
      return succeeded(output, { data })
    },
  })
}

/** A list that the installation fixed holds under every policy: a policy narrows, and never widens. */
function networkPolicyOf(context: ToolContext): { denied: boolean; allowedHosts?: readonly string[] } {
  const policy = context.config.network_policy ?? 'allow-all'
  const allowedHosts = allowedHostsOf(context) ?? (policy === 'allow-list' ? [] : undefined)
  return { denied: policy === 'deny-all', ...(allowedHosts === undefined ? {} : { allowedHosts }) }
}

/** Models forget it, and many an API then takes JSON for a form. */
function withContentType(headers: Readonly<Record<string, string>>, body: string | undefined): Record<string, string> {
  const given = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  if (given || body === undefined || !/^\s*[[{]/.test(body)) return { ...headers }
  return { ...headers, 'content-type': 'application/json' }
}

function showBody(bytes: Uint8Array, contentType: string | undefined, limit: number): { text: string; cut: boolean } {
  if (bytes.byteLength === 0) return { text: '(no body)', cut: false }
  const decoded = decodeText(bytes, contentType)
  if ('binary' in decoded)
    return { text: `(${bytes.byteLength} bytes of ${decoded.binary.slice(0, 100)}, not shown)`, cut: false }
  const text = /json$/.test(decoded.type) ? prettyJson(decoded.text) : decoded.text
  // Indented, it may be longer than what was read.
  return text.length <= limit ? { text, cut: false } : { text: text.slice(0, limit).toWellFormed(), cut: true }
}

function showHeaders(headers: ReadonlyMap<string, string>): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  return lines.length <= headerCharacters
    ? lines
    : `${lines.slice(0, headerCharacters).toWellFormed()}… (more headers left out)`
}
