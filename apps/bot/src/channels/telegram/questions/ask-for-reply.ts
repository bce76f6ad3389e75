// A prompt for something that has to be written: a reason, changed arguments, the text of a form's page. What it asks
// for stands in the button below it, which comes back with the reply: nothing has to be remembered, and nobody but us
// can make such a message.
import type { InlineKeyboardButton, Message, User } from '@grammyjs/types'
import type { QuestionCard } from '@quartermaster/db'
import { type TelegramConnection, within } from '../connect/telegram-connection.ts'
import { target } from '../conversation-key.ts'
import { telegramLimits } from '../limits.ts'
import { placeOf } from '../receive/receive-message.ts'
import { escapeHtml, shorten } from '../render/escape-html.ts'
import { button, formatClick, promptFor } from './callback-data.ts'

export async function askForReply(
  telegram: TelegramConnection,
  from: User,
  cardMessage: Message,
  card: QuestionCard,
  what: (typeof promptFor)[keyof typeof promptFor],
  tab = 0,
): Promise<{ text?: string; alert?: boolean }> {
  const link = what === promptFor.edit ? consoleLink(telegram.chat.consoleUrl, card.id) : null
  const form: InlineKeyboardButton[] = link ? [{ text: 'Open the form', url: link }] : []
  const cancel = button('Cancel', formatClick(card.id, 'cancel', what, cardMessage.message_id, tab))
  try {
    await telegram.patientApi.raw.sendMessage(
      {
        ...target(placeOf(cardMessage)),
        text: `${mention(from)}${wordsOf(card, what, tab)}`,
        parse_mode: 'HTML',
        reply_parameters: { message_id: cardMessage.message_id, allow_sending_without_reply: true },
        reply_markup: { inline_keyboard: [[...form, cancel]], force_reply: true },
      },
      within(telegramLimits.callMs),
    )
    return {}
  } catch (error) {
    telegram.log.info({ error }, 'a prompt could not be sent')
    return { text: 'Telegram did not take the question for your reply. Press again in a moment.', alert: true }
  }
}

const mention = ({ id, first_name }: User) =>
  `<a href="tg://user?id=${id}">${escapeHtml(shorten(first_name, 40))}</a>, `

function wordsOf(card: QuestionCard, what: number, tab: number): string {
  if (what === promptFor.reason) return 'reply to this message with the reason, and it is denied.'
  if (what === promptFor.tab)
    return `reply to this message with your answer:\n<b>${escapeHtml(shorten(card.tabs[tab]?.question ?? '', 1_000))}</b>`
  const json = JSON.stringify(card.arguments, null, 2) ?? '{}'
  const shown = json.length <= 2_500 ? `\n<pre>${escapeHtml(json)}</pre>` : ''
  return `reply to this message with the changed arguments as JSON: all of them, and it runs with those.${shown}`
}

/** Telegram takes no button that leads to a machine's own address. */
function consoleLink(consoleUrl: string | null, questionId: string): string | null {
  if (!consoleUrl || !/^https:\/\/[^/]+\.[^/]+/.test(consoleUrl)) return null
  return `${consoleUrl}/approvals/${questionId}`
}
