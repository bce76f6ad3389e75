// A long answer becomes several messages, each a piece of Markdown that stands by itself: broken between blocks where
// that is possible, else between items, rows or lines, else between sentences or words. A code fence that is broken is
// closed and opened again with its language; a table gets its head again. Linear in the length of the text.
import { type Block, readBlocks } from './markdown-blocks.ts'

export interface SplitMarkdown {
  /** In order; each at most `messageLength` long, none of them empty. */
  parts: string[]
  /** The whole text, where it is too long for messages; `parts` is then its beginning. */
  attachment: { filename: string; mimeType: string; text: string } | null
}

/** With more messages than this a conversation is buried: the rest is better read in a file. */
const mostParts = 8

/** Below this no fence or table head fits in beside its content. */
const shortestLength = 300
/** Nor is a block begun in less than this at the end of a message. */
const leastRoom = 200

const inTheFile = '_The answer is longer than this. All of it is in answer.md._'

export function splitMarkdown(markdown: string, options: { messageLength: number; maxParts?: number }): SplitMarkdown {
  const { messageLength, maxParts = mostParts } = options
  if (messageLength < shortestLength) throw new RangeError(`a message of ${messageLength} characters holds no Markdown`)
  const text = markdown.replace(/\r\n?/g, '\n').toWellFormed()
  if (!text.trim()) return { parts: [], attachment: null }
  if (text.length <= messageLength) return { parts: [text], attachment: null }
  const parts = pack(readBlocks(text), messageLength)
  if (parts.length <= maxParts) return { parts, attachment: null }
  return {
    parts: [...parts.slice(0, Math.max(1, maxParts - 1)), inTheFile],
    attachment: { filename: 'answer.md', mimeType: 'text/markdown', text },
  }
}

/** Blocks into parts, in order. A block that fits into a message is never torn. */
function pack(blocks: readonly Block[], limit: number): string[] {
  const parts: string[] = []
  let part: { text: string; last: Block | null } = { text: '', last: null }
  const flush = () => {
    if (part.text.trim()) parts.push(part.text)
    part = { text: '', last: null }
  }
  const add = (text: string, block: Block, gap: string) => {
    const joined = part.text ? part.text + gap + text : text
    if (joined.length > limit) return false
    part = { text: joined, last: block }
    return true
  }
  for (const block of blocks) {
    if (add(block.text, block, block.gap)) continue
    // A heading stays with what it is the heading of.
    const heading = part.last?.kind === 'heading' ? part.last : null
    if (heading && part.text.length > heading.text.length) {
      part.text = part.text.slice(0, -heading.text.length).trimEnd()
      flush()
      part = { text: heading.text, last: heading }
      if (add(block.text, block, block.gap)) continue
    }
    if (block.text.length <= limit) {
      flush()
      add(block.text, block, '')
      continue
    }
    // It has to be torn anyway: its beginning fills up what there is, if that is worth it.
    const room = limit - part.text.length - block.gap.length
    if (part.text && !heading && room < limit / 2) flush()
    const first = part.text ? limit - part.text.length - block.gap.length : limit
    const pieces = first < leastRoom ? null : tear(block, first, limit)
    if (pieces === null) flush()
    for (const [index, piece] of (pieces ?? tear(block, limit, limit)).entries()) {
      if (index > 0) flush()
      if (!add(piece, block, block.gap)) {
        flush()
        add(piece, block, '')
      }
    }
  }
  flush()
  return parts
}

/** The block in pieces, the first at most `first` long and the others at most `limit`. */
function tear(block: Block, first: number, limit: number): string[] {
  switch (block.kind) {
    case 'fence': {
      const { open, reopen, close, lines } = block
      const wrap = (head: string) => ({ before: `${head}\n`, after: `\n${close}` })
      return fill(lines, { first, limit }, wrap(open), wrap(reopen))
    }
    case 'table': {
      const head = block.lines.slice(0, 2).join('\n')
      // A head that would fill the message is not worth repeating.
      const again = head.length <= Math.min(first, limit) / 3
      if (!again) return fill(block.lines, { first, limit })
      const wrap = { before: `${head}\n`, after: '' }
      return fill(block.lines.slice(2), { first, limit }, wrap, wrap)
    }
    default:
      return fill(block.items, { first, limit })
  }
}

interface Wrap {
  before: string
  after: string
}

const bare: Wrap = { before: '', after: '' }

/** Lines (or items of several lines) into pieces; one that is too long for a piece of its own is broken. */
function fill(
  items: readonly string[],
  sizes: { first: number; limit: number },
  firstWrap: Wrap = bare,
  laterWrap: Wrap = firstWrap,
): string[] {
  const pieces: string[] = []
  let wrap = firstWrap
  let room = sizes.first - wrap.before.length - wrap.after.length
  let lines: string[] = []
  let length = 0
  const flush = () => {
    // Nothing but empty lines between two fences says nothing.
    if (lines.some((line) => line.trim())) pieces.push(wrap.before + lines.join('\n') + wrap.after)
    wrap = pieces.length ? laterWrap : firstWrap
    room = sizes.limit - wrap.before.length - wrap.after.length
    lines = []
    length = 0
  }
  const add = (line: string) => {
    const more = line.length + (lines.length ? 1 : 0)
    if (length + more > room) return false
    lines.push(line)
    length += more
    return true
  }
  for (const item of items) {
    if (add(item)) continue
    if (lines.length) flush()
    if (add(item)) continue
    for (const line of item.split('\n')) {
      if (add(line)) continue
      if (lines.length) flush()
      for (let rest = line; rest; ) {
        if (add(rest)) break
        const [head, tail] = breakLine(rest, room)
        add(head)
        flush()
        rest = tail
      }
    }
  }
  flush()
  return pieces
}

/** A line that is too long: after a sentence in its second half, else between words, else between two characters. */
function breakLine(line: string, room: number): [string, string] {
  const window = line.slice(0, room + 1)
  const half = Math.floor(room / 2)
  let cut = -1
  for (let at = window.length - 1; at > half && cut < 0; at--)
    if (/[.!?:;]/.test(window[at - 1] as string) && mayBreak(line, at)) cut = at
  for (let at = window.length - 1; at > 0 && cut < 0; at--) if (mayBreak(line, at)) cut = at
  if (cut > 0 && line.slice(0, cut).trim()) return [line.slice(0, cut).trimEnd(), line.slice(cut + 1)]
  // One word that is longer than a message. A pair of surrogates is one character.
  const end = isLowSurrogate(line.charCodeAt(room)) ? room - 1 : room
  return [line.slice(0, end), line.slice(end)]
}

/** Before a word, and not before what would be a fence at the beginning of a line. */
const mayBreak = (line: string, at: number) =>
  /\s/.test(line[at] as string) &&
  /\S/.test(line[at + 1] ?? '') &&
  !line.startsWith('```', at + 1) &&
  !line.startsWith('~~~', at + 1)

const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff
