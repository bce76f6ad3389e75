import type { Message } from 'grammy/types'
import { chatId, integer, type Method, markup, method } from '../method.ts'
import { badRequest } from '../refusal.ts'
import type { EmulatedChat, World } from '../world.ts'
import { change, textContent, textFields } from './message-methods.ts'

const target = { chat_id: chatId, receiver_user_id: integer, ephemeral_message_id: integer }

/** Messages in a group that one person sees, after they were sent. */
export const ephemeralMethods: Method[] = [
  method(
    'editEphemeralMessageText',
    { ...target, ...textFields, reply_markup: markup.optional() },
    (fields, { world }) => {
      const { chat, message } = find(world, fields)
      const cleared = { text: undefined, entities: undefined, rich_message: undefined }
      change(world, chat, message, { ...cleared, ...textContent(fields) }, fields.reply_markup)
      return true
    },
  ),
  method('editEphemeralMessageReplyMarkup', { ...target, reply_markup: markup.optional() }, (fields, { world }) => {
    const { chat, message } = find(world, fields)
    change(world, chat, message, {}, fields.reply_markup)
    return true
  }),
  method('deleteEphemeralMessage', target, (fields, { world }) => {
    const { chat, message } = find(world, fields)
    chat.ephemerals = chat.ephemerals.filter((one) => one !== message)
    world.changed()
    return true
  }),
]

function find(
  world: World,
  fields: { chat_id: number | string; receiver_user_id: number; ephemeral_message_id: number },
): { chat: EmulatedChat; message: Message } {
  const chat = world.openChat(fields.chat_id)
  const message = chat.ephemerals.find(
    (one) =>
      one.ephemeral_message_id === fields.ephemeral_message_id && one.receiver_user?.id === fields.receiver_user_id,
  )
  if (!message) throw badRequest('message to edit not found')
  return { chat, message }
}
