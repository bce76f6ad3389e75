import type { MessageEntity } from 'grammy/types'

const found: readonly { type: 'bot_command' | 'mention' | 'url' | 'email' | 'hashtag'; pattern: RegExp }[] = [
  { type: 'url', pattern: /\bhttps?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/g },
  { type: 'email', pattern: /\b[\w.+-]+@[\w-]+\.[\w.-]*\w/g },
  { type: 'bot_command', pattern: /(?<![\w/@])\/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/])/g },
  { type: 'mention', pattern: /(?<![\w@/])@[A-Za-z0-9_]{4,32}\b/g },
  { type: 'hashtag', pattern: /(?<!\w)#[\p{L}_][\p{L}\d_]*/gu },
]

/** The entities that Telegram finds in a text by itself; a stretch belongs to the first that claims it. */
export function detectEntities(text: string, given: readonly MessageEntity[] = []): MessageEntity[] {
  const entities: MessageEntity[] = [...given]
  const isTaken = (start: number, end: number) =>
    entities.some(
      ({ type, offset, length }) =>
        start < offset + length &&
        offset < end &&
        /^(code|pre|text_link|text_mention|url|email|bot_command)$/.test(type),
    )
  for (const { type, pattern } of found)
    for (const match of text.matchAll(pattern))
      if (!isTaken(match.index, match.index + match[0].length))
        entities.push({ type, offset: match.index, length: match[0].length })
  return entities.sort((one, other) => one.offset - other.offset || other.length - one.length)
}
