import type { Message } from 'grammy/types'
import type { z } from 'zod'
import { limits } from './limits.ts'
import type { ephemeralParameters, replyParameters } from './method.ts'
import { parseKeyboard } from './parse-keyboard.ts'
import { badRequest } from './refusal.ts'
import type { EmulatedChat, World } from './world.ts'

export interface SendTarget {
  chat_id: number | string
  message_thread_id?: number
  business_connection_id?: string
  direct_messages_topic_id?: number
  ephemeral_message_parameters?: z.output<typeof ephemeralParameters>
  reply_parameters?: z.output<typeof replyParameters>
  reply_to_message_id?: number
  reply_markup?: unknown
  protect_content?: boolean
}

/** Puts a message of the bot's where it belongs, or says as Telegram does why it cannot be there. */
export function send(world: World, target: SendTarget, content: Partial<Message>): Message {
  if (target.business_connection_id !== undefined) throw badRequest('business connection not found')
  if (target.direct_messages_topic_id !== undefined) throw badRequest('topics must be in a direct messages chat')
  const chat = world.openChat(target.chat_id)
  const topic = world.findTopic(chat, target.message_thread_id)
  if (topic?.isClosed && !world.isAdministrator(chat, world.bot.id)) throw badRequest('TOPIC_CLOSED')
  const keyboard = parseKeyboard(target.reply_markup, chat.info.type === 'private')
  if (target.ephemeral_message_parameters)
    return sendEphemeral(world, chat, target, { ...content, ...(keyboard && { reply_markup: keyboard }) })
  const message = world.addMessage(
    chat,
    world.bot,
    { ...content, ...(target.protect_content && { has_protected_content: true as const }) },
    { topic, replyTo: findReplied(world, chat, target), keyboard },
  )
  return structuredClone(message)
}

function findReplied(world: World, chat: EmulatedChat, target: SendTarget): Message | undefined {
  const { reply_parameters: reply, reply_to_message_id: old } = target
  if (reply?.ephemeral_message_id !== undefined) throw badRequest('a reply to an ephemeral message must be ephemeral')
  const id = reply?.message_id ?? old
  if (id === undefined) {
    if (reply) throw badRequest('message identifier is not specified')
    return undefined
  }
  const elsewhere = reply?.chat_id !== undefined && reply.chat_id !== chat.info.id
  const where = elsewhere ? world.openChat(reply.chat_id as number | string) : chat
  const replied = where.messages.find(({ message_id }) => message_id === id)
  if (!replied && !(reply?.allow_sending_without_reply && !elsewhere))
    throw badRequest('message to be replied not found')
  if (replied && reply?.quote !== undefined && !(replied.text ?? replied.caption ?? '').includes(reply.quote))
    throw badRequest('QUOTE_TEXT_INVALID')
  return elsewhere ? undefined : replied
}

/** A message in a group that only one person sees; it has a number of its own and none among the others. */
function sendEphemeral(world: World, chat: EmulatedChat, target: SendTarget, content: Partial<Message>): Message {
  const { receiver_user_id: userId, callback_query_id: callbackId } =
    target.ephemeral_message_parameters as NonNullable<SendTarget['ephemeral_message_parameters']>
  if (chat.info.type === 'private') throw badRequest('ephemeral messages can be sent only to groups')
  const receiver = world.users.get(userId)
  const status = chat.members.get(userId)
  if (!receiver || status === undefined || status === 'left' || status === 'kicked')
    throw badRequest('USER_NOT_PARTICIPANT')
  if (callbackId !== undefined && !world.callbacks.has(callbackId)) throw badRequest('QUERY_ID_INVALID')
  const answered = target.reply_parameters?.ephemeral_message_id
  if (answered !== undefined) {
    const original = chat.ephemerals.find(({ ephemeral_message_id: id }) => id === answered)
    if (!original || world.clock.now() - original.date * 1000 > limits.ephemeralReplyMilliseconds)
      throw badRequest('message to be replied not found')
  }
  const message: Message = {
    message_id: 0,
    ephemeral_message_id: 1 + Math.max(0, ...chat.ephemerals.map(({ ephemeral_message_id: id }) => id ?? 0)),
    from: world.bot,
    receiver_user: receiver,
    chat: chat.info,
    date: world.seconds(),
    ...(target.message_thread_id !== undefined && {
      message_thread_id: target.message_thread_id,
      is_topic_message: true,
    }),
    ...content,
  }
  chat.ephemerals.push(message)
  world.changed()
  return structuredClone(message)
}
