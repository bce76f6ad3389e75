// A model's Markdown as the blocks of a rich message, from marked's tokens. Nothing is left for Telegram to parse:
// whatever stands in the Markdown, HTML comes out as the text that it is and pictures as links, for Telegram would fetch
// them from wherever the text says.
import type { InputRichBlock, RichText } from '@grammyjs/types'
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { isSafeLink, known, languageOf } from './markdown-tokens.ts'

/** Without files: those are sent by themselves. */
export type Block = InputRichBlock<never>

export const markdownToBlocks = (markdown: string): Block[] => known(lexer(markdown)).flatMap(renderBlock)

const renderBlocks = (tokens: readonly Token[]): Block[] => known(tokens).flatMap(renderBlock)

function renderBlock(token: MarkedToken): Block[] {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return []
    case 'heading': {
      const size = Math.min(Math.max(token.depth, 1), 6) as 1 | 2 | 3 | 4 | 5 | 6
      return [{ type: 'heading', size, text: renderInline(token.tokens) }]
    }
    case 'paragraph':
      return [{ type: 'paragraph', text: renderInline(token.tokens) }]
    case 'code': {
      const language = languageOf(token)
      return [{ type: 'pre', text: token.text, ...(language ? { language } : {}) }]
    }
    case 'blockquote':
      return [{ type: 'blockquote', blocks: renderBlocks(token.tokens) }]
    case 'list':
      return [{ type: 'list', items: token.items.map((item, index) => renderItem(token, item, index)) }]
    case 'table':
      return [renderTable(token)]
    case 'hr':
      return [{ type: 'divider' }]
    case 'text':
      return [{ type: 'paragraph', text: token.tokens ? renderInline(token.tokens) : token.text }]
    case 'html':
      return [{ type: 'paragraph', text: token.text.trim() }]
    default:
      return [{ type: 'paragraph', text: renderInline([token]) }]
  }
}

function renderItem(list: Tokens.List, item: Tokens.ListItem, index: number) {
  const blocks = renderBlocks(item.tokens)
  return {
    blocks: blocks.length ? blocks : [{ type: 'paragraph' as const, text: '' }],
    ...(item.task ? { has_checkbox: true as const } : {}),
    ...(item.checked ? { is_checked: true as const } : {}),
    ...(list.ordered ? { type: '1' as const, value: (list.start || 1) + index } : {}),
  }
}

function renderTable({ header, rows }: Tokens.Table): Block {
  const cell = ({ tokens, align, header: isHeader }: Tokens.TableCell) => ({
    text: renderInline(tokens),
    align: align ?? ('left' as const),
    valign: 'top' as const,
    ...(isHeader ? { is_header: true as const } : {}),
  })
  return { type: 'table', cells: [header, ...rows].map((cells) => cells.map(cell)), is_bordered: true }
}

function renderInline(tokens: readonly Token[]): RichText {
  const parts = known(tokens).map((token): RichText => {
    switch (token.type) {
      case 'strong':
        return { type: 'bold', text: renderInline(token.tokens) }
      case 'em':
        return { type: 'italic', text: renderInline(token.tokens) }
      case 'del':
        return { type: 'strikethrough', text: renderInline(token.tokens) }
      case 'codespan':
        return { type: 'code', text: token.text }
      case 'br':
        return '\n'
      case 'link':
        return renderLink(token.href, renderInline(token.tokens))
      case 'image':
        return renderLink(token.href, token.text || token.href)
      case 'text':
        return token.tokens ? renderInline(token.tokens) : token.text
      case 'escape':
        return token.text
      default:
        return token.raw
    }
  })
  return parts.length === 1 ? (parts[0] as RichText) : parts
}

const renderLink = (url: string, text: RichText): RichText =>
  isSafeLink(url) ? { type: 'url', text, url } : [text, ` (${url})`]
