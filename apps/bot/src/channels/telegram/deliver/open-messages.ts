// A message is opened before it is written: what is sent is a few characters, its id is noted, and then the content is put
// into it by an edit. A sender that is lost between an opened message and its note leaves three characters behind; a
// sender that is lost anywhere else leaves an edit that can be made again. So no answer is ever there twice
// (docs/decisions/0007-a-message-is-opened-before-it-is-written.md).
import type { ApiMethods } from '@grammyjs/types'
import type { ClaimedDelivery } from '@quartermaster/db'
import { isMessageGone, isNotModified } from '../connect/describe-refusal.ts'
import { asSignal, type TelegramConnection } from '../connect/telegram-connection.ts'
import { type ChatPlace, isPrivate, target } from '../conversation-key.ts'
import type { SentMessages } from '../sent-messages.ts'
import { noteSent } from './note-sent.ts'
import { findReplyTarget } from './reply-target.ts'

type Edit = Parameters<ApiMethods<never>['editMessageText']>[0]
/** What a message shows: ordinary or rich. */
export type MessageContent = Pick<
  Edit,
  'text' | 'rich_message' | 'parse_mode' | 'reply_markup' | 'link_preview_options'
>

export interface OpenMessages {
  place: ChatPlace
  /** How many there are already. */
  readonly count: number
  /** Puts the content into the message at `index`, which is opened with `opening` where there is none yet. */
  write(index: number, content: MessageContent, opening: string): Promise<void>
  /** One that was sent in another way. */
  add(messageId: number): void
  /** All of them are written. */
  done(): Promise<SentMessages>
}

export interface Opening {
  telegram: TelegramConnection
  delivery: ClaimedDelivery
  place: ChatPlace
  /** What an earlier sender noted. */
  before: SentMessages | null
  signal: AbortSignal
}

export async function openMessages({ telegram, delivery, place, before, signal }: Opening): Promise<OpenMessages> {
  const { api, chat } = telegram
  const messageIds = before?.chatId === place.chatId ? [...before.messageIds] : []
  const sent = (complete: boolean): SentMessages => ({ chatId: place.chatId, messageIds, complete })
  const replyTo = isPrivate(place) ? null : await findReplyTarget(chat.db, delivery)

  async function open(index: number, opening: string): Promise<number> {
    const reply =
      index > 0 || replyTo === null
        ? {}
        : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }
    const message = await api.raw.sendMessage({ ...target(place), text: opening, ...reply }, asSignal(signal))
    messageIds[index] = message.message_id
    await noteSent(chat.db, delivery, sent(false))
    return message.message_id
  }

  async function put(messageId: number, content: MessageContent): Promise<void> {
    try {
      await api.raw.editMessageText({ chat_id: place.chatId, message_id: messageId, ...content }, asSignal(signal))
    } catch (error) {
      // An earlier sender wrote it.
      if (!isNotModified(error)) throw error
    }
  }

  return {
    place,
    get count() {
      return messageIds.length
    },
    async write(index, content, opening) {
      try {
        await put(messageIds[index] ?? (await open(index, opening)), content)
      } catch (error) {
        if (!isMessageGone(error)) throw error
        // Somebody deleted it before there was anything in it: what was said is said all the same.
        await put(await open(index, opening), content)
      }
    },
    add: (messageId) => void messageIds.push(messageId),
    async done() {
      await noteSent(chat.db, delivery, sent(true))
      return sent(true)
    },
  }
}
