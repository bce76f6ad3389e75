// The way out: deliveries, what is shown while a run works, and what references stand for.
import type { ClaimedDelivery } from '@quartermaster/db'
import { type Channel, DeliveryFailure, type DeliveryPayload } from '../../channel.ts'
import { parsePayload } from '../../delivery-payload.ts'
import type { SlackConnection } from '../connect/slack-connection.ts'
import { slackLimits } from '../limits.ts'
import { createLivePresenters } from '../present/live-presenters.ts'
import { createPace } from '../present/pace.ts'
import { presentWork } from '../present/present-work.ts'
import { escapeMrkdwn } from '../render/mrkdwn.ts'
import { contextOf, fallbackOf } from '../render/render-answer.ts'
import { fetchReference } from './fetch-reference.ts'
import { findSent } from './find-sent.ts'
import { endStreams, type Sending } from './finish-streams.ts'
import { postMessage } from './post-message.ts'
import { explainRefusal } from './refusal.ts'
import { sendAnswer } from './send-answer.ts'
import { postCard, updateCard } from './send-card.ts'
import { directKeyOf, findPlace, messageIdOf } from './slack-place.ts'
import { uploadFile } from './upload-file.ts'

export function createDelivering(
  slack: SlackConnection,
): Required<Pick<Channel, 'deliver' | 'present' | 'limits' | 'fetch' | 'directKey'>> {
  const presenters = createLivePresenters()
  const pace = createPace()

  async function deliver(delivery: ClaimedDelivery, signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted()
    const payload = parsePayload(delivery)
    if (payload.kind === 'text' && payload.markdown.length > slackLimits.messageLength)
      throw new DeliveryFailure(`A message has at most ${slackLimits.messageLength} characters here.`, null)
    const where = { channelId: delivery.channelId }
    try {
      const client = await slack.clientFor(delivery.channelId)
      const place = await findPlace(client, delivery.conversationKey)
      if (!place) throw new DeliveryFailure('The conversation is no place on Slack.', null)
      Object.assign(where, { place: place.channel })
      signal.throwIfAborted()
      return await send({ slack, presenters, client, place, delivery }, payload, signal)
    } catch (error) {
      throw error instanceof DeliveryFailure ? error : explainRefusal(slack, where, error)
    }
  }

  return {
    limits: slackLimits,
    deliver,
    present: (place) => presentWork({ slack, pace, presenters }, place),
    fetch: (reference, where, signal) => fetchReference(slack, reference, where, signal),
    directKey: directKeyOf,
  }
}

async function send(sending: Sending, payload: DeliveryPayload, signal: AbortSignal): Promise<string | null> {
  if (payload.kind === 'media') return uploadFile(sending, payload, signal)
  if (payload.kind === 'card-update') return updateCard(sending, payload.questionId, payload.copyId)
  const { client, place, delivery, slack } = sending
  if (delivery.takenOver) {
    const ts = await findSent({ client, place, db: slack.chat.db }, delivery)
    if (ts) return messageIdOf(place, ts)
    signal.throwIfAborted()
  }
  if (payload.kind === 'text') return sendAnswer(sending, payload)
  if (payload.kind === 'question') {
    await endStreams(sending)
    return postCard(sending, payload.questionId)
  }
  const text = escapeMrkdwn(payload.text).slice(0, 2_900)
  return postMessage(sending, { text: fallbackOf(payload.text), blocks: [contextOf(text)] }, text)
}
