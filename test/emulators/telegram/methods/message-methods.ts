import type { Message, MessageEntity } from 'grammy/types'
import type { FileKind } from '../files.ts'
import {
  type Call,
  chatId,
  entities,
  flag,
  fullSendFields,
  integer,
  linkPreview,
  type Method,
  markup,
  method,
  richMessage,
  text,
} from '../method.ts'
import { parseKeyboard } from '../parse-keyboard.ts'
import { parseCaption, parseMessageText } from '../parse-text.ts'
import { badRequest } from '../refusal.ts'
import { parseRichMessage, type RichInput } from '../rich-message.ts'
import { send } from '../send.ts'
import type { EmulatedChat, World } from '../world.ts'
import { findFile } from './media-methods.ts'

const editFields = {
  business_connection_id: text.optional(),
  chat_id: chatId.optional(),
  message_id: integer.optional(),
  inline_message_id: text.optional(),
  reply_markup: markup.optional(),
}
export const textFields = {
  text: text.optional(),
  parse_mode: text.optional(),
  entities: entities.optional(),
  link_preview_options: linkPreview.optional(),
  rich_message: richMessage.optional(),
}

/** Messages of text and rich messages: sending and editing. */
export const messageMethods: Method[] = [
  method(
    'sendMessage',
    {
      ...fullSendFields,
      text,
      parse_mode: text.optional(),
      entities: entities.optional(),
      link_preview_options: linkPreview.optional(),
      reply_to_message_id: integer.optional(),
    },
    (fields, { world }) => {
      world.openChat(fields.chat_id)
      return send(world, fields, textContent(fields))
    },
  ),
  method('sendRichMessage', { ...fullSendFields, rich_message: richMessage }, (fields, call) => {
    call.world.openChat(fields.chat_id)
    takeRichMedia(fields.rich_message, call)
    return send(call.world, fields, textContent(fields))
  }),
  method('editMessageText', { ...editFields, ...textFields }, (fields, { world }) => {
    const { chat, message } = findOwn(world, fields, 'message to edit not found')
    if (message.text === undefined && message.rich_message === undefined)
      throw badRequest('there is no text in the message to edit')
    return change(
      world,
      chat,
      message,
      { text: undefined, entities: undefined, rich_message: undefined, ...textContent(fields) },
      fields.reply_markup,
    )
  }),
  method(
    'editMessageCaption',
    {
      ...editFields,
      caption: text.optional(),
      parse_mode: text.optional(),
      caption_entities: entities.optional(),
      show_caption_above_media: flag.optional(),
    },
    (fields, { world }) => {
      const { chat, message } = findOwn(world, fields, 'message to edit not found')
      if (!message.photo && !message.document && !message.voice && !message.audio && !message.video)
        throw badRequest('there is no caption in the message to edit')
      const caption = parseCaption(fields.caption, fields.parse_mode, fields.caption_entities as MessageEntity[])
      return change(
        world,
        chat,
        message,
        { caption: undefined, caption_entities: undefined, ...caption },
        fields.reply_markup,
      )
    },
  ),
  method('editMessageReplyMarkup', editFields, (fields, { world }) => {
    const { chat, message } = findOwn(world, fields, 'message to edit not found')
    return change(world, chat, message, {}, fields.reply_markup)
  }),
]

interface TextFields {
  text?: string
  parse_mode?: string
  entities?: unknown
  rich_message?: unknown
}

export function textContent(fields: TextFields): Partial<Message> {
  if (fields.rich_message === undefined) {
    const parsed = parseMessageText(fields.text, fields.parse_mode, fields.entities as MessageEntity[])
    return { text: parsed.text, ...(parsed.entities.length > 0 && { entities: parsed.entities }) }
  }
  if (fields.text !== undefined) throw badRequest('only one of text and rich_message can be specified')
  const { blocks } = parseRichMessage(fields.rich_message as RichInput)
  return { rich_message: { blocks } }
}

/** The files of a rich message are uploaded with it, or known already. */
function takeRichMedia({ media = [] }: { media?: { media: { type: string; media?: unknown } }[] }, call: Call): void {
  for (const { media: item } of media)
    findFile((item.type === 'voice_note' ? 'voice' : item.type) as FileKind, String(item.media), call)
}

/** The bot may change only what it sent itself. */
function findOwn(
  world: World,
  {
    chat_id,
    message_id,
    inline_message_id,
  }: { chat_id?: number | string; message_id?: number; inline_message_id?: string },
  notFound: string,
): { chat: EmulatedChat; message: Message } {
  if (inline_message_id !== undefined) throw badRequest('MESSAGE_ID_INVALID')
  if (chat_id === undefined) throw badRequest('chat_id is empty')
  const chat = world.openChat(chat_id)
  if (message_id === undefined) throw badRequest('message identifier is not specified')
  const message = chat.messages.find((one) => one.message_id === message_id)
  if (!message) throw badRequest(notFound)
  if (message.from?.id !== world.bot.id) throw badRequest("message can't be edited")
  return { chat, message }
}

/** An edit that changes nothing is refused; one without a keyboard takes the keyboard away. */
export function change(
  world: World,
  chat: EmulatedChat,
  message: Message,
  content: Partial<Message>,
  newMarkup: unknown,
): Message {
  const before = JSON.stringify(changeable(message))
  const after: Message = {
    ...message,
    ...content,
    reply_markup: parseKeyboard(newMarkup, chat.info.type === 'private'),
  }
  if (JSON.stringify(changeable(after)) === before)
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    )
  Object.assign(message, after, { edit_date: world.seconds() })
  world.changed()
  return JSON.parse(JSON.stringify(message)) as Message
}

function changeable({ text, entities, rich_message, caption, caption_entities, reply_markup }: Message) {
  return [text, entities ?? [], rich_message, caption, caption_entities ?? [], reply_markup]
}
