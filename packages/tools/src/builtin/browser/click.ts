import type { BrowserManager } from '../../browser/browser-manager.ts'
import { failed } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { describeAfter } from './describe-after.ts'
import { explainElement } from './explain-element.ts'
import { browserCommon, onPage } from './on-page.ts'

const clickMs = 5_000

export function createClickTool(manager: BrowserManager) {
  return defineTool({
    ...browserCommon,
    name: 'browser.click',
    title: 'Click in the browser',
    description: 'Clicks an element of the page that is open, and says where that led.',
    effect: 'execute',
    hook: 'log',
    inputSchema: {
      type: 'object',
      properties: {
        selector: { type: 'string', minLength: 1, description: 'The element: a CSS selector, or text=Sign in' },
      },
      required: ['selector'],
      additionalProperties: false,
    },
    summarize: ({ selector }) => ({
      title: `Click ${oneLine(selector)} in the browser`,
      facts: [{ label: 'Element', value: selector }],
    }),
    execute: ({ selector }, context) =>
      onPage(manager, context, async (page, session) => {
        const before = page.url()
        try {
          await page.locator(selector).click({ timeout: clickMs })
        } catch (error) {
          return failed(await explainElement(page, selector, error))
        }
        return describeAfter(page, session, context, `Clicked ${oneLine(selector)}.`, before)
      }),
  })
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100)
