// What Telegram sent, to where it is handled. What returns without an error is confirmed to Telegram, so each of these
// resolves only after what it took in is stored.
import type { Update } from '@grammyjs/types'
import type { HandleUpdates } from '../connect/take-updates.ts'
import type { TelegramConnection } from '../connect/telegram-connection.ts'
import { conversationKeyOf } from '../conversation-key.ts'
import { handleClick } from '../questions/handle-click.ts'
import { personOf } from './person.ts'
import { readMessage } from './read-message.ts'
import { type PersonsMessage, placeOf, receiveMessage } from './receive-message.ts'
import { say } from './say.ts'

export function createHandling(telegram: TelegramConnection): HandleUpdates {
  return async (updates) => {
    const [update] = updates
    const messages = updates.flatMap(({ message }) => (message ? [message as PersonsMessage] : []))
    const [first, ...others] = messages
    if (first) await receiveMessage(telegram, [first, ...others])
    else if (update.edited_message) await receiveEdit(telegram, update.edited_message)
    else if (update.callback_query) await handleClick(telegram, update.callback_query)
    else if (update.stopped_message_generation) await stopGeneration(telegram, update.stopped_message_generation)
    else if (update.my_chat_member) await membershipChanged(telegram, update.my_chat_member)
  }
}

async function receiveEdit(telegram: TelegramConnection, message: NonNullable<Update['edited_message']>) {
  // Of an album this is one picture, and the others would be lost: what was said of it first stays said.
  if (message.from.is_bot || message.sender_chat || message.media_group_id !== undefined) return
  const self = await telegram.self()
  const read = readMessage([message], self)
  if (!read) return
  await telegram.chat.editMessage({
    channelId: self.channelId,
    conversationKey: conversationKeyOf(placeOf(message)),
    messageId: String(message.message_id),
    text: read.text,
    references: read.references,
  })
}

/** The button under a draft. A private chat has the id of its person. */
async function stopGeneration(
  telegram: TelegramConnection,
  { chat, message_thread_id }: NonNullable<Update['stopped_message_generation']>,
) {
  const { channelId } = await telegram.self()
  const place = { chatId: chat.id, ...(message_thread_id === undefined ? {} : { topicId: message_thread_id }) }
  const person = personOf({ ...chat, is_bot: false, first_name: chat.first_name })
  await telegram.chat.stop({ channelId, conversationKey: conversationKeyOf(place), person })
}

async function membershipChanged(
  telegram: TelegramConnection,
  { chat, old_chat_member, new_chat_member }: NonNullable<Update['my_chat_member']>,
) {
  const isGone = (status: string) => status === 'left' || status === 'kicked'
  const about = { chatId: chat.id, status: new_chat_member.status }
  telegram.log.info(about, 'the bot was added to a chat, removed from it, or blocked')
  const joins = isGone(old_chat_member.status) && !isGone(new_chat_member.status)
  if (!joins || (chat.type !== 'group' && chat.type !== 'supergroup')) return
  const { username, hasPrivacy } = await telegram.self()
  const reads = hasPrivacy ? ' I read nothing else that is said here.' : ''
  const markdown = `Hello. Mention me (@${username}), reply to me or send me a command, and I answer.${reads} /help says what I can do.`
  await say(telegram, { chatId: chat.id }, { markdown })
}
