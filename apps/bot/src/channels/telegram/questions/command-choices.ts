// The buttons under a command's reply. They carry the command and a digest of what was offered: what it stands for is
// looked up when it is pressed, among what is offered then.
import { createHash } from 'node:crypto'
import type { InlineKeyboardMarkup } from '@grammyjs/types'
import type { CommandReply } from '../../../chat/chat-services.ts'
import { channelLimits } from '../limits.ts'
import { shorten } from '../render/escape-html.ts'
import { button } from './callback-data.ts'

export function choicesKeyboard(choices: CommandReply['choices']): InlineKeyboardMarkup | null {
  if (!choices?.options.length) return null
  const rows = choices.options.slice(0, channelLimits.menuOptions).map(({ label, value, chosen }) => {
    const text = `${chosen ? '● ' : ''}${shorten(label, channelLimits.buttonText)}`
    return [button(text, `m:${choices.command}:${digestOf(value)}`, chosen ? 'primary' : undefined)]
  })
  return { inline_keyboard: rows }
}

export function parseChoice(data: string): { command: string; digest: string } | null {
  const match = /^m:([a-z]{1,20}):([0-9a-f]{16})$/.exec(data)
  return match ? { command: match[1] as string, digest: match[2] as string } : null
}

/** Null: it is not offered any more. */
export const findChoice = (choices: CommandReply['choices'], digest: string): string | null =>
  choices?.options.find(({ value }) => digestOf(value) === digest)?.value ?? null

const digestOf = (value: string) => createHash('sha256').update(value).digest('hex').slice(0, 16)
