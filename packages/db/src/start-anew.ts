// /new: the next message in a place opens a new conversation. The one before keeps its transcript and its runs, under a
// key that no message has; what was enqueued in it still goes to the place where it was held.
import type { Database } from './client.ts'
import { storableText } from './storable.ts'

/** No platform's key has this character. */
const mark = '#'

/** An SQL expression: where on the platform the conversation of `table` is, or was. */
export const placeKey = (table: string) => `split_part(${table}.external_key, '${mark}', 1)`

/** The id of the conversation that was left; null where there was none. */
export async function startAnew(
  db: Pick<Database, 'pool'>,
  place: { channelId: string; conversationKey: string },
): Promise<string | null> {
  const { rows } = await db.pool.query(
    `UPDATE conversations SET external_key = external_key || '${mark}' || id
     WHERE channel_id = $1 AND external_key = $2 AND deleted_at IS NULL RETURNING id`,
    [place.channelId, storableText(place.conversationKey)],
  )
  return rows[0]?.id ?? null
}
