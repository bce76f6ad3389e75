import type { MessageEntity } from 'grammy/types'
import { detectEntities } from './detect-entities.ts'
import { countCharacters, limits } from './limits.ts'
import { parseHtml } from './parse-html.ts'
import { badRequest } from './refusal.ts'

export interface FormattedText {
  text: string
  entities: MessageEntity[]
}

/** A text with its entities, from whichever of the ways to say them was used. */
export function parseText(text: string, parseMode?: string, given: MessageEntity[] = []): FormattedText {
  if (parseMode && parseMode !== 'HTML')
    // The emulator knows one mode only, so that nobody believes another was checked.
    throw badRequest(
      /^markdown(v2)?$/i.test(parseMode) ? `the emulator does not parse ${parseMode}` : 'unsupported parse_mode',
    )
  for (const { offset, length } of given)
    if (offset < 0 || length <= 0 || offset + length > text.length)
      throw badRequest(
        `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${offset + length}`,
      )
  const parsed = parseMode ? parseHtml(text) : { text: given.length ? text : text.trim(), entities: given }
  return { text: parsed.text, entities: detectEntities(parsed.text, parsed.entities) }
}

export function parseMessageText(text: string | undefined, parseMode?: string, given?: MessageEntity[]): FormattedText {
  const parsed = parseText(text ?? '', parseMode, given)
  if (!parsed.text) throw badRequest('message text is empty')
  if (countCharacters(parsed.text) > limits.textCharacters) throw badRequest('message is too long')
  return parsed
}

export function parseCaption(
  caption: string | undefined,
  parseMode?: string,
  given?: MessageEntity[],
): { caption?: string; caption_entities?: MessageEntity[] } {
  if (!caption) return {}
  const { text, entities } = parseText(caption, parseMode, given)
  if (countCharacters(text) > limits.captionCharacters) throw badRequest('message caption is too long')
  return { caption: text, ...(entities.length > 0 && { caption_entities: entities }) }
}
