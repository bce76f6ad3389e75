import type { Page } from 'playwright-core'
import { firstLine } from './on-page.ts'

/** Why an element could not be used, and the next step. */
export async function explainElement(page: Page, selector: string, error: unknown): Promise<string> {
  const { message, name } = error as Error
  if (/has been closed|crashed/i.test(message)) throw error
  const said = JSON.stringify(selector.slice(0, 200))
  const see = 'See what there is with browser.content and format "elements".'
  let count: number
  try {
    count = await page.locator(selector).count()
  } catch {
    return `${said} is not a selector. Write CSS (#login, button.primary) or text=Sign in. ${see}`
  }
  if (count === 0) return `No element matches ${said} on ${page.url().slice(0, 200)}. ${see}`
  if (count > 1) return `${count} elements match ${said}; one must be meant. ${see} Or add >> nth=0 for the first.`
  if (name === 'TimeoutError')
    return `The element ${said} is there, but cannot be used: it is hidden, covered by another, or never at rest. Look at it with browser.screenshot.`
  return `The element ${said} could not be used: ${firstLine(message)}`
}
