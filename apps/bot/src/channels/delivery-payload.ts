// What was enqueued, possibly by another version of the bot, as this one understands it.
import type { ClaimedDelivery } from '@quartermaster/db'
import { z } from 'zod'
import { DeliveryFailure, type DeliveryPayload } from './channel.ts'

const shape = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    markdown: z.string(),
    step: z.number(),
    footer: z.string().optional(),
    last: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('question'), questionId: z.string() }),
  z.object({ kind: z.literal('card-update'), questionId: z.string(), copyId: z.string() }),
  z.object({ kind: z.literal('notice'), text: z.string() }),
  z.object({
    kind: z.literal('media'),
    filename: z.string(),
    mimeType: z.string(),
    data: z.string(),
    caption: z.string().optional(),
  }),
])

/** Throws a DeliveryFailure for good: what nobody understands will not be understood at the next attempt. */
export function parsePayload(delivery: Pick<ClaimedDelivery, 'kind' | 'payload' | 'questionId'>): DeliveryPayload {
  const payload = typeof delivery.payload === 'object' ? delivery.payload : null
  const parsed = shape.safeParse({ questionId: delivery.questionId, ...payload, kind: delivery.kind })
  if (!parsed.success) throw new DeliveryFailure(`A delivery of the kind "${delivery.kind}" has no such payload.`, null)
  return parsed.data as DeliveryPayload
}
