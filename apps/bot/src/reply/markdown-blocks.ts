// Markdown as far as splitting it needs to be understood: what must not be torn. It is not a parser: what it takes for
// a paragraph may be anything, and comes out as it went in.

interface BlockBase {
  /** As it stands in the text. */
  text: string
  /** The line breaks between it and the block before. */
  gap: string
}

export type Block =
  | (BlockBase & { kind: 'text' | 'heading'; items: string[] })
  | (BlockBase & { kind: 'table'; lines: string[] })
  /** `reopen` is `open` without the words after the language. */
  | (BlockBase & { kind: 'fence'; open: string; reopen: string; close: string; lines: string[] })

/**
 * ``` or ~~~, also inside of lists and quotes. Longer rows of them than anybody writes are text, and so is what looks
 * like a fence but has a backtick behind it.
 */
const fenceOpening = /^([ \t>]{0,40})(`{3,20}(?!`)(?=[^`]*$)|~{3,20}(?!~))(.*)$/
const fenceClosing = /^[ \t>]{0,40}(`{3,20}|~{3,20})[ \t]*$/
/** Looser than the standard on purpose: a pattern that counts columns can be made to take quadratic time. */
const tableDivider = /^[ \t>]*[|:-][|:\- \t]*$/
const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/
const listItem = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]/
/** How much of what follows ``` is kept on that line; the rest becomes the first line of the code. */
const infoLength = 20

export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  let paragraph: string[] = []
  let breaks = 0
  const gap = () => {
    const between = '\n'.repeat(Math.min(breaks, 2))
    breaks = 1
    return blocks.length ? between : ''
  }
  const endParagraph = () => {
    if (paragraph.length) blocks.push(textBlock(paragraph, gap()))
    paragraph = []
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    const opening = fenceOpening.exec(line)
    if (opening) {
      endParagraph()
      const end = findClosing(lines, at, opening[2] as string)
      blocks.push(fenceBlock(opening, lines.slice(at + 1, end), gap()))
      at = end
    } else if (!line.trim()) {
      endParagraph()
      breaks++
    } else if (heading.test(line)) {
      endParagraph()
      blocks.push({ kind: 'heading', text: line, gap: gap(), items: [line] })
    } else paragraph.push(line)
  }
  endParagraph()
  return blocks
}

/** The line that closes the fence; one that nobody closed goes to the end of the text. */
function findClosing(lines: readonly string[], opening: number, marker: string): number {
  for (let at = opening + 1; at < lines.length; at++) {
    const closing = fenceClosing.exec(lines[at] as string)?.[1]
    if (closing?.[0] === marker[0] && closing && closing.length >= marker.length) return at
  }
  return lines.length
}

function fenceBlock(opening: RegExpExecArray, lines: string[], gap: string): Block {
  const [, prefix = '', marker = '', info = ''] = opening
  const language = /^[ \t]*\S*/.exec(info)?.[0] ?? ''
  const fits = info.length <= infoLength
  const open = prefix + marker + (fits ? info : language.length <= infoLength ? language : '')
  const reopen = prefix + marker + (language.length <= infoLength ? language : '')
  const rest = fits ? '' : info.slice(language.length <= infoLength ? language.length : 0).trim()
  const content = rest ? [prefix + rest, ...lines] : lines
  const close = prefix + marker
  return { kind: 'fence', text: [open, ...content, close].join('\n'), gap, open, reopen, close, lines: content }
}

function textBlock(lines: string[], gap: string): Block {
  const text = lines.join('\n')
  if (lines.length > 2 && lines[0]?.includes('|') && lines[1]?.includes('|') && tableDivider.test(lines[1]))
    return { kind: 'table', text, gap, lines }
  return { kind: 'text', text, gap, items: readItems(lines) }
}

/** A list's outermost items with the lines that belong to each; the lines of anything else. */
function readItems(lines: readonly string[]): string[] {
  const outermost = listItem.exec(lines[0] as string)?.[1]?.length
  if (outermost === undefined) return [...lines]
  const items: string[][] = []
  for (const line of lines) {
    const indent = listItem.exec(line)?.[1]?.length
    if (!items.length || (indent !== undefined && indent <= outermost)) items.push([line])
    else items.at(-1)?.push(line)
  }
  return items.map((item) => item.join('\n'))
}
