import type { MessageEntity } from 'grammy/types'
import { badRequest } from './refusal.ts'

interface OpenTag {
  name: string
  attributes: Record<string, string>
  start: number
}

const entityOf: Record<string, string> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  span: 'spoiler',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  a: 'text_link',
  'tg-emoji': 'custom_emoji',
  'tg-time': 'date_time',
}
const characterOf: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' }
const tagPattern = /^<(\/?)([a-zA-Z][a-zA-Z0-9-]*)?((?:\s+[^\s=>]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))?)*)\s*>/

/** Telegram's HTML, which is not the web's: a tag it does not know refuses the whole message. */
export function parseHtml(html: string): { text: string; entities: MessageEntity[] } {
  let text = ''
  let at = 0
  const open: OpenTag[] = []
  const entities: MessageEntity[] = []
  const refuse = (problem: string) => badRequest(`can't parse entities: ${problem}`)
  const byteOffset = () => Buffer.byteLength(html.slice(0, at))

  while (at < html.length) {
    const character = html[at] as string
    if (character === '&') {
      const reference = /^&(#x[0-9a-fA-F]+|#\d+|[a-z]+);/.exec(html.slice(at))
      const decoded = reference && decodeReference(reference[1] as string)
      text += decoded ?? '&'
      at += decoded ? (reference as RegExpExecArray)[0].length : 1
      continue
    }
    if (character !== '<') {
      text += character
      at++
      continue
    }
    const tag = tagPattern.exec(html.slice(at))
    if (!tag) {
      const name = /^<\/?([a-zA-Z0-9-]*)/.exec(html.slice(at))?.[1] ?? ''
      if (!html.slice(at).includes('>') && name in entityOf)
        throw refuse(`Unclosed start tag at byte offset ${byteOffset()}`)
      throw refuse(`Unsupported start tag "${name}" at byte offset ${byteOffset()}`)
    }
    const [whole, slash, rawName = '', rawAttributes = ''] = tag
    const name = rawName.toLowerCase()
    if (!slash) {
      const attributes = readAttributes(rawAttributes)
      if (!(name in entityOf) || (name === 'span' && attributes.class !== 'tg-spoiler'))
        throw refuse(`Unsupported start tag "${name}" at byte offset ${byteOffset()}`)
      open.push({ name, attributes, start: text.length })
    } else {
      const last = open.pop()
      if (!last) throw refuse(`Unexpected end tag at byte offset ${byteOffset()}`)
      if (name && name !== last.name)
        throw refuse(`Unmatched end tag at byte offset ${byteOffset()}, expected "</${last.name}>", found "</${name}>"`)
      const entity = closeTag(last, text, open)
      if (entity) entities.push(entity)
    }
    at += whole.length
  }
  const unclosed = open.pop()
  if (unclosed) throw refuse(`Can't find end tag corresponding to start tag "${unclosed.name}"`)
  return trim(text, entities)
}

function decodeReference(reference: string): string | null {
  if (!reference.startsWith('#')) return characterOf[reference] ?? null
  const code = reference.startsWith('#x') ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null
}

function readAttributes(raw: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const match of raw.matchAll(/([^\s=>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g)) {
    const value = match[2] ?? match[3] ?? match[4] ?? ''
    attributes[(match[1] as string).toLowerCase()] = value.replace(
      /&(#x[0-9a-fA-F]+|#\d+|[a-z]+);/g,
      (whole, reference: string) => decodeReference(reference) ?? whole,
    )
  }
  return attributes
}

function closeTag({ name, attributes, start }: OpenTag, text: string, around: OpenTag[]): MessageEntity | null {
  const length = text.length - start
  if (length === 0) return null
  const place = { offset: start, length }
  // A link without a target is plain text, and `<pre><code class="language-x">` is one entity, not two.
  if (name === 'a') {
    const url = attributes.href || text.slice(start)
    const user = /^tg:\/\/user\?id=(\d+)$/.exec(url)?.[1]
    if (user)
      return {
        type: 'text_mention',
        ...place,
        user: { id: Number(user), is_bot: false, first_name: text.slice(start) },
      }
    return /^(https?|tg|mailto|tel):/.test(url) ? { type: 'text_link', ...place, url } : null
  }
  if (name === 'code' && around.at(-1)?.name === 'pre' && around.at(-1)?.start === start) {
    const language = /^language-(.+)$/.exec(attributes.class ?? '')?.[1]
    if (language) (around.at(-1) as OpenTag).attributes.language = language
    return null
  }
  if (name === 'pre')
    return { type: 'pre', ...place, ...(attributes.language && { language: attributes.language }) } as MessageEntity
  if (name === 'blockquote')
    return { type: 'expandable' in attributes ? 'expandable_blockquote' : 'blockquote', ...place } as MessageEntity
  if (name === 'tg-emoji')
    return { type: 'custom_emoji', ...place, custom_emoji_id: attributes['emoji-id'] ?? '' } as MessageEntity
  return { type: entityOf[name], ...place } as MessageEntity
}

/** Telegram drops the white space around a message; the entities move with the text. */
function trim(text: string, entities: MessageEntity[]): { text: string; entities: MessageEntity[] } {
  const before = text.length - text.trimStart().length
  const trimmed = text.trim()
  return {
    text: trimmed,
    entities: entities.flatMap((entity) => {
      const start = Math.max(entity.offset - before, 0)
      const end = Math.min(entity.offset - before + entity.length, trimmed.length)
      return end > start ? [{ ...entity, offset: start, length: end - start }] : []
    }),
  }
}
