import type { RichBlock, RichMessageButton, RichText } from 'grammy/types'
import { marked, type Token, type Tokens } from 'marked'
import { countCharacters, limits } from './limits.ts'
import { plainBlock, plainText } from './plain-text.ts'
import { badRequest } from './refusal.ts'
import { parseBlocks } from './rich-blocks.ts'
import { buttonOfTag } from './rich-buttons.ts'

export interface RichInput {
  markdown?: string
  html?: string
  blocks?: unknown[]
  media?: { id: string; media: unknown }[]
  is_rtl?: boolean
  skip_entity_detection?: boolean
}

/** A rich message as people see it: its blocks, and the same as plain text. */
export interface RichContent {
  blocks: RichBlock[]
  text: string
}

interface Counted {
  blocks: number
  depth: number
  columns: number
  media: number
}

/**
 * A rich message within its limits, or a refusal. Telegram's own refusals of rich messages are documented as limits
 * without texts; where none is known, the text says which limit it was.
 */
export function parseRichMessage(input: RichInput, isDraft = false): RichContent {
  const ways = [input.markdown, input.html, input.blocks].filter((way) => way !== undefined)
  if (ways.length !== 1) throw badRequest('exactly one of the fields html, markdown, or blocks must be used')
  if (input.html !== undefined) throw badRequest('the emulator does not parse rich HTML')
  checkMediaIds(input)
  const blocks = input.blocks ? parseBlocks(input.blocks) : fromMarkdown(input)
  const text = blocks.map(plainBlock).join('\n').trim()
  if (!isDraft && hasThinking(blocks)) throw badRequest('thinking blocks can be used only in drafts')
  const { media } = checkLimits(blocks, text)
  if (!text && media === 0 && !isDraft) throw badRequest('message text is empty')
  return { blocks, text }
}

function checkLimits(blocks: RichBlock[], text: string): Counted {
  const counted = blocks.reduce((sum, block) => merge(sum, countBlock(block, 1)), nothing)
  if (countCharacters(text) > limits.richCharacters) throw badRequest('message is too long')
  if (counted.blocks > limits.richBlocks) throw badRequest('rich message has too many blocks')
  if (counted.depth > limits.richDepth) throw badRequest('rich message is nested too deep')
  if (counted.columns > limits.richColumns) throw badRequest('rich message has a table with too many columns')
  if (counted.media > limits.richMedia) throw badRequest('rich message has too many media')
  return counted
}

function checkMediaIds({ media = [] }: RichInput): void {
  for (const { id } of media)
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw badRequest('invalid identifier of rich message media specified')
}

const nothing: Counted = { blocks: 0, depth: 0, columns: 0, media: 0 }
const merge = (one: Counted, other: Counted): Counted => ({
  blocks: one.blocks + other.blocks,
  depth: Math.max(one.depth, other.depth),
  columns: Math.max(one.columns, other.columns),
  media: one.media + other.media,
})

type LooseBlock = Record<string, unknown> & { type: string }

function countBlock(block: RichBlock, depth: number): Counted {
  const loose = block as unknown as LooseBlock
  let counted: Counted = { ...nothing, blocks: 1, depth: depth + depthOfText(loose.text) }
  for (const child of childrenOf(loose)) counted = merge(counted, countBlock(child, depth + 1))
  // A list item and a table row count as blocks of their own.
  if (Array.isArray(loose.items)) counted.blocks += loose.items.length
  if (Array.isArray(loose.cells)) {
    counted.blocks += loose.cells.length
    counted.columns = Math.max(
      ...loose.cells.map((row: { colspan?: number }[]) => row.reduce((sum, cell) => sum + (cell.colspan ?? 1), 0)),
    )
  }
  if (['photo', 'video', 'audio', 'animation', 'document', 'voice_note'].includes(loose.type)) counted.media++
  return counted
}

function childrenOf(block: LooseBlock): RichBlock[] {
  const own = Array.isArray(block.blocks) ? (block.blocks as RichBlock[]) : []
  const items = Array.isArray(block.items)
    ? (block.items as { blocks: RichBlock[] }[]).flatMap((item) => item.blocks)
    : []
  return [...own, ...items]
}

const hasThinking = (blocks: RichBlock[]): boolean =>
  blocks.some(
    (block) => block.type === ('thinking' as string) || hasThinking(childrenOf(block as unknown as LooseBlock)),
  )

function depthOfText(text: unknown): number {
  if (Array.isArray(text)) return Math.max(0, ...text.map(depthOfText))
  if (typeof text === 'object' && text !== null && 'text' in text) return 1 + depthOfText(text.text)
  return 0
}

function fromMarkdown({ markdown = '', media = [] }: RichInput): RichBlock[] {
  const known = new Set(media.map(({ id }) => id))
  return marked.lexer(markdown, { gfm: true }).flatMap((token) => blockOf(token, known))
}

