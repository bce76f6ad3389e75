import type { BrowserManager } from '../../browser/browser-manager.ts'
import { failed } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { oneLine } from './click.ts'
import { describeAfter } from './describe-after.ts'
import { explainElement } from './explain-element.ts'
import { browserCommon, onPage } from './on-page.ts'

const typeMs = 5_000

export function createTypeTool(manager: BrowserManager) {
  return defineTool({
    ...browserCommon,
    name: 'browser.type',
    title: 'Type in the browser',
    description: 'Writes into a field of the page that is open, over what was in it.',
    effect: 'execute',
    hook: 'log',
    inputSchema: {
      type: 'object',
      properties: {
        selector: { type: 'string', minLength: 1, description: 'The field: a CSS selector, such as input[name=q]' },
        text: { type: 'string', maxLength: 100_000, description: 'What to write; empty to clear it' },
        submit: { type: 'boolean', default: false, description: 'Press Enter afterwards (default false)' },
      },
      required: ['selector', 'text'],
      additionalProperties: false,
    },
    summarize: ({ selector, text, submit }) => ({
      title: `Type into ${oneLine(selector)} in the browser${submit ? ' and press Enter' : ''}`,
      facts: [
        { label: 'Field', value: selector },
        { label: 'Text', value: text.slice(0, 2_000).toWellFormed() },
      ],
    }),
    execute: ({ selector, text, submit }, context) =>
      onPage(manager, context, async (page, session) => {
        const before = page.url()
        try {
          const field = page.locator(selector)
          await field.fill(text, { timeout: typeMs })
          if (submit) await field.press('Enter', { timeout: typeMs })
        } catch (error) {
          if (/not an <input>|Input of type|cannot be filled|not an? .*editable/i.test((error as Error).message))
            return failed(
              `${JSON.stringify(selector.slice(0, 200))} is not a field that can be written in. See the fields with browser.content and format "elements".`,
            )
          return failed(await explainElement(page, selector, error))
        }
        return describeAfter(
          page,
          session,
          context,
          `Typed into ${oneLine(selector)}${submit ? ' and pressed Enter' : ''}.`,
          before,
        )
      }),
  })
}
