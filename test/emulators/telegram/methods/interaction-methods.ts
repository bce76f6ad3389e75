import type { MessageEntity } from 'grammy/types'
import { z } from 'zod'
import { countCharacters, limits } from '../limits.ts'
import { chatId, entities, flag, integer, type Method, method, richMessage, text } from '../method.ts'
import { parseText } from '../parse-text.ts'
import { badRequest } from '../refusal.ts'
import { parseRichMessage, type RichInput } from '../rich-message.ts'
import type { Draft, World } from '../world.ts'

const draftFields = {
  chat_id: integer,
  message_thread_id: integer.optional(),
  draft_id: integer,
  can_stop: flag.optional(),
  keep_on_stop: flag.optional(),
}
const mostStoredActions = 100

/** What a person sees of a bot besides its messages: notices, drafts, "typing…". */
export const interactionMethods: Method[] = [
  method(
    'answerCallbackQuery',
    {
      callback_query_id: text,
      text: text.optional(),
      show_alert: flag.optional(),
      url: text.optional(),
      cache_time: integer.optional(),
    },
    ({ callback_query_id: id, text: notice = '', show_alert: isAlert = false, url }, { world }) => {
      const open = world.callbacks.get(id)
      if (!open || open.isAnswered || world.clock.now() - open.at > limits.callbackMilliseconds)
        throw badRequest('query is too old and response timeout expired or query ID is invalid')
      if (countCharacters(notice) > limits.callbackAnswerCharacters) throw badRequest('MESSAGE_TOO_LONG')
      if (
        url !== undefined &&
        !url.startsWith(`https://t.me/${world.bot.username}?`) &&
        !url.startsWith(`t.me/${world.bot.username}?`)
      )
        throw badRequest('URL_INVALID')
      open.isAnswered = true
      if (notice || url) world.notices.push({ userId: open.query.from.id, text: notice, isAlert, url })
      world.changed()
      return true
    },
  ),
  method(
    'sendMessageDraft',
    { ...draftFields, text: text.optional(), parse_mode: text.optional(), entities: entities.optional() },
    (fields, { world }) => {
      const parsed = parseText(fields.text ?? '', fields.parse_mode, fields.entities as MessageEntity[])
      if (countCharacters(parsed.text) > limits.textCharacters) throw badRequest('message is too long')
      return showDraft(world, fields, parsed.text)
    },
  ),
  method('sendRichMessageDraft', { ...draftFields, rich_message: richMessage }, (fields, { world }) =>
    showDraft(world, fields, parseRichMessage(fields.rich_message as RichInput, true).text),
  ),
  method(
    'sendChatAction',
    {
      business_connection_id: text.optional(),
      chat_id: chatId,
      message_thread_id: integer.optional(),
      action: z.enum([
        'typing',
        'upload_photo',
        'record_video',
        'upload_video',
        'record_voice',
        'upload_voice',
        'upload_document',
        'choose_sticker',
        'find_location',
        'record_video_note',
        'upload_video_note',
      ]),
    },
    ({ chat_id, message_thread_id: topic, action }, { world }) => {
      const chat = world.openChat(chat_id)
      world.findTopic(chat, topic)
      chat.actions.push({ action, topic, at: world.clock.now() })
      if (chat.actions.length > mostStoredActions) chat.actions.shift()
      world.changed()
      return true
    },
  ),
]

interface DraftFields {
  chat_id: number
  message_thread_id?: number
  draft_id: number
  can_stop?: boolean
  keep_on_stop?: boolean
}

/** A draft is seen for half a minute or until a message comes; one that the person stopped is not seen again. */
function showDraft(world: World, fields: DraftFields, shown: string): true {
  const chat = world.openChat(fields.chat_id)
  if (chat.info.type !== 'private') throw badRequest('TEXTDRAFT_PEER_INVALID')
  if (fields.draft_id === 0) throw badRequest('invalid message draft identifier specified')
  const topic = world.findTopic(chat, fields.message_thread_id)?.id
  const draft: Draft = {
    id: fields.draft_id,
    topic,
    text: shown,
    canStop: fields.can_stop ?? false,
    keepOnStop: fields.keep_on_stop ?? false,
    isStopped: false,
    at: world.clock.now(),
  }
  const before = world.draftsIn(chat) && chat.drafts.find((one) => one.id === draft.id && one.topic === topic)
  if (before?.isStopped) return true
  // One draft at a time: a new one takes the place of what the person saw, though a stopped one is remembered.
  chat.drafts = [...chat.drafts.filter((one) => one.topic !== topic || one.isStopped), draft]
  world.changed()
  return true
}
