// A question's card: posted as a message of its own, never in a stream, and shown anew whenever the question changes.
import { type Database, type QuestionCard, readCopy, readQuestionCard } from '@quartermaster/db'
import { DeliveryFailure } from '../../channel.ts'
import { plain } from '../render/mrkdwn.ts'
import type { RenderedMessage } from '../render/render-answer.ts'
import { renderCard } from '../render/render-card.ts'
import { deliveryMetadata } from './find-sent.ts'
import type { Sending } from './finish-streams.ts'
import { postMessage } from './post-message.ts'
import { refusalOf } from './refusal.ts'
import { messageIdOf, parseMessageId, parseThreadKey } from './slack-place.ts'

export async function postCard(sending: Sending, questionId: string): Promise<string> {
  const { slack, delivery, place } = sending
  const card = await readCard(slack.chat.db, delivery.workspaceId, questionId)
  const rendered = renderCard(card, { origin: await originOf(sending, card), inThread: place.threadTs !== null })
  return postMessage(sending, rendered, plainCard(rendered))
}

/** Null where there is nothing to change: the copy was never sent, or somebody has deleted it. */
export async function updateCard(sending: Sending, questionId: string, copyId: string): Promise<string | null> {
  const { slack, client, delivery, place } = sending
  const copy = await readCopy(slack.chat.db, copyId)
  const message = copy?.externalId ? parseMessageId(copy.externalId) : null
  if (!message) return null
  const card = await readCard(slack.chat.db, delivery.workspaceId, questionId)
  const inThread = place.threadTs !== null
  const { text, blocks } = renderCard(card, { origin: await originOf(sending, card), inThread })
  try {
    await client.chat.update({ ...message, text, blocks, metadata: deliveryMetadata(copyId) })
    if (card.closed?.status === 'withdrawn') await wake(sending)
    return messageIdOf(message, message.ts)
  } catch (error) {
    if (refusalOf(error) === 'message_not_found') return null
    throw error
  }
}

/** A run that was stopped while it waited does not go on, so nobody else ends its session's waiting. */
async function wake({ client, place, slack }: Sending): Promise<void> {
  if (place.threadTs === null) return
  await client.agents.sessions
    .setStatus({ channel_id: place.channel, thread_ts: place.threadTs, status: 'active' })
    .catch((error: unknown) => slack.log.debug({ error }, 'the status of a session could not be set'))
}

async function readCard(db: Database, workspaceId: string, questionId: string): Promise<QuestionCard> {
  const card = await readQuestionCard(db, { workspaceId, questionId })
  if (!card) throw new DeliveryFailure('There is no such question any more.', null)
  return card
}

/** For a message whose blocks Slack would not take. */
const plainCard = ({ text }: RenderedMessage) => `${text}\n(It can be answered in the console.)`

/** Where the question comes from, on a copy that is shown elsewhere: who asked the agent, and the thread. */
async function originOf({ slack, client, delivery }: Sending, card: QuestionCard): Promise<string | null> {
  if (card.conversationId === delivery.conversationId) return null
  const asked = card.requester
    ? `${plain(card.requester.name, 60)} asked ${plain(card.agent.name, 60)}`
    : plain(card.agent.name, 60)
  const { rows } = await slack.chat.db.pool.query<{ kind: string; external_key: string }>(
    `SELECT ch.kind, c.external_key FROM conversations c JOIN channels ch ON ch.id = c.channel_id
     WHERE c.id = $1 AND c.workspace_id = $2`,
    [card.conversationId, delivery.workspaceId],
  )
  const origin = rows[0]
  const thread = origin?.kind === 'slack' ? parseThreadKey(origin.external_key) : null
  if (!thread)
    return `${asked} ${origin?.kind === 'telegram' ? 'on Telegram' : 'elsewhere'}; you may answer for it here.`
  const link = await client.chat
    .getPermalink({ channel: thread.channel, message_ts: thread.threadTs })
    .then(({ permalink }) => permalink ?? null)
    .catch(() => null) // Of another workspace, or deleted: the card is as good without it.
  const isDirect = thread.channel.startsWith('D')
  const where = isDirect ? 'in a direct message' : `in <#${thread.channel}>`
  return link && !isDirect ? `${asked} ${where} · <${link}|open the thread>` : `${asked} ${where}`
}
