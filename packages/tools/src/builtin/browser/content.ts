import type { BrowserManager } from '../../browser/browser-manager.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { browserCommon, onPage } from './on-page.ts'
import { readPage } from './read-page.ts'

export function createContentTool(manager: BrowserManager) {
  return defineTool({
    ...browserCommon,
    name: 'browser.content',
    title: 'Read the page in the browser',
    description:
      'Returns what the page that is open says: its text as a person sees it, its HTML, or its links, buttons and fields with the selectors to use them by.',
    // It changes nothing and carries nothing out: the page is what it was.
    effect: 'read',
    hook: 'log',
    maxOutputBytes: 400 * 1024,
    inputSchema: {
      type: 'object',
      properties: {
        format: {
          type: 'string',
          enum: ['text', 'html', 'elements'],
          default: 'text',
          description: 'text, html or elements (default text)',
        },
        selector: { type: 'string', minLength: 1, description: 'Only what is within this element: a CSS selector' },
        offset: {
          type: 'integer',
          minimum: 0,
          default: 0,
          description: 'Characters to skip, to read on in a long page (default 0)',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 90_000,
          default: 30_000,
          description: 'Characters to return (default 30000)',
        },
      },
      additionalProperties: false,
    },
    execute: ({ format, selector, offset, limit }, context) =>
      onPage(manager, context, async (page) => {
        const { url, title, text, length, found } = await readPage(page, {
          format,
          selector: selector ?? null,
          offset,
          limit,
        })
        if (!found)
          return failed(
            `No element matches ${JSON.stringify(selector)} on ${url}. Leave selector out to read the whole page.`,
          )
        const left = length - offset - text.length
        const notes = [
          length === 0 ? `(There is no text${format === 'elements' ? ', nothing to click or to fill in' : ''}.)` : '',
          length > 0 && text === '' ? `(There are only ${length} characters.)` : '',
          left > 0 && text !== '' ? `(${left} more characters: call again with offset ${offset + text.length}.)` : '',
        ].filter((note) => note !== '')
        return succeeded([`# ${title}\n${url}`, text, ...notes].filter(Boolean).join('\n\n'), {
          data: { url, title, characters: length },
        })
      }),
  })
}
