import type { InlineKeyboardButton, Message, RichMessageButton } from 'grammy/types'
import { parseButton } from './parse-keyboard.ts'
import { plainText } from './plain-text.ts'

/** The buttons inside of a rich message, wherever in it they stand. They can be pressed like those of a keyboard. */
export function richButtons(message: Message): InlineKeyboardButton[] {
  const found: InlineKeyboardButton[] = []
  const look = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(look)
    else if (typeof value === 'object' && value !== null) {
      const { type, button, buttons } = value as Record<string, unknown>
      if (type === 'button') found.push(asKeyboardButton(button as RichMessageButton))
      else if (type === 'buttons') found.push(...(buttons as RichMessageButton[]).map(asKeyboardButton))
      else Object.values(value).forEach(look)
    }
  }
  look(message.rich_message?.blocks)
  return found
}

const asKeyboardButton = (button: RichMessageButton) =>
  ({ ...button, text: plainText(button.text) }) as unknown as InlineKeyboardButton

/** What Telegram makes of `<tg-button …>` in Markdown, which anybody can write who is quoted in it. */
export function buttonOfTag(attributes: string, text: string): RichMessageButton {
  const read = (name: string) => new RegExp(`\\b${name}\\s*=\\s*"([^"]*)"`).exec(attributes)?.[1]
  const kinds: Record<string, object> = {
    url: { url: read('url') ?? '' },
    callback_data: { callback_data: read('data') ?? '' },
    copy_text: { copy_text: { text: read('text') ?? '' } },
    disabled: { disabled: {} },
  }
  const style = read('style')
  const button = { text, ...(style && { style }), ...kinds[read('type') ?? ''] }
  return parseButton(button, true, true) as unknown as RichMessageButton
}
