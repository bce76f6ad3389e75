// A word from the console into a place of a chat platform, to see whether it arrives.
import { setTimeout as wait } from 'node:timers/promises'
import { type Actor, recordAudit } from './audit.ts'
import { lockChannel } from './channel-settings.ts'
import { type Database, inTransaction } from './client.ts'
import { type DeliveryStatus, enqueueDelivery } from './deliveries.ts'
import { limits } from './limits.ts'
import { Problem } from './problem.ts'
import { placeKey } from './start-anew.ts'
import { storableText } from './storable.ts'

/**
 * An SQL expression: the place of the conversation of `table`, without its thread or topic. A direct conversation that
 * the bot opened (`dm:U123`) is a place of its own.
 */
export const conversationPlace = (table: string) =>
  `CASE WHEN ${table}.external_key LIKE 'dm:%' THEN ${placeKey(table)} ELSE split_part(${placeKey(table)}, ':', 1) END`

/** It goes to the newest conversation there; where nobody ever wrote, no delivery has a way. The delivery's id. */
export function sendTestMessage(
  db: Database,
  input: { workspaceId: string; channelId: string; place: string; text: string; actor: Actor },
): Promise<string> {
  return inTransaction(db, async (tx) => {
    await lockChannel(tx, input)
    const { rows } = await tx.query(
      `SELECT id FROM conversations c WHERE workspace_id = $1 AND channel_id = $2 AND deleted_at IS NULL
         AND ${conversationPlace('c')} = $3 ORDER BY last_activity_at DESC, id DESC LIMIT 1`,
      [input.workspaceId, input.channelId, storableText(input.place)],
    )
    const conversationId: string | undefined = rows[0]?.id
    const sent =
      conversationId &&
      (await enqueueDelivery(
        { pool: tx },
        { conversationId, kind: 'notice', payload: { kind: 'notice', text: input.text } },
      ))
    if (!sent)
      throw new Problem('Nobody has written to it in that place yet.', 'Say a word to it there first, then try again.')
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'channel.send-test-message',
      subject: { kind: 'channel', id: input.channelId },
      data: { place: input.place, deliveryId: sent.id },
    })
    return sent.id
  })
}

/** What became of a delivery, as soon as that is known and at most a few seconds later. */
export async function awaitDelivery(
  db: Pick<Database, 'pool'>,
  { workspaceId, deliveryId }: { workspaceId: string; deliveryId: string },
): Promise<{ status: DeliveryStatus; error: string | null } | null> {
  const until = Date.now() + limits.testMessageMs
  for (;;) {
    const { rows } = await db.pool.query<{ status: DeliveryStatus; error: string | null }>(
      'SELECT status, error FROM deliveries WHERE workspace_id = $1 AND id = $2',
      [workspaceId, deliveryId],
    )
    const delivery = rows[0] ?? null
    const over = !delivery || delivery.status === 'sent' || delivery.status === 'failed'
    if (over || Date.now() > until) return delivery
    await wait(150)
  }
}
