import { splitMarkdown } from '../../../reply/split-markdown.ts'
import { telegramLimits } from '../limits.ts'
import { escapeHtml } from './escape-html.ts'
import { markdownToHtml } from './markdown-to-html.ts'

/** Where drawn tables and marks make it longer than what it was drawn from, it still fits. */
const pieceLength = 3_000

/** Markdown as ordinary messages: each within Telegram's length, none of them empty, always the same ones. */
export function htmlPieces(markdown: string): string[] {
  const { parts } = splitMarkdown(markdown, { messageLength: pieceLength, maxParts: 1_000 })
  return parts.flatMap((part) => {
    const html = markdownToHtml(part)
    if (html === '') return []
    if (shownLength(html) <= telegramLimits.text) return [html]
    return cut(part, pieceLength).map(escapeHtml)
  })
}

/** What Telegram counts: the text without its tags, an entity as one character. */
const shownLength = (html: string) => html.replace(/<[^>]*>/g, '').replace(/&[a-z]+;/g, '_').length

function cut(text: string, length: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length))
  return pieces.filter((piece) => piece.trim() !== '')
}
