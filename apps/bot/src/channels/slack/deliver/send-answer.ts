import type { DeliveryPayload } from '../../channel.ts'
import { type Answer, plainAnswer, renderAnswer } from '../render/render-answer.ts'
import { deliveryMetadata } from './find-sent.ts'
import { type Sending, takeStream } from './finish-streams.ts'
import { isAboutBlocks, postMessage } from './post-message.ts'
import { refusalOf } from './refusal.ts'
import { messageIdOf } from './slack-place.ts'

/** A piece of an answer: the message in which it was streamed becomes it, or it is posted. */
export async function sendAnswer(
  sending: Sending,
  { markdown, step, footer, last }: DeliveryPayload & { kind: 'text' },
): Promise<string> {
  const answer: Answer = { markdown, ...(footer ? { footer } : {}), judged: last ? sending.delivery.runId : null }
  const stream = await takeStream(sending, step)
  const changed = stream && (await changeInto(sending, stream.ts, { ...answer, tasks: stream.tasks }))
  const sent = changed ?? (await postMessage(sending, renderAnswer(answer), plainAnswer(answer)))
  // Only now: before, another attempt needs the note to find the message.
  await stream?.done()
  return sent
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
