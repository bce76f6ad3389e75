import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { countCharacters, limits } from './limits.ts'
import { badRequest } from './refusal.ts'

const kinds = [
  'url',
  'callback_data',
  'web_app',
  'login_url',
  'disabled',
  'switch_inline_query',
  'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat',
  'copy_text',
  'callback_game',
  'pay',
] as const
const styles = ['danger', 'success', 'primary']
const described = new Set<string>([...kinds, 'text', 'style', 'icon_custom_emoji_id'])

/** An inline keyboard as Telegram keeps it. Other reply markup is not part of a message and is left alone. */
export function parseKeyboard(markup: unknown, isPrivate: boolean): InlineKeyboardMarkup | undefined {
  if (markup === undefined) return undefined
  if (typeof markup !== 'object' || markup === null) throw badRequest('object expected as reply markup')
  if (!('inline_keyboard' in markup)) {
    if ('keyboard' in markup || 'remove_keyboard' in markup || 'force_reply' in markup) return undefined
    // An empty object takes the keyboard away.
    if (Object.keys(markup).length === 0) return undefined
    throw badRequest("can't parse reply keyboard markup JSON object")
  }
  const rows = markup.inline_keyboard
  if (!Array.isArray(rows) || !rows.every(Array.isArray))
    throw badRequest('can\'t parse inline keyboard markup JSON object: Field "inline_keyboard" must be of type Array')
  const keyboard = rows
    .map((row: unknown[]) => row.map((button) => parseButton(button, isPrivate)))
    .filter((row) => row.length > 0)
  if (keyboard.flat().length > limits.keyboardButtons) throw badRequest('reply markup is too long')
  return keyboard.length ? { inline_keyboard: keyboard } : undefined
}

/** In a rich message a button may also look like a link. */
export function parseButton(button: unknown, isPrivate: boolean, isRich = false): InlineKeyboardButton {
  const refuse = (problem: string) => badRequest(`can't parse inline keyboard button: ${problem}`)
  if (typeof button !== 'object' || button === null) throw refuse('expected an Object')
  const fields = button as Record<string, unknown>
  const unknown = Object.keys(fields).find((name) => !described.has(name))
  if (unknown) throw refuse(`the emulator knows no field "${unknown}"`)
  if (typeof fields.text !== 'string' || !fields.text.trim()) throw refuse('Field "text" must be of type String')
  const used = kinds.filter((kind) => fields[kind] !== undefined)
  if (used.length === 0) throw refuse('Text buttons are unallowed in the inline keyboard')
  if (used.length > 1) throw refuse(`a button can't have both "${used[0]}" and "${used[1]}"`)
  if (fields.style !== undefined && ![...styles, ...(isRich ? ['link'] : [])].includes(String(fields.style)))
    throw badRequest('invalid button style specified')
  checkKind(used[0] as (typeof kinds)[number], fields, isPrivate)
  return button as InlineKeyboardButton
}

function checkKind(kind: (typeof kinds)[number], fields: Record<string, unknown>, isPrivate: boolean): void {
  const value = fields[kind]
  if (kind === 'callback_data') {
    const bytes = typeof value === 'string' ? Buffer.byteLength(value) : 0
    if (bytes < 1 || bytes > limits.callbackDataBytes) throw badRequest('BUTTON_DATA_INVALID')
  }
  if (kind === 'copy_text') {
    const { text } = (value ?? {}) as { text?: unknown }
    if (typeof text !== 'string' || !text || countCharacters(text) > limits.copyTextCharacters)
      throw badRequest('BUTTON_COPY_TEXT_INVALID')
  }
  if (kind === 'url') checkUrl(value)
  if (kind === 'disabled' && (typeof value !== 'object' || value === null))
    throw badRequest('can\'t parse inline keyboard button: Field "disabled" must be of type Object')
  if (kind === 'web_app') {
    const { url } = (value ?? {}) as { url?: unknown }
    if (!isPrivate) throw badRequest('BUTTON_TYPE_INVALID')
    if (typeof url !== 'string' || !url.startsWith('https://'))
      throw badRequest(`inline keyboard button Web App URL '${url}' is invalid: Only HTTPS links are allowed`)
  }
}

/** Telegram opens only what can be an address of the Internet: "localhost" is refused, which surprises at home. */
function checkUrl(value: unknown): void {
  const address = String(value)
  if (/^tg:\/\/\w/.test(address)) return
  const refused = badRequest(`inline keyboard button URL '${address}' is invalid: Wrong HTTP URL`)
  const url = URL.parse(address.includes('://') ? address : `http://${address}`)
  if (!url) throw refused
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw badRequest(`inline keyboard button URL '${address}' is invalid: Unsupported URL protocol`)
  if (!url.hostname.includes('.')) throw refused
}
