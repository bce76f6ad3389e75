import type { RenderedMessage } from '../render/render-answer.ts'
import { deliveryMetadata } from './find-sent.ts'
import type { Sending } from './finish-streams.ts'
import { refusalOf } from './refusal.ts'
import { messageIdOf } from './slack-place.ts'

/** Posts a message with its delivery's id. Where Slack does not take its blocks, the words go out without them, once. */
export async function postMessage(
  { client, place, delivery }: Sending,
  { text, blocks }: RenderedMessage,
  words: string,
): Promise<string> {
  const common = {
    channel: place.channel,
    metadata: deliveryMetadata(delivery.deliveryId),
    unfurl_links: false,
    unfurl_media: false,
    ...(place.threadTs === null ? {} : { thread_ts: place.threadTs }),
  }
  const { ts } = await client.chat.postMessage({ ...common, text, blocks }).catch((error: unknown) => {
    if (!isAboutBlocks(error)) throw error
    return client.chat.postMessage({ ...common, text: words, mrkdwn: false })
  })
  if (!ts) throw new Error('Slack did not say which message it became')
  return messageIdOf(place, ts)
}

export const isAboutBlocks = (error: unknown): boolean =>
  ['invalid_blocks', 'invalid_blocks_format'].includes(refusalOf(error) ?? '')
