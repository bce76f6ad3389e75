import type { Database } from './client.ts'
import { storableText } from './storable.ts'

/**
 * Does something for an event of a platform that is no message, once: null where the event was taken before. Where the
 * work throws, the event is free again, and may be done when the platform sends it anew.
 */
export async function takeEvent<T>(
  db: Pick<Database, 'pool'>,
  event: { channelId: string; eventId: string; kind: string },
  work: () => Promise<T>,
): Promise<{ result: T } | null> {
  const values = [event.channelId, storableText(event.eventId)]
  const { rowCount } = await db.pool.query(
    `INSERT INTO inbound_events (channel_id, external_id, workspace_id, kind)
     SELECT id, $2, workspace_id, $3 FROM channels WHERE id = $1 ON CONFLICT (channel_id, external_id) DO NOTHING`,
    [...values, event.kind],
  )
  if (!rowCount) return null
  try {
    return { result: await work() }
  } catch (error) {
    await db.pool.query('DELETE FROM inbound_events WHERE channel_id = $1 AND external_id = $2', values)
    throw error
  }
}
