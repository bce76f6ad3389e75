import type { RichBlock } from 'grammy/types'
import { z } from 'zod'
import { parseButton } from './parse-keyboard.ts'
import { badRequest } from './refusal.ts'

const text: z.ZodType<unknown> = z.lazy(() => z.union([z.string(), z.array(text), styled]))
const named = (type: string, ...fields: string[]) =>
  z.strictObject({ type: z.literal(type), text, ...Object.fromEntries(fields.map((field) => [field, z.string()])) })
const plain = ['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'subscript', 'superscript', 'marked', 'code']
const button = z.looseObject({ text })
const styled = z.lazy(() =>
  z.discriminatedUnion('type', [
    named('url', 'url'),
    ...plain.map((type) => named(type)),
    named('email_address', 'email_address'),
    named('phone_number', 'phone_number'),
    named('bank_card_number', 'bank_card_number'),
    named('mention', 'username'),
    named('hashtag', 'hashtag'),
    named('cashtag', 'cashtag'),
    named('bot_command', 'bot_command'),
    named('anchor_link', 'anchor_name'),
    named('reference', 'name'),
    named('reference_link', 'reference_name'),
    z.strictObject({ type: z.literal('anchor'), name: z.string() }),
    z.strictObject({ type: z.literal('mathematical_expression'), expression: z.string() }),
    z.strictObject({ type: z.literal('custom_emoji'), custom_emoji_id: z.string(), alternative_text: z.string() }),
    z.strictObject({ type: z.literal('date_time'), text, unix_time: z.int(), date_time_format: z.string() }),
    z.strictObject({ type: z.literal('text_mention'), text, user: z.looseObject({ id: z.int() }) }),
    z.strictObject({ type: z.literal('button'), button }),
  ]),
)

const cell = z.strictObject({
  text: text.optional(),
  is_header: z.boolean().optional(),
  colspan: z.int().min(1).optional(),
  rowspan: z.int().min(1).optional(),
  align: z.enum(['left', 'center', 'right']),
  valign: z.enum(['top', 'middle', 'bottom']),
})
const blocks: z.ZodType<unknown> = z.lazy(() => z.array(block))
const item = z.strictObject({
  blocks,
  has_checkbox: z.boolean().optional(),
  is_checked: z.boolean().optional(),
  value: z.int().optional(),
  type: z.enum(['a', 'A', 'i', 'I', '1']).optional(),
})
const media = ['collage', 'slideshow', 'map', 'animation', 'audio', 'document', 'photo', 'video', 'voice_note']
const block = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('paragraph'), text }),
    z.strictObject({ type: z.literal('heading'), text, size: z.int().min(1).max(6) }),
    z.strictObject({ type: z.literal('pre'), text, language: z.string().optional() }),
    z.strictObject({ type: z.literal('footer'), text }),
    z.strictObject({ type: z.literal('thinking'), text }),
    z.strictObject({ type: z.literal('divider') }),
    z.strictObject({ type: z.literal('mathematical_expression'), expression: z.string() }),
    z.strictObject({ type: z.literal('anchor'), name: z.string() }),
    z.strictObject({ type: z.literal('list'), items: z.array(item).min(1) }),
    z.strictObject({ type: z.literal('blockquote'), blocks, credit: text.optional() }),
    z.strictObject({ type: z.literal('expandable_blockquote'), text, credit: text.optional() }),
    z.strictObject({ type: z.literal('pullquote'), text, credit: text.optional() }),
    z.strictObject({
      type: z.literal('table'),
      cells: z.array(z.array(cell).min(1)).min(1),
      is_bordered: z.boolean().optional(),
      is_striped: z.boolean().optional(),
      is_compact: z.boolean().optional(),
      caption: text.optional(),
    }),
    z.strictObject({ type: z.literal('details'), summary: text, blocks, is_open: z.boolean().optional() }),
    z.strictObject({
      type: z.literal('buttons'),
      buttons: z.array(button).min(1).max(8),
      align: z.enum(['left', 'center', 'right']).optional(),
    }),
    ...media.map((type) => z.looseObject({ type: z.literal(type) })),
  ]),
)

/** Blocks as a bot describes them, checked, as people get them: lists have their labels. */
export function parseBlocks(input: readonly unknown[]): RichBlock[] {
  const parsed = z.array(block).safeParse(input)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw badRequest(`can't parse rich message blocks: "${issue?.path.join('.')}" ${issue?.message}`)
  }
  return input.map((one) => label(one) as RichBlock)
}

interface InputItem {
  value?: number
  type?: string
}

function label(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(label)
  if (typeof value !== 'object' || value === null) return value
  const known: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, label(one)]),
  )
  if (known.type === 'list')
    known.items = (known.items as InputItem[]).map((one, index) => ({ label: labelOf(one, index), ...one }))
  if (known.type === 'button') parseButton(plainButton(known.button), true, true)
  if (known.type === 'buttons') for (const one of known.buttons as unknown[]) parseButton(plainButton(one), true, true)
  return known
}

/** The text of a button in a rich message may itself be rich; the rest of it is as on a keyboard. */
const plainButton = (button: unknown) => ({ ...(button as object), text: 'x' })

function labelOf({ value, type }: InputItem, index: number): string {
  if (value === undefined && type === undefined) return '•'
  const number = value ?? index + 1
  if (type === 'a' || type === 'A') {
    const letter = String.fromCharCode(96 + number)
    return `${type === 'A' ? letter.toUpperCase() : letter}.`
  }
  if (type === 'i' || type === 'I') return `${type === 'i' ? roman(number).toLowerCase() : roman(number)}.`
  return `${number}.`
}

function roman(number: number): string {
  const signs = { M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 }
  let [left, written] = [number, '']
  for (const [sign, worth] of Object.entries(signs)) for (; left >= worth; left -= worth) written += sign
  return written
}
