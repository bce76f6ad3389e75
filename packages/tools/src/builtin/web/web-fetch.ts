import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { Outbound } from '../../guard/outbound-request.ts'
import { allowedHostsOf, allowedHostsSchema, callOutbound, isReading, shownUrl, webCommon } from './call-outbound.ts'
import { decodeText } from './decode-text.ts'
import { htmlToText } from './html-to-text.ts'
import { prettyJson } from './pretty-json.ts'
import { summarizeRequest } from './summarize-request.ts'

/** Bytes of a page that are read; text, links and all are seldom a tenth of it. */
const pageBytes = 4 * 1024 * 1024
const mostCharacters = 90_000

export function createWebFetchTool(outbound: Outbound) {
  return defineTool({
    ...webCommon,
    name: 'web.fetch',
    title: 'Read a web page',
    description:
      'Fetches an address and returns what it says as text: HTML as Markdown, JSON indented, other text as it is. For APIs with their status and headers, use http.request; for pages that need JavaScript, browser.navigate.',
    effect: 'send',
    effectOf: ({ method, body }) => (isReading(method) && body === undefined ? 'read' : 'send'),
    aliases: aliasesOf('web.fetch'),
    timeoutMs: 65_000,
    maxOutputBytes: 400 * 1024,
    configSchema: { type: 'object', properties: { allowed_hosts: allowedHostsSchema }, additionalProperties: false },
    inputSchema: {
      type: 'object',
      properties: {
        url: { type: 'string', minLength: 1, description: 'The address: https://example.com/page' },
        method: {
          type: 'string',
          enum: ['GET', 'POST', 'PUT', 'DELETE'],
          default: 'GET',
          description: 'HTTP method (default GET)',
        },
        headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'HTTP headers' },
        body: { type: 'string', description: 'Request body; not with GET' },
        timeout: {
          type: 'number',
          minimum: 1,
          maximum: 60_000,
          default: 10_000,
          description: 'Timeout in milliseconds (default 10000)',
        },
        offset: {
          type: 'integer',
          minimum: 0,
          default: 0,
          description: 'Characters of the text to skip, to read on in a long page (default 0)',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: mostCharacters,
          default: 30_000,
          description: 'Characters to return (default 30000)',
        },
      },
      required: ['url'],
      additionalProperties: false,
    },
    summarize: (args) => summarizeRequest(args),
    execute: async ({ url, method, headers, body, timeout, offset, limit }, context) => {
      if (isReading(method) && body !== undefined)
        return failed('A GET has no body. Use POST, or put it in the address.')
      context.progress(`Fetching ${shownUrl(url)}`)
      const allowedHosts = allowedHostsOf(context)
      const got = await callOutbound(outbound, {
        url,
        method,
        headers: {
          accept: 'text/html, application/xhtml+xml, text/markdown, text/*;q=0.9, */*;q=0.5',
          ...lowerKeys(headers),
        },
        ...(body === undefined ? {} : { body }),
        ...(allowedHosts === undefined ? {} : { allowedHosts }),
        maxBytes: pageBytes,
        timeoutMs: timeout,
        signal: context.signal,
      })
      if (!got.ok) return failed(got.problem)
      const { answer } = got
      context.taint(answer.url)
      const decoded = decodeText(answer.body, answer.headers.get('content-type'))
      if ('binary' in decoded)
        return failed(
          `${shownUrl(answer.url)} is ${decoded.binary.slice(0, 100)}, not text (${answer.truncated ? 'more than ' : ''}${answer.body.byteLength} bytes). A picture can be looked at with browser.navigate and browser.screenshot.`,
        )
      const page = decoded.type.includes('html')
        ? htmlToText(decoded.text, answer.url)
        : { title: '', text: decoded.type.endsWith('json') ? prettyJson(decoded.text) : decoded.text }
      const part = page.text.slice(offset, offset + limit).toWellFormed()
      const left = page.text.length - offset - part.length
      const notes = [
        page.text.trim() === '' ? '(The page has no text. If it needs JavaScript, use browser.navigate.)' : '',
        page.text !== '' && part === '' ? `(The text has only ${page.text.length} characters.)` : '',
        left > 0 ? `(${left} more characters: call again with offset ${offset + part.length}.)` : '',
        answer.truncated ? `(The page is longer than ${pageBytes} bytes; the rest was not read.)` : '',
      ].filter((note) => note !== '')
      const head = [page.title && `# ${page.title}`, answer.url !== URL.parse(url)?.href && `(from ${answer.url})`]
      const output = [...head.filter(Boolean), part, ...notes].join('\n\n')
      const data = { url: answer.url, status: answer.status, title: page.title, characters: page.text.length }
      if (answer.status >= 400)
        return failed(`${shownUrl(answer.url)} answered with status ${answer.status}.`, { output, data })
      return succeeded(output, { data })
    },
  })
}

const lowerKeys = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
