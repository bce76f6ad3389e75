import { type TelegramConnection, within } from '../connect/telegram-connection.ts'
import type { ChatPlace } from '../conversation-key.ts'
import { telegramLimits } from '../limits.ts'
import { shorten } from '../render/escape-html.ts'

/** As much of a sentence as a list of topics shows. */
const titleLength = 60

/** A topic of a private chat is one conversation, and is called what was said first in it. Never throws. */
export async function titleTopic(telegram: TelegramConnection, { chatId, topicId }: ChatPlace, text: string) {
  const name = shorten(text.replaceAll(/\s+/g, ' ').trim(), titleLength)
  if (topicId === undefined || name === '') return
  await telegram.patientApi
    .editForumTopic(chatId, topicId, { name }, within(telegramLimits.callMs))
    .catch((error: unknown) => telegram.log.debug({ error }, 'a topic was not given its title'))
}
