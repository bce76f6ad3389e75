// What a button of a card carries, in 64 bytes at most: the question, what is meant, and indexes. Never data: what an
// index stands for is read from the question when it is pressed.
import type { InlineKeyboardButton, InlineKeyboardMarkup, Message } from '@grammyjs/types'

export type ClickVerb =
  | 'approve'
  | 'lease'
  | 'deny'
  | 'reason'
  | 'edit'
  | 'all'
  /** One option of several. */
  | 'option'
  /** One more, or one less, of those that are chosen: [option], or [tab, option] of a form. */
  | 'toggle'
  /** [tab]: its text is asked for. */
  | 'write'
  | 'page'
  | 'send'
  | 'decline'
  /** Under a prompt of ours: what it asked for is not wanted any more. Its indexes say what the prompt asked for. */
  | 'cancel'

const codes: Record<ClickVerb, string> = {
  approve: 'a',
  lease: 'l',
  deny: 'd',
  reason: 'r',
  edit: 'e',
  all: 's',
  option: 'o',
  toggle: 't',
  write: 'w',
  page: 'p',
  send: 'f',
  decline: 'n',
  cancel: 'c',
}
const verbs = new Map(Object.entries(codes).map(([verb, code]) => [code, verb as ClickVerb]))

export interface Click {
  questionId: string
  verb: ClickVerb
  indexes: number[]
}

export const formatClick = (questionId: string, verb: ClickVerb, ...indexes: number[]): string =>
  ['q', questionId, codes[verb], ...indexes].join(':')

export function parseClick(data: string): Click | null {
  const [mark, questionId, code, ...rest] = data.split(':')
  const verb = verbs.get(code ?? '')
  if (mark !== 'q' || !questionId || !verb) return null
  const indexes = rest.map(Number)
  return indexes.every((index) => Number.isSafeInteger(index) && index >= 0) ? { questionId, verb, indexes } : null
}

/** What a prompt asks for, as the first index of its `cancel` button. The second is the card's message, the third a tab. */
export const promptFor = { reason: 0, edit: 1, tab: 2 } as const

/** Of the button that stops what is being shown. */
export const stopData = 'stop'

export const button = (
  text: string,
  callback_data: string,
  style?: 'danger' | 'success' | 'primary',
): InlineKeyboardButton => ({ text, callback_data, ...(style ? { style } : {}) })

/**
 * Whether a button with this data stands in the keyboard under the message. Only our code makes keyboards: a button that
 * a model wrote into its answer is none of them, whatever it carries.
 */
export const hasButton = (message: Pick<Message, 'reply_markup'>, data: string): boolean =>
  buttonsOf(message.reply_markup).includes(data)

/** What the buttons under a message carry. */
export const buttonsOf = (markup: InlineKeyboardMarkup | undefined): string[] =>
  (markup?.inline_keyboard ?? []).flat().flatMap((each) => ('callback_data' in each ? [each.callback_data] : []))
