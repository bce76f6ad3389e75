// A model's Markdown as an ordinary message, in Telegram's HTML, from marked's tokens. It has neither headings nor lists
// nor tables, so those are drawn with what there is. The result holds no tag but ours: HTML in the Markdown comes out as
// the text that it is, and pictures as links.
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { escapeHtml } from './escape-html.ts'
import { isSafeLink, known, languageOf } from './markdown-tokens.ts'

export const markdownToHtml = (markdown: string): string => renderBlocks(lexer(markdown)).trim()

function renderBlocks(tokens: readonly Token[], depth = 0): string {
  const blocks = known(tokens).flatMap((token) => {
    const html = renderBlock(token, depth)
    return html === '' ? [] : [html]
  })
  return blocks.join(depth > 0 ? '\n' : '\n\n')
}

function renderBlock(token: MarkedToken, depth: number): string {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return ''
    case 'heading':
      return `<b>${renderInline(token.tokens)}</b>`
    case 'paragraph':
      return renderInline(token.tokens)
    case 'code':
      return renderCode(token)
    case 'blockquote': {
      const quoted = renderBlocks(token.tokens, depth + 1)
      // Quotes cannot stand in each other, nor in anything else; the outermost one is shown.
      return depth === 0 ? `<blockquote>${quoted}</blockquote>` : quoted
    }
    case 'list':
      return renderList(token, depth)
    case 'table':
      return renderTable(token)
    case 'hr':
      return '———'
    case 'text':
      return token.tokens ? renderInline(token.tokens) : escapeHtml(token.text)
    case 'html':
      return escapeHtml(token.text.trim())
    default:
      return renderInline([token])
  }
}

function renderCode(token: Tokens.Code): string {
  const language = languageOf(token)
  const code = escapeHtml(token.text)
  return language ? `<pre><code class="language-${escapeHtml(language)}">${code}</code></pre>` : `<pre>${code}</pre>`
}

function renderList(list: Tokens.List, depth: number): string {
  const items = list.items.map((item, index) => {
    const mark = item.task ? (item.checked ? '☑' : '☐') : list.ordered ? `${(list.start || 1) + index}.` : '•'
    return `${mark} ${renderBlocks(item.tokens, depth + 1).replaceAll('\n', '\n   ')}`
  })
  return items.join('\n')
}

/** A phone shows about forty characters of a line of code; wider cells are left to wrap. */
const widestCell = 24

function renderTable({ header, rows }: Tokens.Table): string {
  const lines = [header, ...rows].map((cells) => cells.map(({ tokens }) => plainText(tokens)))
  const widths = header.map((_, column) =>
    Math.min(widestCell, Math.max(...lines.map((cells) => cells[column]?.length ?? 0))),
  )
  const drawn = lines.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  )
  drawn.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('-|-'))
  return `<pre>${escapeHtml(drawn.join('\n'))}</pre>`
}

function renderInline(tokens: readonly Token[]): string {
  return known(tokens)
    .map((token) => {
      switch (token.type) {
        case 'strong':
          return `<b>${renderInline(token.tokens)}</b>`
        case 'em':
          return `<i>${renderInline(token.tokens)}</i>`
        case 'del':
          return `<s>${renderInline(token.tokens)}</s>`
        case 'codespan':
          return `<code>${escapeHtml(token.text)}</code>`
        case 'br':
          return '\n'
        case 'link':
          return renderLink(token.href, renderInline(token.tokens))
        case 'image':
          return renderLink(token.href, escapeHtml(token.text || token.href))
        case 'text':
          return token.tokens ? renderInline(token.tokens) : escapeHtml(token.text)
        case 'escape':
          return escapeHtml(token.text)
        default:
          return escapeHtml(token.raw)
      }
    })
    .join('')
}

const renderLink = (href: string, label: string): string =>
  isSafeLink(href) ? `<a href="${escapeHtml(href)}">${label}</a>` : `${label} (${escapeHtml(href)})`

function plainText(tokens: readonly Token[]): string {
  return known(tokens)
    .map((token) =>
      'tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? token.text : token.raw,
    )
    .join('')
    .replaceAll('\n', ' ')
}
