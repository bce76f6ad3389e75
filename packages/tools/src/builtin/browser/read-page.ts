// What is on a page, as a person sees it: what is hidden from them is not read either.
import type { Page } from 'playwright-core'
import { runPageScript } from '../../browser/page-script.ts'

export interface PageReading {
  url: string
  title: string
  text: string
  /** Characters of all of the text. */
  length: number
  found: boolean
}

export type ReadingFormat = 'text' | 'html' | 'elements'

const readMs = 5_000
const mostElements = 150

export async function readPage(
  page: Page,
  {
    format,
    selector = null,
    offset,
    limit,
  }: { format: ReadingFormat; selector?: string | null; offset: number; limit: number },
): Promise<PageReading> {
  const options = JSON.stringify({ format, selector, offset, limit, mostElements })
  return (await runPageScript(page, `(${read})(${options})`, { timeoutMs: readMs, world: 'own' })) as PageReading
}

/** Runs in the page, in a world of its own. */
const read = String.raw`({ format, selector, offset, limit, mostElements }) => {
  const root = selector === null ? (document.body ?? document.documentElement) : document.querySelector(selector)
  const about = { url: location.href.slice(0, 2000), title: document.title.slice(0, 300) }
  if (!root) return { ...about, text: '', length: 0, found: false }
  const isSeen = (element) => {
    const box = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    return box.width > 0 && box.height > 0 && style.visibility === 'visible' && style.opacity !== '0'
  }
  const selectorOf = (element) => {
    const steps = []
    for (let at = element; at && at !== document.documentElement && steps.length < 6; at = at.parentElement) {
      const id = at.id && /^[A-Za-z][\w-]*$/.test(at.id) && document.querySelectorAll('#' + at.id).length === 1
      if (id) return ['#' + at.id, ...steps].join(' > ')
      const same = [...(at.parentElement?.children ?? [])].filter((other) => other.localName === at.localName)
      steps.unshift(at.localName + (same.length > 1 ? ':nth-of-type(' + (same.indexOf(at) + 1) + ')' : ''))
    }
    return steps.join(' > ')
  }
  const labelOf = (element) =>
    (element.getAttribute('aria-label') || element.innerText || element.labels?.[0]?.innerText || element.placeholder ||
      element.name || element.title || '').replace(/\s+/g, ' ').trim().slice(0, 80)
  const list = () => {
    const lines = []
    for (const element of root.querySelectorAll('a[href], button, input, select, textarea, [role=button], [role=link], [contenteditable=true]')) {
      if (lines.length === mostElements) break
      if (element.type === 'hidden' || !isSeen(element)) continue
      const kind = element.localName === 'input' ? 'input ' + element.type : element.localName === 'a' ? 'link' : element.localName
      const target = element.localName === 'a' ? ' → ' + element.href.slice(0, 200) : ''
      lines.push(kind + ' "' + labelOf(element) + '"' + target + '  ' + selectorOf(element))
    }
    return lines.join('\n')
  }
  const whole = format === 'html' ? root.outerHTML : format === 'elements' ? list() : root.innerText
  return { ...about, text: whole.slice(offset, offset + limit).toWellFormed(), length: whole.length, found: true }
}`