function blockOf(token: Token, media: Set<string>): RichBlock[] {
  const inner = (tokens: Token[] = []) => tokens.flatMap((one) => blockOf(one, media))
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return [{ type: 'heading', size: token.depth, text: inline(token.tokens) } as RichBlock]
    case 'code':
      return [{ type: 'pre', text: token.text, ...(token.lang && { language: token.lang }) } as RichBlock]
    case 'hr':
      return [{ type: 'divider' }]
    case 'html': {
      const tags = [...token.raw.matchAll(/<tg-button\b([^>]*)>(.*?)<\/tg-button>/gs)]
      if (tags.length === 0) return [{ type: 'paragraph', text: token.raw }]
      return [{ type: 'buttons', buttons: tags.map(([, attributes = '', text = '']) => buttonOfTag(attributes, text)) }]
    }
    case 'blockquote':
      return [{ type: 'blockquote', blocks: inner(token.tokens) }]
    case 'list':
      return [{ type: 'list', items: listItems(token as Tokens.List, inner) }]
    case 'table':
      return [tableOf(token as Tokens.Table)]
    default: {
      const children = 'tokens' in token ? token.tokens : undefined
      const only = children?.length === 1 ? children[0] : undefined
      if (only?.type === 'image') return [pictureOf(only as Tokens.Image, media)]
      return [{ type: 'paragraph', text: children ? inline(children) : decode(token.raw) }]
    }
  }
}

function listItems(list: Tokens.List, inner: (tokens?: Token[]) => RichBlock[]) {
  return list.items.map((item, index) => ({
    label: list.ordered ? `${Number(list.start || 1) + index}.` : '•',
    blocks: inner(item.tokens.filter((token) => token.type !== 'checkbox')),
    ...(item.task && { has_checkbox: true as const }),
    ...(item.checked && { is_checked: true as const }),
  }))
}

function tableOf(table: Tokens.Table): RichBlock {
  const cell = (one: Tokens.TableCell, isHeader: boolean) => ({
    text: inline(one.tokens),
    ...(isHeader && { is_header: true as const }),
    align: one.align ?? ('left' as const),
    valign: 'top' as const,
  })
  return {
    type: 'table',
    cells: [table.header.map((one) => cell(one, true)), ...table.rows.map((row) => row.map((one) => cell(one, false)))],
  }
}

/** The emulator reaches no other host, so a picture by address is refused like one that Telegram cannot fetch. */
function pictureOf({ href, title }: Tokens.Image, media: Set<string>): RichBlock {
  const id = /^tg:\/\/(?:photo|video|document|audio)\?id=([A-Za-z0-9_-]+)$/.exec(href)?.[1]
  if (!id) throw badRequest('failed to get HTTP URL content')
  if (!media.has(id)) throw badRequest(`rich message media "${id}" not found`)
  return { type: 'photo', photo: [], ...(title && { caption: { text: title } }) } as unknown as RichBlock
}

function inline(tokens: Token[] = []): RichText {
  const parts = joinButtons(tokens).map((token): RichText => {
    if ('button' in token) return { type: 'button', button: token.button }
    switch (token.type) {
      case 'strong':
        return { type: 'bold', text: inline(token.tokens) }
      case 'em':
        return { type: 'italic', text: inline(token.tokens) }
      case 'del':
        return { type: 'strikethrough', text: inline(token.tokens) }
      case 'codespan':
        return { type: 'code', text: token.text }
      case 'link':
        return { type: 'url', text: inline(token.tokens), url: token.href }
      case 'br':
        return '\n'
      case 'image':
        return token.text
      case 'html':
        return isInlineTag(token.raw) ? '' : token.raw
      default:
        return 'tokens' in token && token.tokens
          ? inline(token.tokens)
          : decode('text' in token ? String(token.text) : token.raw)
    }
  })
  return parts.length === 1 ? (parts[0] as RichText) : parts
}

/** A button is three tokens or more to the parser of Markdown: its tag, what is in it, and the end of it. */
function joinButtons(tokens: Token[]): (Token | { button: RichMessageButton })[] {
  const joined: (Token | { button: RichMessageButton })[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    const tag = token.type === 'html' ? /^<tg-button\b([^>]*)>$/.exec(token.raw) : null
    const end = tag ? tokens.findIndex((one, index) => index > at && one.raw === '</tg-button>') : -1
    if (end < 0) joined.push(token)
    else {
      joined.push({ button: buttonOfTag(tag?.[1] ?? '', plainText(inline(tokens.slice(at + 1, end)))) })
      at = end
    }
  }
  return joined
}

const isInlineTag = (raw: string) => /^<\/?(u|ins|sub|sup|tg-spoiler|mark|b|i|s|code|br)\s*\/?>$/i.test(raw)

const characters: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ', '#39': "'" }
const decode = (text: string) => text.replace(/&(#39|[a-z]+);/g, (whole, name: string) => characters[name] ?? whole)
