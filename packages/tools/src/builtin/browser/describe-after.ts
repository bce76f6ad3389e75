import type { Page } from 'playwright-core'
import type { ConversationPage } from '../../browser/conversation-page.ts'
import { failed, succeeded, type ToolContext, type ToolResult } from '../../contract.ts'
import { readPage } from './read-page.ts'

/** A click that leads somewhere has begun to by then. */
const beginMs = 50
const loadMs = 5_000

/** Where a click or a key led: the page, and whether it is another one. */
export async function describeAfter(
  page: Page,
  session: ConversationPage,
  context: ToolContext,
  done: string,
  before: string,
): Promise<ToolResult> {
  await new Promise((resolve) => setTimeout(resolve, beginMs))
  // A page that goes on loading is described as it is.
  await page.waitForLoadState('domcontentloaded', { timeout: loadMs }).catch(() => {})
  if (session.current === null) return failed(`${done} The page did not stay open.`)
  const { url, title } = await readPage(page, { format: 'text', offset: 0, limit: 0 })
  context.taint(url)
  const refused = session.pass.takeRefusals()[0]
  const led = url === before ? `Still at ${url}` : `Now at ${url}`
  const note = refused === undefined ? '' : `\n(Something of the page was refused: ${refused})`
  return succeeded(`${done} ${led} (${title}).${note}`, { data: { url, title, navigated: url !== before } })
}
