// The playground in the console. Its messages come in through the console, which calls packages/db itself; what goes
// out is read by the page from the rows, and what is being done right now from the notices that `present` announces.
import type { ClaimedDelivery, Database } from '@quartermaster/db'
import { type Channel, DeliveryFailure, type Place } from '../channel.ts'
import { parsePayload } from '../delivery-payload.ts'
import { gatherAnnouncements } from './gather-announcements.ts'
import { webLimits } from './limits.ts'
import { presentLive } from './present-live.ts'

export function createWebChannel(options: { db: Pick<Database, 'pool'> }): Channel {
  const announce = gatherAnnouncements(options.db)
  return {
    kind: 'web',
    limits: webLimits,
    /** The row is the message: once it is confirmed the page shows it, however often it was sent. */
    async deliver(delivery: ClaimedDelivery, signal: AbortSignal) {
      signal.throwIfAborted()
      const payload = parsePayload(delivery)
      if (payload.kind === 'text' && payload.markdown.length > webLimits.messageLength)
        throw new DeliveryFailure(`A message has at most ${webLimits.messageLength} characters here.`, null)
      if (payload.kind === 'media' && Buffer.byteLength(payload.data, 'base64') > webLimits.fileBytes)
        throw new DeliveryFailure(`A file has at most ${webLimits.fileBytes} bytes here.`, null)
      return null
    },
    present: (place: Place) => presentLive(announce, place),
  }
}
