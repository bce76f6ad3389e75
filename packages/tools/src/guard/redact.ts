// Takes the values of a call's secrets out of whatever the call produces, in every form of SECURITY.md: raw, base64 at
// each of its three alignments (both alphabets, wrapped or not), hex, URL-encoded, JSON-escaped and HTML-escaped.
//
// Encodings that can spell one value in many ways (`%2f`/`%2F`, `\n`/`\u000a`, base64 in lines of 76) are not
// enumerated: the text is read through a view that undoes them, and what is found there is cut out of the text itself.
import { type View, viewEntities, viewEscapes, viewPercent, viewSqueezed } from './text-views.ts'

/** Below this many characters only the value as a whole word is replaced: its encodings would match by chance. */
const shortest = 6
/** `\\u0041` spells one character with seven, `&#00065;` with eight, `%E2%82%AC` with nine. */
const longestSpelling = 9
/** Characters; what is kept of such a text is a few thousand. */
const headLength = 256 * 1024

interface Needle {
  name: string
  text: string
  /** Base64 ends in a character that only partly belongs to the value; it is taken along, with its padding. */
  base64?: boolean
}

export class Redactor {
  readonly #raw: Needle[] = []
  readonly #encoded: Needle[] = []
  readonly #words: Needle[] = []
  #reach = 0
  #found = new Set<string>()

