import type { ChatMember, User } from 'grammy/types'
import { z } from 'zod'
import { limits } from '../limits.ts'
import { chatId, flag, integer, json, type Method, method, text } from '../method.ts'
import { badRequest } from '../refusal.ts'
import type { EmulatedChat, MemberStatus, World } from '../world.ts'

const place = { chat_id: chatId }
const messageFields = { ...place, message_id: integer }

/** Chats, their members, and messages that go. */
export const chatMethods: Method[] = [
  method('getChat', place, ({ chat_id }, { world }) => {
    const chat = world.findChat(chat_id)
    const { info } = chat
    return {
      ...info,
      accent_color_id: 0,
      max_reaction_count: 11,
      accepted_gift_types: {},
      ...(info.type !== 'private' && { permissions: { can_send_messages: true } }),
    }
  }),
  method('getChatMember', { ...place, user_id: integer }, ({ chat_id, user_id }, { world }) => {
    const chat = world.findChat(chat_id)
    const user = user_id === world.bot.id ? world.bot : world.users.get(user_id)
    if (!user) throw badRequest('PARTICIPANT_ID_INVALID')
    return memberOf(user, chat.members.get(user_id) ?? 'left')
  }),
  method('getChatAdministrators', { ...place, return_bots: flag.optional() }, ({ chat_id }, { world }) => {
    const chat = world.openChat(chat_id)
    if (chat.info.type === 'private') throw badRequest('there are no administrators in the private chat')
    return [...chat.members]
      .filter(([id]) => world.isAdministrator(chat, id) && id !== world.bot.id)
      .map(([id, status]) => memberOf(world.users.get(id) as User, status))
  }),
  method('getChatMemberCount', place, ({ chat_id }, { world }) => {
    const { members } = world.openChat(chat_id)
    return [...members.values()].filter((status) => status !== 'left' && status !== 'kicked').length
  }),
  method('leaveChat', place, ({ chat_id }, { world }) => {
    const chat = world.openChat(chat_id)
    if (chat.info.type === 'private') throw badRequest("chat member status can't be changed in private chats")
    chat.members.set(world.bot.id, 'left')
    world.changed()
    return true
  }),
  method('deleteMessage', messageFields, ({ chat_id, message_id }, { world }) => {
    const chat = world.openChat(chat_id)
    if (!chat.messages.some((one) => one.message_id === message_id)) throw badRequest('message to delete not found')
    deleteOne(world, chat, message_id)
    return true
  }),
  method(
    'deleteMessages',
    { ...place, message_ids: json(z.array(z.int()).min(1).max(100)) },
    ({ chat_id, message_ids }, { world }) => {
      const chat = world.openChat(chat_id)
      // Those that are gone already are passed over.
      for (const id of message_ids) if (chat.messages.some((one) => one.message_id === id)) deleteOne(world, chat, id)
      return true
    },
  ),
  method(
    'setMessageReaction',
    {
      ...messageFields,
      reaction: json(z.array(z.looseObject({ type: z.enum(['emoji', 'custom_emoji', 'paid']) }))).optional(),
      is_big: flag.optional(),
    },
    ({ chat_id, message_id, reaction = [] }, { world }) => {
      const chat = world.openChat(chat_id)
      if (!chat.messages.some((one) => one.message_id === message_id)) throw badRequest('message to react not found')
      if (reaction.length > 1) throw badRequest('REACTIONS_TOO_MANY')
      if (reaction.some(({ type, emoji }) => type !== 'emoji' || !allowedReactions.includes(String(emoji))))
        throw badRequest('REACTION_INVALID')
      if (reaction[0]) chat.reactions.set(message_id, String(reaction[0].emoji))
      else chat.reactions.delete(message_id)
      world.changed()
      return true
    },
  ),
  method(
    'pinChatMessage',
    { ...messageFields, business_connection_id: text.optional(), disable_notification: flag.optional() },
    (fields, { world }) => checkPin(world, fields.chat_id, fields.message_id),
  ),
  method(
    'unpinChatMessage',
    { ...place, message_id: integer.optional(), business_connection_id: text.optional() },
    (fields, { world }) => checkPin(world, fields.chat_id, fields.message_id),
  ),
  method('getFile', { file_id: text }, ({ file_id }, { world }) => world.files.describe(file_id)),
]

/** The reactions that a bot may set are a list; these are those of it that one may want. */
const allowedReactions = [
  '👍',
  '👎',
  '❤',
  '🔥',
  '🎉',
  '👀',
  '🤔',
  '👌',
  '✍',
  '🤝',
  '💯',
  '⚡',
  '😢',
  '🙏',
  '🫡',
  '🆒',
  '🤷',
]

export function memberOf(user: User, status: MemberStatus): ChatMember {
  if (status === 'creator') return { status, user, is_anonymous: false }
  if (status === 'kicked') return { status, user, until_date: 0 }
  if (status === 'member' || status === 'left') return { status, user } as ChatMember
  return {
    status: 'administrator',
    user,
    can_be_edited: false,
    is_anonymous: false,
    can_manage_chat: true,
    can_delete_messages: true,
    can_manage_video_chats: true,
    can_restrict_members: true,
    can_promote_members: false,
    can_change_info: true,
    can_invite_users: true,
    can_post_stories: false,
    can_edit_stories: false,
    can_delete_stories: false,
    can_pin_messages: true,
    can_manage_topics: true,
    can_send_welcome_messages: false,
  }
}

function deleteOne(world: World, chat: EmulatedChat, id: number): void {
  const message = chat.messages.find((one) => one.message_id === id)
  if (!message) return
  const isTooOld = world.clock.now() - message.date * 1000 > limits.deleteMilliseconds
  const mayDelete =
    message.from?.id === world.bot.id || chat.info.type === 'private' || world.isAdministrator(chat, world.bot.id)
  if (isTooOld || !mayDelete) throw badRequest("message can't be deleted")
  chat.messages = chat.messages.filter((one) => one !== message)
  world.changed()
}

function checkPin(world: World, chatId: number | string, id: number | undefined): true {
  const chat = world.openChat(chatId)
  if (chat.info.type !== 'private' && !world.isAdministrator(chat, world.bot.id))
    throw badRequest('not enough rights to manage pinned messages in the chat')
  if (id !== undefined && !chat.messages.some((one) => one.message_id === id))
    throw badRequest('message to pin not found')
  return true
}
