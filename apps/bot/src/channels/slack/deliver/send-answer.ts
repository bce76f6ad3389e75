import type { DeliveryPayload } from '../../channel.ts'
import { disarm } from '../render/mrkdwn.ts'
import { type Answer, plainAnswer, renderAnswer } from '../render/render-answer.ts'
import { deliveryMetadata } from './find-sent.ts'
import { type Sending, type TakenStream, takeStream } from './finish-streams.ts'
import { isAboutBlocks, postMessage } from './post-message.ts'
import { refusalOf } from './refusal.ts'
import { messageIdOf, parseMessageId } from './slack-place.ts'

/** A piece of an answer: the message in which it was streamed becomes it, or it is posted. */
export async function sendAnswer(
  sending: Sending,
  { markdown, step, footer, last }: DeliveryPayload & { kind: 'text' },
): Promise<string> {
  const answer: Answer = { markdown, ...(footer ? { footer } : {}), judged: last ? sending.delivery.runId : null }
  const stream = await takeStream(sending, step)
  const finished = stream && (await finishStream(sending, stream, answer))
  const sent = finished ?? (await postMessage(sending, renderAnswer(answer), plainAnswer(answer)))
  // Only now: before, another attempt needs the note to find the message.
  await stream?.done()
  return sent
}

/**
 * Where it is certain what the stream shows, the rest is added and the stream is ended, in one call, and the message is
 * as Slack makes them. Else it is ended and changed. Null: somebody has deleted the message.
 */
async function finishStream(sending: Sending, stream: TakenStream, answer: Answer): Promise<string | null> {
  const { client, place, delivery } = sending
  const text = disarm(answer.markdown)
  if (await isOvertaken(sending, stream.ts)) {
    if (await stream.end()) await client.chat.delete({ channel: place.channel, ts: stream.ts }).catch(() => {})
    return null
  }
  const rest = stream.shown === null ? null : restOf(text, stream.shown)
  if (rest !== null) {
    try {
      await client.chat.stopStream({
        channel: place.channel,
        ts: stream.ts,
        ...(rest ? { chunks: [{ type: 'markdown_text', text: rest }] } : {}),
        blocks: renderAnswer(answer).blocks.slice(1),
        metadata: deliveryMetadata(delivery.deliveryId),
      })
      return messageIdOf(place, stream.ts)
    } catch (error) {
      const code = refusalOf(error)
      if (code === 'message_not_found') return null
      if (code !== 'message_not_in_streaming_state' && code !== 'invalid_chunks' && !isAboutBlocks(error)) throw error
    }
  }
  return (await stream.end()) ? changeInto(sending, stream.ts, { ...answer, tasks: stream.tasks }) : null
}

/**
 * Whether something that belongs before this answer was sent after its stream had begun: an earlier delivery that had to
 * wait. An answer in the place of the stream would stand above it.
 */
async function isOvertaken({ slack, delivery }: Sending, ts: string): Promise<boolean> {
  const { rows } = await slack.chat.db.pool.query<{ external_id: string }>(
    `SELECT external_id FROM deliveries WHERE conversation_id = $1 AND number < $2 AND status = 'sent'
       AND kind <> 'card-update' AND external_id IS NOT NULL ORDER BY number DESC LIMIT 5`,
    [delivery.conversationId, delivery.number],
  )
  return rows.some(({ external_id }) => Number(parseMessageId(external_id)?.ts ?? 0) > Number(ts))
}

/** What the stream does not show yet; null where it shows something else. White space at its end does not matter. */
function restOf(text: string, shown: string): string | null {
  if (text.startsWith(shown)) return text.slice(shown.length)
  return text === shown.trimEnd() ? '' : null
}

/** Null: somebody has deleted the message meanwhile. */
async function changeInto({ client, place, delivery }: Sending, ts: string, answer: Answer): Promise<string | null> {
  const common = { channel: place.channel, ts, metadata: deliveryMetadata(delivery.deliveryId) }
  const { text, blocks } = renderAnswer(answer)
  try {
    await client.chat.update({ ...common, text, blocks })
  } catch (error) {
    const code = refusalOf(error)
    if (code === 'message_not_found') return null
    if (!isAboutBlocks(error)) throw error
    // An edit takes less text than a message: the words are posted, and what was streamed goes.
    await client.chat.delete({ channel: place.channel, ts }).catch(() => {})
    return null
  }
  return messageIdOf(place, ts)
}
