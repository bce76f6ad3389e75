// One delivery as Telegram's messages. See docs/decisions/0007 for what happens to one whose sender was lost.
import { type ClaimedDelivery, readCopy, readQuestionCard } from '@quartermaster/db'
import { type Channel, DeliveryFailure, type DeliveryPayload } from '../../channel.ts'
import { parsePayload } from '../../delivery-payload.ts'
import type { TelegramConnection } from '../connect/telegram-connection.ts'
import { type ChatPlace, parseConversationKey } from '../conversation-key.ts'
import { channelLimits } from '../limits.ts'
import type { Presenting } from '../present/create-presenting.ts'
import { renderCard } from '../questions/render-card.ts'
import { showCard } from '../questions/show-card.ts'
import { escapeHtml } from '../render/escape-html.ts'
import { htmlPieces } from '../render/html-pieces.ts'
import { richMessage } from '../render/rich-message.ts'
import { formatSent, parseSent, type SentMessages } from '../sent-messages.ts'
import { readSent } from './note-sent.ts'
import { type OpenMessages, openMessages } from './open-messages.ts'
import { sendMedia } from './send-media.ts'
import { isMisunderstood, movedTo, toFailure } from './to-failure.ts'

/** How long a delivery waits for a process that is connected to its bot. */
const otherBotMs = 60_000

export function createDeliver(telegram: TelegramConnection, presenting: Presenting): Channel['deliver'] {
  return async (delivery, signal) => {
    signal.throwIfAborted()
    const payload = parsePayload(delivery)
    const place = parseConversationKey(delivery.conversationKey)
    if (!place) throw new DeliveryFailure(`"${delivery.conversationKey}" is no chat of Telegram.`, null)
    try {
      // The same person has the same number with every bot: what another bot was to say is not said by this one.
      if (delivery.channelId !== (await telegram.self()).channelId)
        throw new DeliveryFailure('This process is connected to another bot of Telegram.', otherBotMs)
      if (payload.kind === 'card-update') return await updateCard(telegram, delivery, payload, signal)
      // What was shown of it goes first, so that nobody reads it twice.
      await presenting.settle(delivery, payload)
      const sent = await send(telegram, delivery, place, payload, signal)
      await presenting.remove(delivery, payload)
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
  const open = (to: ChatPlace) => openMessages({ telegram, delivery, place: to, before, signal })
  try {
    return await sendTo(telegram, delivery, payload, await open(place), signal)
  } catch (error) {
    const chatId = movedTo(error)
    if (chatId === null) throw error
    return await sendTo(telegram, delivery, payload, await open({ chatId }), signal)
  }
}

async function sendTo(
  telegram: TelegramConnection,
  { workspaceId }: ClaimedDelivery,
  payload: Exclude<DeliveryPayload, { kind: 'card-update' }>,
  messages: OpenMessages,
  signal: AbortSignal,
): Promise<SentMessages> {
  switch (payload.kind) {
    case 'text': {
      const markdown = textOf(payload)
      if (messages.count <= 1) {
        try {
          await messages.write(0, { rich_message: richMessage(markdown) }, '💬 …')
          return await messages.done()
        } catch (error) {
          if (!isMisunderstood(error)) throw error
          telegram.log.debug({ error }, 'a rich message was refused; it goes as ordinary ones')
        }
      }
      for (const [index, text] of htmlPieces(markdown).entries())
        await messages.write(index, { text, parse_mode: 'HTML' }, '💬 …')
      return messages.done()
    }
    case 'notice':
      await messages.write(0, { text: escapeHtml(payload.text), parse_mode: 'HTML' }, 'ℹ️ …')
      return messages.done()
    case 'media':
      messages.add(await sendMedia(telegram, messages.place, payload, signal))
      return messages.done()
    case 'question': {
      const card = await readQuestionCard(telegram.chat.db, { workspaceId, questionId: payload.questionId })
      if (!card) throw new DeliveryFailure('There is no such question any more.', null)
      const { text, keyboard } = renderCard(card)
      const content = { text, parse_mode: 'HTML' as const, link_preview_options: { is_disabled: true } }
      await messages.write(0, { ...content, ...(keyboard ? { reply_markup: keyboard } : {}) }, '❓ A question …')
      return messages.done()
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
