// One delivery as Telegram's messages. See docs/decisions/0007 for what happens to one whose sender was lost.
import { type ClaimedDelivery, readCopy, readQuestionCard } from '@quartermaster/db'
import { type Channel, DeliveryFailure, type DeliveryPayload } from '../../channel.ts'
import { parsePayload } from '../../delivery-payload.ts'
import { asSignal, type TelegramConnection } from '../connect/telegram-connection.ts'
import { type ChatPlace, isPrivate, parseConversationKey, target } from '../conversation-key.ts'
import { channelLimits } from '../limits.ts'
import type { Presenting } from '../present/create-presenting.ts'
import { renderCard } from '../questions/render-card.ts'
import { showCard } from '../questions/show-card.ts'
import { escapeHtml } from '../render/escape-html.ts'
import { htmlPieces } from '../render/html-pieces.ts'
import { richMessage } from '../render/rich-message.ts'
import { formatSent, parseSent, type SentMessages } from '../sent-messages.ts'
import { noteSent, readSent } from './note-sent.ts'
import { findReplyTarget } from './reply-target.ts'
import { sendMedia } from './send-media.ts'
import { isMisunderstood, movedTo, toFailure } from './to-failure.ts'

export function createDeliver(telegram: TelegramConnection, presenting: Presenting): Channel['deliver'] {
  return async (delivery, signal) => {
    signal.throwIfAborted()
    const payload = parsePayload(delivery)
    const place = parseConversationKey(delivery.conversationKey)
    if (!place) throw new DeliveryFailure(`"${delivery.conversationKey}" is no chat of Telegram.`, null)
    try {
      if (payload.kind === 'card-update') return await updateCard(telegram, delivery, payload, signal)
      // What was shown of it goes first, so that nobody reads it twice.
      await presenting.settle(delivery, payload.kind === 'text' ? payload.step : null)
      const sent = await send(telegram, delivery, place, payload, signal)
      await presenting.remove(delivery, payload.kind === 'text' ? payload.step : null)
      return formatSent(sent)
    } catch (error) {
      throw toFailure(error)
    }
  }
}

async function send(
  telegram: TelegramConnection,
  delivery: ClaimedDelivery,
  place: ChatPlace,
  payload: Exclude<DeliveryPayload, { kind: 'card-update' }>,
  signal: AbortSignal,
): Promise<SentMessages> {
  const before = await readSent(telegram.chat.db, delivery)
  if (before?.complete) return before
  try {
    return await sendTo(telegram, delivery, place, payload, before, signal)
  } catch (error) {
    const chatId = movedTo(error)
    if (chatId === null) throw error
    return await sendTo(telegram, delivery, { chatId }, payload, before, signal)
  }
}

async function sendTo(
  telegram: TelegramConnection,
  delivery: ClaimedDelivery,
  place: ChatPlace,
  payload: Exclude<DeliveryPayload, { kind: 'card-update' }>,
  before: SentMessages | null,
  signal: AbortSignal,
): Promise<SentMessages> {
  const { chat, api } = telegram
  const note = async (messageIds: number[], complete: boolean) => {
    const sent = { chatId: place.chatId, messageIds, complete }
    await noteSent(chat.db, delivery, sent)
    return sent
  }
  const replyTo = isPrivate(place) ? null : await findReplyTarget(chat.db, delivery)
  const common = {
    ...target(place),
    ...(replyTo === null ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  }
  switch (payload.kind) {
    case 'text': {
      const markdown = textOf(payload)
      if (!before) {
        try {
          const rich = { ...common, rich_message: richMessage(markdown) }
          const { message_id } = await api.raw.sendRichMessage(rich, asSignal(signal))
          return await note([message_id], true)
        } catch (error) {
          if (!isMisunderstood(error)) throw error
          telegram.log.debug(
            { error, deliveryId: delivery.deliveryId },
            'a rich message was refused; it goes as plain ones',
          )
        }
      }
      const pieces = htmlPieces(markdown)
      const sentIds = [...(before?.messageIds ?? [])]
      for (const [index, text] of pieces.entries()) {
        if (index < sentIds.length) continue
        const piece = { ...(index === 0 ? common : target(place)), text, parse_mode: 'HTML' as const }
        sentIds.push((await api.raw.sendMessage(piece, asSignal(signal))).message_id)
        await note(sentIds, index === pieces.length - 1)
      }
      return { chatId: place.chatId, messageIds: sentIds, complete: true }
    }
    case 'notice': {
      const text = escapeHtml(payload.text)
      const { message_id } = await api.raw.sendMessage({ ...common, text, parse_mode: 'HTML' }, asSignal(signal))
      return note([message_id], true)
    }
    case 'media':
      return note([await sendMedia(telegram, place, payload, signal)], true)
    case 'question': {
      const card = await readQuestionCard(chat.db, {
        workspaceId: delivery.workspaceId,
        questionId: payload.questionId,
      })
      if (!card) throw new DeliveryFailure('There is no such question any more.', null)
      const { text, keyboard } = renderCard(card)
      const message = await api.raw.sendMessage(
        {
          ...common,
          text,
          parse_mode: 'HTML',
          link_preview_options: { is_disabled: true },
          ...(keyboard ? { reply_markup: keyboard } : {}),
        },
        asSignal(signal),
      )
      return note([message.message_id], true)
    }
  }
}

function textOf({ markdown, footer }: Extract<DeliveryPayload, { kind: 'text' }>): string {
  if (markdown.length > channelLimits.messageLength)
    throw new DeliveryFailure(`A message has at most ${channelLimits.messageLength} characters.`, null)
  return footer ? `${markdown}\n\n_${footer}_` : markdown
}

/** A card that was never sent shows the question as it stands when it is. */
async function updateCard(
  telegram: TelegramConnection,
  { workspaceId }: ClaimedDelivery,
  { questionId, copyId }: Extract<DeliveryPayload, { kind: 'card-update' }>,
  signal: AbortSignal,
): Promise<null> {
  const { db } = telegram.chat
  const sent = parseSent((await readCopy(db, copyId))?.externalId ?? null)
  const [messageId] = sent?.messageIds ?? []
  const card = await readQuestionCard(db, { workspaceId, questionId })
  if (!sent || messageId === undefined || !card) return null
  await showCard(telegram, { chatId: sent.chatId, messageId }, card, signal)
  return null
}
