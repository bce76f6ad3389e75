import type { QuestionCard } from '@quartermaster/db'
import { isMessageGone, isNotModified } from '../connect/describe-refusal.ts'
import { asSignal, type TelegramConnection } from '../connect/telegram-connection.ts'
import { type CardView, renderCard } from './render-card.ts'

/** A card that was sent, as the question stands now. One that shows this already, or that somebody deleted, is fine. */
export async function showCard(
  { api, log }: TelegramConnection,
  message: { chatId: number; messageId: number },
  card: QuestionCard,
  signal: AbortSignal,
  view?: CardView,
): Promise<void> {
  const { text, keyboard } = renderCard(card, view)
  try {
    await api.raw.editMessageText(
      {
        chat_id: message.chatId,
        message_id: message.messageId,
        text,
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        // Without any, the keyboard goes.
        ...(keyboard ? { reply_markup: keyboard } : {}),
      },
      asSignal(signal),
    )
  } catch (error) {
    if (isNotModified(error)) return
    if (!isMessageGone(error)) throw error
    log.debug({ ...message }, 'a card is not there any more')
  }
}
