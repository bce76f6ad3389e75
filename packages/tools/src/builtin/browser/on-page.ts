// What the browser tools have in common: the page of the conversation, and every way it can fail as a sentence.
import type { Page } from 'playwright-core'
import { type BrowserManager, BrowserProblem } from '../../browser/browser-manager.ts'
import type { ConversationPage } from '../../browser/conversation-page.ts'
import { PageScriptProblem } from '../../browser/page-script.ts'
import { failed, type ToolContext, type ToolResult } from '../../contract.ts'
import { OutboundProblem } from '../../guard/outbound-request.ts'

export const browserCommon = {
  category: 'web',
  groups: ['web', 'browser'],
  untrusted: true,
  timeoutMs: 60_000,
} as const

/** With the page that is open; without one it says how to open one. */
export const onPage = (
  manager: BrowserManager,
  context: ToolContext,
  work: (page: Page, session: ConversationPage) => Promise<ToolResult>,
): Promise<ToolResult> =>
  inBrowser(manager, context, async (session) => {
    const page = session.current
    if (page === null) return failed('No page is open in this conversation. Open one with browser.navigate first.')
    context.taint(page.url())
    return work(page, session)
  })

export async function inBrowser(
  manager: BrowserManager,
  context: ToolContext,
  work: (session: ConversationPage) => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await manager.use(`${context.workspaceId}/${context.conversationId}`, context.signal, async (session) =>
      withNotes(await work(session).catch((error) => explain(error, context)), session),
    )
  } catch (error) {
    return explain(error, context)
  }
}

/** What the page did beside: windows, dialogs, downloads. */
async function withNotes(result: ToolResult, session: ConversationPage): Promise<ToolResult> {
  const files = await session.takeDownloads()
  const notes = session.takeNotes().map((line) => `(${line})`)
  const output = [result.output, ...notes].filter((part) => part !== '').join('\n')
  return files.length === 0 ? { ...result, output } : { ...result, output, media: [...(result.media ?? []), ...files] }
}

function explain(error: unknown, { signal }: ToolContext): ToolResult {
  if (signal.aborted) return failed('Stopped.')
  if (error instanceof BrowserProblem || error instanceof OutboundProblem || error instanceof PageScriptProblem)
    return failed(error.message)
  const message = (error as Error)?.message ?? String(error)
  if (/has been closed|Target closed|Target crashed|Page crashed|browser has disconnected/i.test(message))
    return failed('The page or the browser was closed meanwhile. Open the page again with browser.navigate.')
  return failed(`The browser could not do it: ${firstLine(message)}`)
}

/** Playwright's errors go on with a log of what it tried. */
export const firstLine = (message: string): string =>
  (message.split('\n', 1)[0] ?? '').replace(/^(?:page|locator)\.\w+: /, '').slice(0, 400)
