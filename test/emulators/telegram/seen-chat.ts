import type { InlineKeyboardButton, Message } from 'grammy/types'
import { plainBlock } from './plain-text.ts'
import { richButtons } from './rich-buttons.ts'
import type { EmulatedChat, World } from './world.ts'

export interface SeenButton {
  label: string
  style?: string
  isDisabled: boolean
  url?: string
  copies?: string
}

/** A message as a person reads it. */
export interface SeenMessage {
  id: number
  from: string
  isBot: boolean
  kind: 'text' | 'rich' | 'photo' | 'document' | 'voice' | 'audio' | 'video' | 'animation' | 'service'
  text: string
  keyboard: SeenButton[][]
  /** Those inside of a rich message. */
  richButtons: SeenButton[]
  topic?: number
  replyTo?: number
  isEdited: boolean
  /** What the bot put under it. */
  reaction?: string
  fileName?: string
  fileId?: string
  date: number
  /** All of it, for what is not said above. */
  message: Message
}

export interface SeenChat {
  title: string
  isGroup: boolean
  topics: { id: number; name: string }[]
  messages: SeenMessage[]
  drafts: { id: number; text: string; canStop: boolean; topic?: number }[]
  /** What the chat says that the bot is doing, such as "typing". */
  actions: string[]
}

/** What a person sees who opens a chat, or one topic of it. */
export function seenChat(world: World, chat: EmulatedChat, topic?: number): SeenChat {
  const isHere = (place: { topic?: number }) => topic === undefined || place.topic === topic
  return {
    title: chat.info.type === 'private' ? world.bot.first_name : String(chat.info.title),
    isGroup: chat.info.type !== 'private',
    topics: [...chat.topics.values()].map(({ id, name }) => ({ id, name })),
    messages: chat.messages
      .map((message) => ({
        ...seenMessage(world, message),
        ...(chat.reactions.has(message.message_id) && { reaction: chat.reactions.get(message.message_id) }),
      }))
      .filter(isHere),
    drafts: world
      .draftsIn(chat)
      .filter(isHere)
      .map(({ id, text, canStop, isStopped, topic: where }) => ({
        id,
        text,
        canStop: canStop && !isStopped,
        topic: where,
      })),
    actions: [
      ...new Set(
        world
          .actionsIn(chat)
          .filter(isHere)
          .map(({ action }) => action),
      ),
    ],
  }
}

export function seenMessage(world: World, message: Message): SeenMessage {
  const file = message.document ?? message.audio ?? message.voice ?? message.video ?? message.photo?.at(-1)
  return {
    id: message.message_id,
    from: message.from?.first_name ?? '',
    isBot: message.from?.id === world.bot.id,
    kind: kindOf(message),
    text: textOf(message),
    keyboard: (message.reply_markup?.inline_keyboard ?? []).map((row) => row.map(seenButton)),
    richButtons: richButtons(message).map(seenButton),
    ...(message.is_topic_message && { topic: message.message_thread_id }),
    ...(message.reply_to_message && { replyTo: message.reply_to_message.message_id }),
    isEdited: message.edit_date !== undefined,
    ...(file && { fileId: file.file_id }),
    ...(file && 'file_name' in file && { fileName: file.file_name }),
    date: message.date,
    message: structuredClone(message),
  }
}

function kindOf(message: Message): SeenMessage['kind'] {
  const kinds = ['text', 'photo', 'animation', 'document', 'voice', 'audio', 'video'] as const
  if (message.rich_message) return 'rich'
  return kinds.find((kind) => message[kind] !== undefined) ?? 'service'
}

function textOf(message: Message): string {
  if (message.rich_message) return message.rich_message.blocks.map(plainBlock).join('\n')
  if (message.forum_topic_created) return `created the topic “${message.forum_topic_created.name}”`
  if (message.forum_topic_edited) return `renamed the topic to “${message.forum_topic_edited.name}”`
  if (message.new_chat_members) return `added ${message.new_chat_members.map((user) => user.first_name).join(', ')}`
  if (message.left_chat_member) return `${message.left_chat_member.first_name} left`
  return message.text ?? message.caption ?? ''
}

function seenButton(button: InlineKeyboardButton): SeenButton {
  return {
    label: button.text,
    isDisabled: 'disabled' in button,
    ...(button.style && { style: button.style }),
    ...('url' in button && { url: button.url }),
    ...('copy_text' in button && { copies: button.copy_text.text }),
  }
}
