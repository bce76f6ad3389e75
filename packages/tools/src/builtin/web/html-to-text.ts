// What a page says, as Markdown that is short: headings, paragraphs, lists, links, code, tables. Scripts, styles and what
// a reader would not see are left out: text that is hidden from people is mostly meant for the model.
import { type HtmlToken, readHtml } from './html-tokens.ts'

export interface PageText {
  title: string
  text: string
}

const skipped = new Set('script style noscript template svg canvas iframe object select math nav'.split(' '))
const blocks = new Set(
  'address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr main ol p section summary table tbody thead ul'.split(
    ' ',
  ),
)
/** They have no closing tag, so they hide nothing. */
const empty = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

/** Characters of a link's address; a longer one is left out, its text stays. */
const longestLink = 300

export function htmlToText(html: string, base: string): PageText {
  const writer = new TextWriter(base)
  for (const token of readHtml(html)) writer.take(token)
  return writer.end()
}

class TextWriter {
  readonly #base: string
  readonly #parts: string[] = []
  /** Line ends that are due before the next text: 0, 1 or 2. */
  #breaks = 0
  #space = false
  #pre = 0
  #title: string | null = null
  #inTitle = false
  /** The element that hides, and how often one of its name is open within it. */
  #hidden: { name: string; depth: number } | null = null
  readonly #links: (string | null)[] = []

  constructor(base: string) {
    this.#base = base
  }

  take(token: HtmlToken): void {
    if (this.#hidden !== null) this.#whileHidden(this.#hidden, token)
    else if (token.kind === 'text') this.#text(token.text)
    else if (token.kind === 'open') this.#open(token.name, token.attributes)
    else this.#close(token.name)
  }

  end(): PageText {
    return { title: (this.#title ?? '').replace(/\s+/g, ' ').trim(), text: this.#parts.join('').trim() }
  }

  #whileHidden(hidden: { name: string; depth: number }, token: HtmlToken): void {
    if (token.kind === 'text' || token.name !== hidden.name) return
    hidden.depth += token.kind === 'open' ? 1 : -1
    if (hidden.depth === 0) this.#hidden = null
  }

  #open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (skipped.has(name) || (!empty.has(name) && isHidden(attributes))) {
      this.#hidden = { name, depth: 1 }
      return
    }
    if (name === 'title') this.#inTitle = this.#title === null
    else if (/^h[1-6]$/.test(name)) this.#mark(2, `${'#'.repeat(Number(name[1]))} `)
    else if (name === 'li') this.#mark(1, '- ')
    else if (name === 'tr') this.#break(1)
    else if (name === 'td' || name === 'th') this.#cell()
    else if (name === 'br') this.#break(1)
    else if (name === 'pre') {
      this.#mark(2, '```\n')
      this.#pre++
    } else if (name === 'a') this.#openLink(attributes.get('href'))
    else if (name === 'img') this.#image(attributes.get('alt'))
    else if (blocks.has(name)) this.#break(2)
  }

  #close(name: string): void {
    if (name === 'title') this.#inTitle = false
    else if (name === 'pre' && this.#pre > 0) {
      this.#pre--
      this.#parts.push('\n```')
      this.#break(2)
    } else if (name === 'a') this.#closeLink()
    else if (/^h[1-6]$/.test(name) || blocks.has(name)) this.#break(2)
    else if (name === 'li' || name === 'tr') this.#break(1)
  }

  #text(text: string): void {
    if (this.#inTitle) {
      this.#title = (this.#title ?? '') + text
      return
    }
    if (this.#pre > 0) {
      this.#flush()
      this.#parts.push(text)
      return
    }
    const words = text.replace(/\s+/g, ' ')
    if (words.startsWith(' ')) this.#space = true
    const said = words.trim()
    if (said === '') return
    this.#flush()
    this.#parts.push(said)
    this.#space = words.endsWith(' ')
  }

  /** What is due before something is said. */
  #flush(): void {
    const begun = this.#parts.length > 0
    if (this.#breaks > 0) {
      if (begun) this.#parts.push('\n'.repeat(this.#breaks))
    } else if (this.#space && begun) this.#parts.push(' ')
    this.#breaks = 0
    this.#space = false
  }

  #break(lines: number): void {
    this.#breaks = Math.max(this.#breaks, lines)
    this.#space = false
  }

  #mark(lines: number, mark: string): void {
    this.#break(lines)
    this.#flush()
    this.#parts.push(mark)
  }

  #cell(): void {
    if (this.#breaks === 0) this.#text(' | ')
    this.#space = true
  }

  #openLink(href: string | undefined): void {
    const url = href === undefined || href.startsWith('#') ? null : URL.parse(href, this.#base)
    const target =
      url !== null && /^(?:https?|mailto):$/.test(url.protocol) && url.href.length <= longestLink ? url.href : null
    // Deeper links than anybody writes are no links.
    if (this.#links.length > 50) return
    this.#links.push(target)
    if (target === null) return
    this.#flush()
    this.#parts.push('[')
  }

  #closeLink(): void {
    const target = this.#links.pop()
    if (target === undefined || target === null) return
    // A link that says nothing (an icon) is worth no line.
    if (this.#parts.at(-1) === '[') this.#parts.pop()
    else this.#parts.push(`](${target})`)
  }

  #image(alt: string | undefined): void {
    if (alt !== undefined && alt.trim() !== '') this.#text(`![${alt.slice(0, 200)}]`)
  }
}

const isHidden = (attributes: ReadonlyMap<string, string>): boolean =>
  attributes.has('hidden') ||
  attributes.get('aria-hidden') === 'true' ||
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])/i.test(
    attributes.get('style') ?? '',
  )
