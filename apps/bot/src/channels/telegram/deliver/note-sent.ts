// Telegram cannot be asked what we have sent, so we write it down at once, before the delivery is confirmed. What a lost
// sender leaves unknown is only what happened between Telegram's taking a message and this note (docs/decisions/0007).
import type { ClaimedDelivery, Database } from '@quartermaster/db'
import { formatSent, parseSent, type SentMessages } from '../sent-messages.ts'

/** Only by whoever holds the delivery. */
export async function noteSent(
  db: Pick<Database, 'pool'>,
  delivery: ClaimedDelivery,
  sent: SentMessages,
): Promise<void> {
  await db.pool.query(`UPDATE deliveries SET external_id = $3 WHERE id = $1 AND attempts = $2 AND status = 'sending'`, [
    delivery.deliveryId,
    delivery.attempt,
    formatSent(sent),
  ])
}

/** What earlier senders of this delivery have noted. A first attempt has none. */
export async function readSent(db: Pick<Database, 'pool'>, delivery: ClaimedDelivery): Promise<SentMessages | null> {
  if (delivery.attempt <= 1) return null
  const { rows } = await db.pool.query('SELECT external_id FROM deliveries WHERE id = $1', [delivery.deliveryId])
  return parseSent(rows[0]?.external_id ?? null)
}
