import type { MessageEntity, RichBlock, RichText } from 'grammy/types'
import { plainText } from './plain-text.ts'

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll('\n', '<br>')

const tagOf: Partial<Record<string, string>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
  spoiler: 'mark',
  marked: 'mark',
  subscript: 'sub',
  superscript: 'sup',
}

/** A text with its entities; they nest, so they open and close like brackets. */
export function renderEntities(text: string, entities: readonly MessageEntity[] = []): string {
  let html = ''
  const open: MessageEntity[] = []
  for (let at = 0; at <= text.length; at++) {
    while (open.length && end(open.at(-1) as MessageEntity) <= at) html += closing(open.pop() as MessageEntity)
    for (const entity of entities) {
      if (entity.offset !== at || entity.length === 0) continue
      open.push(entity)
      html += opening(entity)
    }
    html += escapeHtml(text.charAt(at))
  }
  return html
}

const end = ({ offset, length }: MessageEntity) => offset + length
const opening = (entity: MessageEntity) =>
  tagOf[entity.type] ? `<${tagOf[entity.type]}>` : `<a${'url' in entity ? ` title="${escapeHtml(entity.url)}"` : ''}>`
const closing = ({ type }: MessageEntity) => `</${tagOf[type] ?? 'a'}>`

export function renderBlock(block: RichBlock): string {
  switch (block.type) {
    case 'heading':
      return `<h${block.size}>${renderRich(block.text)}</h${block.size}>`
    case 'pre':
      return `<pre>${escapeHtml(plainText(block.text))}</pre>`
    case 'divider':
      return '<hr>'
    case 'blockquote':
      return `<blockquote>${block.blocks.map(renderBlock).join('')}</blockquote>`
    case 'list':
      return `<ul>${block.items
        .map(({ label, blocks, has_checkbox, is_checked }) => {
          const box = has_checkbox ? (is_checked ? '☑ ' : '☐ ') : ''
          return `<li><span>${escapeHtml(label)} ${box}</span><div>${blocks.map(renderBlock).join('')}</div></li>`
        })
        .join('')}</ul>`
    case 'table':
      return `<table>${block.cells
        .map((row) => `<tr>${row.map(({ text, is_header }) => cell(text, is_header)).join('')}</tr>`)
        .join('')}</table>`
    case 'details':
      return `<details open><summary>${renderRich(block.summary)}</summary>${block.blocks.map(renderBlock).join('')}</details>`
    default:
      return `<p>${'text' in block ? renderRich(block.text) : escapeHtml(`[${block.type}]`)}</p>`
  }
}

const cell = (text: RichText | undefined, isHeader?: boolean) =>
  isHeader ? `<th>${renderRich(text)}</th>` : `<td>${renderRich(text)}</td>`

function renderRich(text: RichText | undefined): string {
  if (text === undefined) return ''
  if (typeof text === 'string') return escapeHtml(text)
  if (Array.isArray(text)) return text.map(renderRich).join('')
  const tag = tagOf[text.type] ?? 'a'
  return `<${tag}>${'text' in text ? renderRich(text.text) : escapeHtml(plainText(text))}</${tag}>`
}
