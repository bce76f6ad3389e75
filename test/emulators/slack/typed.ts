import type { Block, Json } from './model.ts'

/**
 * What Slack makes of what somebody types: the three characters of its markup are escaped, addresses become links, and
 * what is written as Slack stores it (mentions, escapes) stays. The same comes once more as rich text.
 */
export function typed(words: string): { text: string; blocks: Block[] } {
  const parts = words.split(/(<[@#!][^>\s]+>|https?:\/\/[^\s<>]+)/)
  const text = parts
    .map((part) => (isMention(part) ? part : isLink(part) ? `<${escapeMarkup(part)}>` : escapeMarkup(part)))
    .join('')
  const elements = parts.filter(Boolean).map(
    (part): Json =>
      isMention(part)
        ? {
            type: part.startsWith('<#') ? 'channel' : 'user',
            [part.startsWith('<#') ? 'channel_id' : 'user_id']: part.slice(2, -1),
          }
        : isLink(part)
          ? { type: 'link', url: part }
          : { type: 'text', text: unescapeMarkup(part) },
  )
  if (!elements.length) return { text, blocks: [] }
  return {
    text,
    blocks: [{ type: 'rich_text', block_id: 'typed', elements: [{ type: 'rich_text_section', elements }] }],
  }
}

const isMention = (part: string) => /^<[@#!]/.test(part)
const isLink = (part: string) => /^https?:/.test(part)
const escapeMarkup = (part: string) =>
  part
    .replace(/&(?!(?:amp|lt|gt);)/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
const unescapeMarkup = (part: string) => part.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&')
