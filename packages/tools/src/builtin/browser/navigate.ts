import type { Frame, Page } from 'playwright-core'
import type { BrowserManager } from '../../browser/browser-manager.ts'
import type { ConversationPage } from '../../browser/conversation-page.ts'
import { failed, succeeded, type ToolResult } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { parseDestination } from '../../guard/outbound/parse-destination.ts'
import { allowedHostsOf, allowedHostsSchema, hostIn, shownUrl } from '../web/call-outbound.ts'
import { browserCommon, firstLine, inBrowser } from './on-page.ts'
import { readPage } from './read-page.ts'

/** What follows the first paint is waited for, so long. */
const settleMs = 1_500
const shownCharacters = 1_500

export function createNavigateTool(manager: BrowserManager) {
  return defineTool({
    ...browserCommon,
    name: 'browser.navigate',
    title: 'Open a page in the browser',
    description:
      'Opens an address in the browser of this conversation and returns its title and the beginning of its text. Then use browser.content, browser.click, browser.type or browser.screenshot. For pages that work without JavaScript, web.fetch is quicker.',
    effect: 'execute',
    hook: 'log',
    configSchema: { type: 'object', properties: { allowed_hosts: allowedHostsSchema }, additionalProperties: false },
    inputSchema: {
      type: 'object',
      properties: {
        url: { type: 'string', minLength: 1, description: 'The address: https://example.com/page' },
        timeout: {
          type: 'integer',
          minimum: 100,
          maximum: 45_000,
          default: 20_000,
          description: 'Milliseconds for the page to load (default 20000)',
        },
      },
      required: ['url'],
      additionalProperties: false,
    },
    summarize: ({ url }) => ({
      title: `Open ${hostIn(url)} in the browser`,
      facts: [{ label: 'Address', value: shownUrl(url) }],
      recipients: [hostIn(url)],
    }),
    leaseOf: ({ url }) => {
      const { origin } = new URL(url)
      return { key: origin, words: `pages of ${origin}` }
    },
    execute: (args, context) =>
      inBrowser(manager, context, async (session) => {
        // A file, a page of the browser's own, a script: none of them is opened.
        const { url } = parseDestination(args.url)
        context.progress(`Opening ${url.host}`)
        context.taint(url.href)
        session.pass.limitHosts(allowedHostsOf(context) ?? null)
        session.pass.takeRefusals()
        const page = await session.ready()
        const opened = await open(page, url.href, args.timeout, session)
        if (opened.problem !== null) return failed(opened.problem)
        if (session.current === null) return failed(`${url.host} was opened, and did not stay open.`)
        return describe(page, opened.status)
      }),
  })
}

type Opened = { problem: string } | { problem: null; status: number | null }

async function open(page: Page, url: string, timeout: number, session: ConversationPage): Promise<Opened> {
  const host = hostIn(url)
  // Until something of the new page is there, what is shown is the old one.
  let begun = false
  const begin = (frame: Frame) => {
    begun ||= frame === page.mainFrame()
  }
  page.on('framenavigated', begin)
  try {
    const response = await page.goto(url, { waitUntil: 'domcontentloaded', timeout })
    const status = response?.status() ?? null
    const refused = status === 502 ? session.pass.takeRefusals()[0] : undefined
    if (refused !== undefined) return { problem: refused }
    // A page that never comes to rest is shown as it is.
    await page.waitForLoadState('load', { timeout: settleMs }).catch(() => {})
    return { problem: null, status }
  } catch (error) {
    const { message, name } = error as Error
    const refused = session.pass.takeRefusals()[0]
    if (message.includes('net::')) {
      // Its error page is still on the way, and would interrupt the next navigation.
      await session.discard()
      return { problem: refused ?? `${host} could not be opened: ${firstLine(message)}` }
    }
    if (/Download is starting/.test(message)) return { problem: await describeFile(host, session) }
    if (session.current === null) return { problem: `${host} was opened, and did not stay open.` }
    if (name !== 'TimeoutError') return { problem: `${host} could not be opened: ${firstLine(message)}` }
    if (begun && (await session.answers())) return { problem: null, status: null }
    await session.discard()
    return { problem: `${host} did not answer within ${timeout} ms, or keeps the browser busy; the page was closed.` }
  } finally {
    page.off('framenavigated', begin)
  }
}

async function describeFile(host: string, session: ConversationPage): Promise<string> {
  if (!session.allowsDownloads)
    return (
      `${host} sent a file instead of a page, and the browser downloads nothing here. ` +
      'Read it with web.fetch (text, HTML, JSON) or http.request, or say to the person that it has to be downloaded by hand.'
    )
  const came = await session.downloadBegins(1_000)
  return `${host} sent a file instead of a page; ${came ? 'it is in the chat' : 'it did not come through'}.`
}

async function describe(page: Page, status: number | null): Promise<ToolResult> {
  const { url, title, text, length } = await readPage(page, { format: 'text', offset: 0, limit: shownCharacters })
  const said = status === null ? 'still loading' : `status ${status}`
  const more = length > text.length ? `\n\n(${length - text.length} more characters: browser.content)` : ''
  return succeeded(`Opened ${url} (${said})\n# ${title}\n\n${text}${more}`, {
    data: { url, title, status, characters: length },
  })
}
