import type { ChannelLimits, DeliveryPayload } from '../channels/channel.ts'
import { splitMarkdown } from './split-markdown.ts'

/** What the model said in one step as the messages it becomes on a channel, in order. The footer, and `last`, are on the last text. */
export function answerDeliveries(
  answer: { markdown: string; step: number; footer?: string; last?: boolean },
  limits: Pick<ChannelLimits, 'messageLength'>,
): DeliveryPayload[] {
  const { parts, attachment } = splitMarkdown(answer.markdown, limits)
  const texts = parts.map((markdown, index): DeliveryPayload => {
    const isLast = index === parts.length - 1
    return {
      kind: 'text',
      markdown,
      step: answer.step,
      ...(isLast && answer.footer !== undefined ? { footer: answer.footer } : {}),
      ...(isLast && answer.last ? { last: true } : {}),
    }
  })
  if (!attachment) return texts
  const { filename, mimeType, text } = attachment
  return [...texts, { kind: 'media', filename, mimeType, data: Buffer.from(text).toString('base64') }]
}
