// HTML as a row of tags and texts, in one pass whose time grows with the length of the page and with nothing else:
// the page was written by a stranger. It does not mend what is wrong, as a browser does; for reading, that is enough.
import { decodeEntities } from './html-entities.ts'

export type HtmlToken =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string }

/** What is inside is not HTML, up to their own closing tag. */
const rawElements = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes'])
/** Characters of one tag; a longer one has its attributes left out. */
const longestTag = 16 * 1024

export function* readHtml(html: string): Generator<HtmlToken> {
  const lower = html.toLowerCase()
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open < 0) break
    if (open > at) yield { kind: 'text', text: decodeEntities(html.slice(at, open)) }
    const next = html.charCodeAt(open + 1)
    if (next === 0x21 || next === 0x3f) {
      const end = html.startsWith('<!--', open) ? html.indexOf('-->', open + 4) : html.indexOf('>', open)
      if (end < 0) return
      at = end + (html.startsWith('<!--', open) ? 3 : 1)
      continue
    }
    const closing = next === 0x2f
    const nameAt = open + (closing ? 2 : 1)
    const [nameEnd, name] = readName(html, nameAt)
    if (name === '') {
      yield { kind: 'text', text: '<' }
      at = open + 1
      continue
    }
    const end = endOfTag(html, nameEnd)
    if (end < 0) return
    at = end + 1
    if (closing) {
      yield { kind: 'close', name }
      continue
    }
    const inside = end - nameEnd > longestTag ? '' : html.slice(nameEnd, end)
    yield { kind: 'open', name, attributes: readAttributes(inside) }
    if (inside.endsWith('/')) yield { kind: 'close', name }
    if (!rawElements.has(name)) continue
    const close = lower.indexOf(`</${name}`, at)
    const text = html.slice(at, close < 0 ? html.length : close)
    if (name === 'title' || name === 'textarea') yield { kind: 'text', text: decodeEntities(text) }
    yield { kind: 'close', name }
    if (close < 0) return
    const closed = html.indexOf('>', close)
    if (closed < 0) return
    at = closed + 1
  }
  if (at < html.length) yield { kind: 'text', text: decodeEntities(html.slice(at)) }
}

function readName(html: string, from: number): [end: number, name: string] {
  let end = from
  while (end < html.length && end - from < 60 && /[a-z0-9:-]/i.test(html[end] as string)) end++
  return /[a-z]/i.test(html[from] ?? '') ? [end, html.slice(from, end).toLowerCase()] : [end, '']
}

/** The `>` that is not within quotes; negative when there is none. */
function endOfTag(html: string, from: number): number {
  let quote = ''
  for (let index = from; index < html.length; index++) {
    const character = html[index] as string
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '>') return index
    // A quote counts only where a value begins.
    else if ((character === '"' || character === "'") && html[index - 1] === '=') quote = character
  }
  return -1
}

const none: ReadonlyMap<string, string> = new Map()

function readAttributes(inside: string): ReadonlyMap<string, string> {
  if (inside.length < 2) return none
  const attributes = new Map<string, string>()
  for (const [, name, double, single, bare] of inside.matchAll(
    /([^\s"'=/>]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g,
  )) {
    const key = (name as string).toLowerCase()
    if (!attributes.has(key)) attributes.set(key, decodeEntities(double ?? single ?? bare ?? ''))
  }
  return attributes
}
