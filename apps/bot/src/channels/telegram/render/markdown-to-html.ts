// A model's Markdown as Telegram's HTML, from marked's tokens. There are two dialects: a rich message has headings,
// lists and tables; an ordinary one has only characters in them, so those are drawn with what there is.
//
// Whatever stands in the Markdown, the result holds no tag but ours: HTML in it comes out as the text that it is, and
// pictures as links, for Telegram would fetch them from wherever the text says.
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { escapeHtml } from './escape-html.ts'

export type Dialect = 'rich' | 'plain'

export function markdownToHtml(markdown: string, dialect: Dialect): string {
  return renderBlocks(lexer(markdown), dialect).trim()
}

/** marked's own tokens; what an extension of it would add does not come up, for there is none. */
const known = (tokens: readonly Token[]) => tokens as readonly MarkedToken[]

function renderBlocks(tokens: readonly Token[], dialect: Dialect, depth = 0): string {
  const blocks = known(tokens).flatMap((token) => {
    const html = renderBlock(token, dialect, depth)
    return html === '' ? [] : [html]
  })
  return blocks.join(dialect === 'rich' ? '' : depth > 0 ? '\n' : '\n\n')
}

function renderBlock(token: MarkedToken, dialect: Dialect, depth: number): string {
  const isRich = dialect === 'rich'
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return ''
    case 'heading': {
      const level = Math.min(token.depth, 6)
      const text = renderInline(token.tokens, dialect)
      return isRich ? `<h${level}>${text}</h${level}>` : `<b>${text}</b>`
    }
    case 'paragraph':
      return isRich ? `<p>${renderInline(token.tokens, dialect)}</p>` : renderInline(token.tokens, dialect)
    case 'code':
      return renderCode(token)
    case 'blockquote': {
      const quoted = renderBlocks(token.tokens, dialect, depth + 1)
      // In an ordinary message quotes cannot stand in each other; the outermost one is shown.
      return isRich || depth === 0 ? `<blockquote>${quoted}</blockquote>` : quoted
    }
    case 'list':
      return renderList(token, dialect, depth)
    case 'table':
      return isRich ? renderRichTable(token) : renderDrawnTable(token)
    case 'hr':
      return isRich ? '<hr/>' : '———'
    case 'text':
      return token.tokens ? renderInline(token.tokens, dialect) : escapeHtml(token.text)
    case 'html':
      return escapeHtml(token.text.trim())
    default:
      return renderInline([token], dialect)
  }
}

function renderCode({ text, lang }: Tokens.Code): string {
  const language = /^[\w+#-]{1,30}/.exec(lang ?? '')?.[0]
  const code = escapeHtml(text)
  return language ? `<pre><code class="language-${escapeHtml(language)}">${code}</code></pre>` : `<pre>${code}</pre>`
}

function renderList(list: Tokens.List, dialect: Dialect, depth: number): string {
  const first = typeof list.start === 'number' ? list.start : 1
  const items = list.items.map((item, index) => {
    const content = renderBlocks(item.tokens, dialect, depth + 1)
    if (dialect === 'rich') {
      const box = item.task ? `<input type="checkbox"${item.checked ? ' checked' : ''}>` : ''
      return `<li>${box}${content}</li>`
    }
    const mark = item.task ? (item.checked ? '☑' : '☐') : list.ordered ? `${first + index}.` : '•'
    return `${mark} ${content.replaceAll('\n', '\n   ')}`
  })
  if (dialect === 'plain') return items.join('\n')
  if (!list.ordered) return `<ul>${items.join('')}</ul>`
  return `<ol${first === 1 ? '' : ` start="${first}"`}>${items.join('')}</ol>`
}

function renderRichTable({ header, rows }: Tokens.Table): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells
      .map(({ tokens, align }) => `<${tag}${align ? ` align="${align}"` : ''}>${renderInline(tokens, 'rich')}</${tag}>`)
      .join('')}</tr>`
  return `<table bordered>${row(header, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`
}

/** A phone shows about forty characters of a line of code; wider cells are left to wrap. */
const widestCell = 24

function renderDrawnTable({ header, rows }: Tokens.Table): string {
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

function renderInline(tokens: readonly Token[], dialect: Dialect): string {
  return known(tokens)
    .map((token) => {
      switch (token.type) {
        case 'strong':
          return `<b>${renderInline(token.tokens, dialect)}</b>`
        case 'em':
          return `<i>${renderInline(token.tokens, dialect)}</i>`
        case 'del':
          return `<s>${renderInline(token.tokens, dialect)}</s>`
        case 'codespan':
          return `<code>${escapeHtml(token.text)}</code>`
        case 'br':
          return dialect === 'rich' ? '<br>' : '\n'
        case 'link':
          return renderLink(token.href, renderInline(token.tokens, dialect))
        case 'image':
          return renderLink(token.href, escapeHtml(token.text || token.href))
        case 'text':
          return token.tokens ? renderInline(token.tokens, dialect) : escapeHtml(token.text)
        case 'escape':
          return escapeHtml(token.text)
        default:
          return escapeHtml(token.raw)
      }
    })
    .join('')
}

/** Only to where a link may lead; any other address is shown instead of followed. */
function renderLink(href: string, label: string): string {
  return /^(https?:\/\/|mailto:)/i.test(href)
    ? `<a href="${escapeHtml(href)}">${label}</a>`
    : `${label} (${escapeHtml(href)})`
}

function plainText(tokens: readonly Token[]): string {
  return known(tokens)
    .map((token) =>
      'tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? token.text : token.raw,
    )
    .join('')
    .replaceAll('\n', ' ')
}