  constructor(secrets: ReadonlyMap<string, string>) {
    for (const [name, value] of secrets) this.#add(name, value)
    // The longest first, so that a value that contains another is replaced under its own name.
    for (const needles of [this.#raw, this.#encoded, this.#words]) needles.sort((a, b) => b.text.length - a.text.length)
  }

  /** How many characters of the text one occurrence can span: what a stream must hold back. */
  get reach(): number {
    return this.#reach
  }

  /** Nothing to look for: callers skip their copies. */
  get idle(): boolean {
    return this.#reach === 0
  }

  /** The names of the secrets that were found so far. */
  get found(): ReadonlySet<string> {
    return this.#found
  }

  redact(text: string): string {
    if (this.#reach === 0 || text.length === 0) return text
    const ranges = this.ranges(text)
    return ranges.length === 0 ? text : cut(text, ranges, text.length)
  }

  /** For a text of which only a short beginning is kept. It is redacted far past that, so that no cut shows half a value. */
  redactHead(text: string): string {
    return this.redact(text.length > headLength ? text.slice(0, headLength) : text)
  }

  /** Every string within, keys too. The value is JSON (see measure-json.ts), so it has an end. */
  redactAll(value: unknown): unknown {
    if (this.#reach === 0) return value
    if (typeof value === 'string') return this.redact(value)
    if (Array.isArray(value)) return value.map((entry) => this.redactAll(entry))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [this.redact(key), this.redactAll(entry)]))
  }

  /** Where the values are, in order and without overlap. */
  ranges(text: string): Range[] {
    const ranges: Range[] = []
    search(text, null, this.#raw, ranges)
    search(text, null, this.#encoded, ranges)
    search(text, null, this.#words, ranges, isWordAt)
    for (const view of viewPercent(text)) search(text, view, this.#raw, ranges)
    for (const view of viewEntities(text)) search(text, view, this.#raw, ranges)
    for (const view of viewEscapes(text)) search(text, view, this.#raw, ranges)
    for (const view of viewSqueezed(text)) search(text, view, this.#encoded, ranges)
    if (ranges.length === 0) return ranges
    for (const { name } of ranges) this.#found.add(name)
    return merge(ranges)
  }

  #add(name: string, value: string): void {
    if (value.length === 0) return
    if (value.length < shortest) {
      this.#words.push({ name, text: value })
      // One character more on either side decides whether it is a whole word.
      this.#reach = Math.max(this.#reach, value.length + 2)
      return
    }
    this.#addForms(name, value)
    const trimmed = value.trim()
    if (trimmed !== value && trimmed.length >= shortest) this.#addForms(name, trimmed)
    if (!/[\r\n]/.test(value)) return
    for (const line of value.split(/[\r\n]+/)) {
      const text = line.trim()
      if (text.length >= shortest && text !== trimmed) this.#addForms(name, text)
    }
  }

  #addForms(name: string, value: string): void {
    const bytes = Buffer.from(value)
    const hex = bytes.toString('hex')
    for (const text of new Set([value, jsonForm(value)])) {
      this.#raw.push({ name, text })
    }
    this.#encoded.push({ name, text: hex }, { name, text: hex.toUpperCase() })
    for (const text of base64Forms(bytes)) this.#encoded.push({ name, text, base64: true })
    this.#reach = Math.max(this.#reach, value.length * longestSpelling, hex.length * 2 + 8)
  }
}

/**
 * Redacts text that comes in pieces: what could be the beginning of a value is held back until the next piece shows
 * whether it is. What is held never exceeds twice the reach plus one piece.
 */
export class StreamingRedactor {
  readonly #redactor: Redactor
  #held = ''

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  /** What is safe to show by now. */
  push(piece: string): string {
    const { reach } = this.#redactor
    if (reach === 0) return piece
    this.#held += piece
    // Searching at every piece would make a tool that writes byte by byte quadratic.
    if (this.#held.length < reach * 2) return ''
    const ranges = this.#redactor.ranges(this.#held)
    let safe = this.#held.length - reach
    for (const range of ranges) if (range.start < safe && range.end > safe) safe = range.end
    const text = cut(this.#held, ranges, safe)
    this.#held = this.#held.slice(safe)
    return text
  }

  end(): string {
    const text = this.#redactor.redact(this.#held)
    this.#held = ''
    return text
  }
}

interface Range {
  name: string
  start: number
  end: number
}

function search(
  original: string,
  view: View | null,
  needles: readonly Needle[],
  ranges: Range[],
  holds?: (text: string, start: number, end: number) => boolean,
): void {
  const text = view ? view.text : original
  for (const { name, text: needle, base64 } of needles) {
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
      if (holds && !holds(text, at, at + needle.length)) continue
      const start = view ? view.start(at) : at
      const end = view ? view.end(at + needle.length) : at + needle.length
      ranges.push({ name, start, end: base64 ? endOfBase64(original, end) : end })
    }
  }
}

function merge(ranges: Range[]): Range[] {
  ranges.sort((a, b) => a.start - b.start || b.end - a.end)
  const merged: Range[] = []
  for (const range of ranges) {
    const last = merged.at(-1)
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end)
    else merged.push({ ...range })
  }
  return merged
}

/** The text up to `until`, with the ranges replaced. */
function cut(text: string, ranges: readonly Range[], until: number): string {
  let result = ''
  let from = 0
  for (const { name, start, end } of ranges) {
    if (start >= until) break
    result += `${text.slice(from, start)}[redacted:${name}]`
    from = end
  }
  return from >= until ? result : result + text.slice(from, until)
}

/** What base64 makes of the value wherever it stands within a longer text: the characters it alone determines. */
function base64Forms(bytes: Buffer): Set<string> {
  const forms = new Set<string>()
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const first = [0, 2, 3][before] as number
    const last = Math.floor(((before + bytes.length) * 8) / 6)
    const own = text.slice(first, last)
    if (own.length < shortest) continue
    forms.add(own)
    forms.add(own.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}

function endOfBase64(text: string, end: number): number {
  if (end < text.length && /[A-Za-z0-9+/_-]/.test(text[end] as string)) end++
  for (let padding = 0; padding < 2 && text[end] === '='; padding++) end++
  return end
}

const jsonForm = (value: string): string => JSON.stringify(value).slice(1, -1)

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character)
const isWordAt = (text: string, start: number, end: number): boolean => !isWord(text[start - 1]) && !isWord(text[end])
