import type { BrowserManager } from '../../browser/browser-manager.ts'
import { runPageScript } from '../../browser/page-script.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { explainElement } from './explain-element.ts'
import { browserCommon, onPage } from './on-page.ts'

const width = 1280
/** Pixels of a whole page; what is below is left out. */
const mostHeight = 8_000
/** A picture that is larger as PNG is taken as JPEG. */
const pngBytes = 4 * 1024 * 1024
const shootMs = 15_000

export function createScreenshotTool(manager: BrowserManager) {
  return defineTool({
    ...browserCommon,
    name: 'browser.screenshot',
    title: 'Take a screenshot',
    description: 'Takes a picture of the page that is open in the browser. It arrives in the chat.',
    // It changes nothing and carries nothing out: the page is what it was.
    effect: 'read',
    hook: 'log',
    inputSchema: {
      type: 'object',
      properties: {
        full_page: {
          type: 'boolean',
          default: false,
          description: 'The whole page instead of what is in view (default false)',
        },
        selector: { type: 'string', minLength: 1, description: 'Only this element: a CSS selector, or text=Sign in' },
      },
      additionalProperties: false,
    },
    execute: ({ full_page, selector }, context) =>
      onPage(manager, context, async (page) => {
        if (full_page && selector !== undefined) return failed('Give full_page or selector, not both.')
        const height = full_page
          ? Number(await runPageScript(page, documentHeight, { timeoutMs: 2_000, world: 'own' }))
          : 0
        const shown = Math.max(1, Math.min(height, mostHeight))
        const area = full_page ? { fullPage: true, clip: { x: 0, y: 0, width, height: shown } } : {}
        const shoot = async (type: 'png' | 'jpeg') => {
          const options = { type, timeout: shootMs, ...(type === 'jpeg' ? { quality: 70 } : {}) }
          if (selector === undefined) return page.screenshot({ ...options, ...area })
          return page.locator(selector).screenshot(options)
        }
        let picture: { bytes: Buffer; type: 'png' | 'jpeg' }
        try {
          picture = { bytes: await shoot('png'), type: 'png' }
          if (picture.bytes.byteLength > pngBytes) picture = { bytes: await shoot('jpeg'), type: 'jpeg' }
        } catch (error) {
          if (selector === undefined) throw error
          return failed(await explainElement(page, selector, error))
        }
        const { bytes, type } = picture
        const cut = height > mostHeight ? ` The page is ${height} pixels high; ${mostHeight} are shown.` : ''
        const filename = `screenshot.${type === 'png' ? 'png' : 'jpg'}`
        return succeeded(`A screenshot of ${page.url()} was taken, and is in the chat.${cut}`, {
          data: { url: page.url(), bytes: bytes.byteLength },
          media: [{ mimeType: `image/${type}`, data: bytes.toString('base64'), filename }],
        })
      }),
  })
}

const documentHeight = 'Math.ceil(document.documentElement.scrollHeight)'
