import type { InlineKeyboardMarkup } from '@grammyjs/types'
import { GrammyError } from 'grammy'
import { type TelegramConnection, within } from '../connect/telegram-connection.ts'
import { type ChatPlace, isPrivate, target } from '../conversation-key.ts'
import { telegramLimits } from '../limits.ts'
import { htmlPieces } from '../render/html-pieces.ts'
import { richMessage } from '../render/rich-message.ts'

export interface Saying {
  markdown: string
  keyboard?: InlineKeyboardMarkup
  replyTo?: number
  /** In a group only this person sees it. */
  onlyFor?: { userId: number; callbackQueryId?: string }
}

/**
 * A reply of ours to what somebody just did: to a command, or to a word that was refused. It is no delivery: nobody
 * sends it again, so it is tried patiently here. Never throws, for what it replies to has been done.
 */
export async function say(telegram: TelegramConnection, place: ChatPlace, saying: Saying): Promise<void> {
  const { patientApi, log } = telegram
  const [first = '', ...rest] = htmlPieces(saying.markdown)
  const whisper = saying.onlyFor && !isPrivate(place) ? saying.onlyFor : null
  const others = {
    ...target(place),
    ...(saying.keyboard ? { reply_markup: saying.keyboard } : {}),
  }
  const reply = saying.replyTo
    ? { reply_parameters: { message_id: saying.replyTo, allow_sending_without_reply: true } }
    : {}
  const ways = [
    // A whisper first, where it is for one alone; then everybody reads it rather than nobody.
    ...(whisper
      ? [
          () =>
            patientApi.raw.sendRichMessage(
              {
                ...others,
                rich_message: richMessage(saying.markdown),
                ephemeral_message_parameters: {
                  receiver_user_id: whisper.userId,
                  ...(whisper.callbackQueryId ? { callback_query_id: whisper.callbackQueryId } : {}),
                },
              },
              within(telegramLimits.callMs),
            ),
        ]
      : []),
    () =>
      patientApi.raw.sendRichMessage(
        { ...others, ...reply, rich_message: richMessage(saying.markdown) },
        within(telegramLimits.callMs),
      ),
    async () => {
      await patientApi.raw.sendMessage(
        { ...others, ...reply, text: first, parse_mode: 'HTML' },
        within(telegramLimits.callMs),
      )
      for (const text of rest)
        await patientApi.raw.sendMessage({ ...target(place), text, parse_mode: 'HTML' }, within(telegramLimits.callMs))
    },
  ]
  for (const way of ways) {
    try {
      await way()
      return
    } catch (error) {
      log.debug({ error }, 'a reply was not taken by Telegram')
      // Only what Telegram did not understand is said in other words.
      if (!(error instanceof GrammyError) || (error.error_code !== 400 && error.error_code !== 404)) break
    }
  }
  log.info({ chatId: place.chatId }, 'a reply could not be sent')
}
