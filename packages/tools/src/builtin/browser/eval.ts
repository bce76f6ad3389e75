import type { BrowserManager } from '../../browser/browser-manager.ts'
import { runPageScript } from '../../browser/page-script.ts'
import { succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { browserCommon, onPage } from './on-page.ts'

const mostCharacters = 50_000

export function createEvalTool(manager: BrowserManager) {
  return defineTool({
    ...browserCommon,
    name: 'browser.eval',
    title: 'Run a script in the page',
    description:
      'Runs JavaScript in the page that is open and returns the value of its last expression as JSON. `await` works at the top level.',
    effect: 'execute',
    hook: 'confirm',
    inputSchema: {
      type: 'object',
      properties: {
        script: {
          type: 'string',
          minLength: 1,
          maxLength: 100_000,
          description: 'JavaScript; its last expression is returned',
        },
        timeout: {
          type: 'integer',
          minimum: 10,
          maximum: 30_000,
          default: 5_000,
          description: 'Milliseconds (default 5000)',
        },
      },
      required: ['script'],
      additionalProperties: false,
    },
    leaseOf: ({ script }) => ({ key: script, words: 'this very script' }),
    summarize: ({ script }) => ({ title: 'Run a script in the page', facts: [{ label: 'Script', value: script }] }),
    execute: ({ script, timeout }, context) =>
      onPage(manager, context, async (page) => {
        const value = await runPageScript(page, script, { timeoutMs: timeout, world: 'page' })
        const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'undefined')
        if (text.length <= mostCharacters) return succeeded(text, { data: { value: value ?? null } })
        return succeeded(
          `${text.slice(0, mostCharacters).toWellFormed()}\n\n(${text.length - mostCharacters} more characters: return less.)`,
        )
      }),
  })
}
