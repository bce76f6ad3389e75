import type { Message, User } from '@grammyjs/types'
import type { CommandReply } from '../../../chat/chat-services.ts'
import type { TelegramConnection, TelegramSelf } from '../connect/telegram-connection.ts'
import { type ChatPlace, conversationKeyOf } from '../conversation-key.ts'
import { choicesKeyboard } from '../questions/command-choices.ts'
import { takeReply } from '../questions/take-reply.ts'
import { personOf } from './person.ts'
import { readMessage } from './read-message.ts'
import { say } from './say.ts'
import { titleTopic } from './title-topic.ts'

export type PersonsMessage = Message & { from: User }

/** One message, or the parts of an album, in their order. Resolves when what was said is stored. */
export async function receiveMessage(
  telegram: TelegramConnection,
  messages: readonly [PersonsMessage, ...PersonsMessage[]],
): Promise<void> {
  const [message] = messages
  // Bots, ourselves included, and people who speak as a group or a channel: nobody vouches for who they are.
  if (message.from.is_bot || message.sender_chat) return
  const self = await telegram.self()
  const read = readMessage(messages, self)
  if (!read) return
  const isDirect = message.chat.type === 'private'
  if (!isDirect && !read.isAddressed) return
  const place = placeOf(message)
  const person = personOf(message.from)
  if (await takeReply(telegram, { message, person, place, text: read.text })) return
  const conversationKey = conversationKeyOf(place)
  const isFirst = await isFirstOfTopic(telegram, self, place, conversationKey)
  const taken = await telegram.chat.takeMessage({
    channelId: self.channelId,
    eventId: eventIdOf(message),
    place: String(place.chatId),
    conversationKey,
    isDirect,
    person,
    text: read.text,
    references: read.references,
    messageId: String(message.message_id),
    slashCommands: true,
  })
  if (taken.outcome === 'command') await replyToCommand(telegram, message, taken.reply)
  else if (taken.outcome === 'refused' && taken.sentence)
    await say(telegram, place, {
      markdown: taken.sentence,
      replyTo: message.message_id,
      onlyFor: { userId: message.from.id },
    })
  else if (taken.outcome === 'received' && isFirst) await titleTopic(telegram, place, read.text)
}

/**
 * What the message is, whatever update brings it: update ids begin anew after a quiet week, and an update that comes
 * again over another way has another one. Messages are numbered within their chat, and the time tells a chat's message
 * from that of a history that was cleared.
 */
export const eventIdOf = ({ chat, message_id, date }: Message): string => `${chat.id}:${message_id}:${date}`

/** In a group without topics a thread of replies has an id as well, which is none of a topic. */
export const placeOf = ({ chat, message_thread_id, is_topic_message }: Message): ChatPlace =>
  is_topic_message && message_thread_id !== undefined
    ? { chatId: chat.id, topicId: message_thread_id }
    : { chatId: chat.id }

async function replyToCommand(telegram: TelegramConnection, message: PersonsMessage, reply: CommandReply) {
  const keyboard = choicesKeyboard(reply.choices)
  await say(telegram, placeOf(message), {
    markdown: reply.markdown,
    replyTo: message.message_id,
    ...(keyboard ? { keyboard } : {}),
    onlyFor: { userId: message.from.id },
  })
}

/** Asked before the message is stored: only the topic of a new conversation is given a name. */
async function isFirstOfTopic(
  { chat }: TelegramConnection,
  { channelId }: TelegramSelf,
  { chatId, topicId }: ChatPlace,
  externalKey: string,
): Promise<boolean> {
  if (chatId < 0 || topicId === undefined) return false
  return (await chat.db.prisma.conversation.count({ where: { channelId, externalKey } })) === 0
}
