import type { ChannelLimits, DeliveryPayload } from '../channels/channel.ts'
import { splitMarkdown } from './split-markdown.ts'

/** What the model said in one step as the messages it becomes on a channel, in order. The footer is on the last text. */
export function answerDeliveries(
  answer: { markdown: string; step: number; footer?: string },
  limits: Pick<ChannelLimits, 'messageLength'>,
): DeliveryPayload[] {
  const { parts, attachment } = splitMarkdown(answer.markdown, limits)
  const texts = parts.map((markdown, index): DeliveryPayload => {
    const footer = index === parts.length - 1 ? answer.footer : undefined
    return { kind: 'text', markdown, step: answer.step, ...(footer === undefined ? {} : { footer }) }
  })
  if (!attachment) return texts
  const { filename, mimeType, text } = attachment
  return [...texts, { kind: 'media', filename, mimeType, data: Buffer.from(text).toString('base64') }]
}
