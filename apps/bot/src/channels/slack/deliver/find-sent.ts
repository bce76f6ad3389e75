// Whether Slack has a delivery already: its process may have died after it was sent. The thread is searched from the
// time on at which the delivery was made, so that a long thread costs no more than a short one.
import type { ClaimedDelivery, Database } from '@quartermaster/db'
import type { WebClient } from '@slack/web-api'
import type { SlackTeam } from '../connect/slack-connection.ts'
import { limits } from '../limits.ts'
import type { SlackPlace } from './slack-place.ts'

export const deliveryEvent = 'qm_delivery'

/** Nothing but the id: what stands in metadata can be read by every app of the workspace. */
export const deliveryMetadata = (deliveryId: string) => ({
  event_type: deliveryEvent,
  event_payload: { delivery: deliveryId },
})

interface FoundMessage {
  ts?: string
  user?: string
  bot_id?: string
  metadata?: { event_type?: string; event_payload?: unknown }
  files?: { id?: string }[]
}

/** The messages of the place from a time on, oldest first as far as Slack gives them; bounded. */
async function* messagesSince(client: WebClient, place: SlackPlace, since: Date): AsyncGenerator<FoundMessage> {
  const oldest = String((since.getTime() - limits.searchSlackMs) / 1000)
  let cursor: string | undefined
  for (let page = 0; page < limits.searchPages; page++) {
    const common = {
      channel: place.channel,
      oldest,
      limit: limits.searchPageMessages,
      include_all_metadata: true,
      ...(cursor ? { cursor } : {}),
    }
    const found =
      place.threadTs === null
        ? await client.conversations.history(common)
        : await client.conversations.replies({ ...common, ts: place.threadTs })
    yield* (found.messages ?? []) as FoundMessage[]
    cursor = found.response_metadata?.next_cursor || undefined
    if (!cursor) return
  }
}

/** The ts of the message that this delivery became, by its metadata or by the file that it carries; null: none. */
export async function findSent(
  { client, db, place }: { client: WebClient; db: Database; place: SlackPlace },
  { deliveryId }: ClaimedDelivery,
  fileId: string | null = null,
): Promise<string | null> {
  for await (const { ts, metadata, files } of messagesSince(client, place, await madeAt(db, deliveryId))) {
    const payload = metadata?.event_type === deliveryEvent ? metadata.event_payload : null
    const isIt = (payload as { delivery?: unknown } | null)?.delivery === deliveryId
    if (ts && (isIt || (fileId !== null && files?.some(({ id }) => id === fileId)))) return ts
  }
  return null
}

/** A stream that its process did not live to note: a message of ours that says nothing about what it is. */
export async function findUnmarked(
  { client, place, team }: { client: WebClient; place: SlackPlace; team: SlackTeam },
  since: Date,
): Promise<string | null> {
  for await (const { ts, user, bot_id, metadata, files } of messagesSince(client, place, since)) {
    const isOurs = user === team.botUserId || (team.botId !== null && bot_id === team.botId)
    if (ts && ts !== place.threadTs && isOurs && !metadata?.event_type && !files?.length) return ts
  }
  return null
}

async function madeAt(db: Database, deliveryId: string): Promise<Date> {
  const { rows } = await db.pool.query<{ created_at: Date }>('SELECT created_at FROM deliveries WHERE id = $1', [
    deliveryId,
  ])
  return rows[0]?.created_at ?? new Date(0)
}
