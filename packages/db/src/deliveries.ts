// One outgoing message to a platform.
//
//   enqueueDelivery ──▶ pending ── claimDelivery ──▶ sending ── confirmDelivery ──▶ sent
//                          ▲                          │  │ └─── failDelivery ──────▶ failed
//                          └────── retryDelivery ─────┘  └─ claimDelivery again when the claim is over
//
// A conversation's deliveries go out one at a time in the order of their numbers: only the lowest one that is neither
// sent nor failed can be claimed. Every claim raises `attempts`, and the later writes carry it, so a sender that was
// taken for dead cannot confirm or fail what another one has taken over. `attempts` has an end, however they end: a
// delivery whose every sender was lost has failed, too. Only "come back later" is not held against a delivery (`waits`),
// or a busy hour of a platform would lose messages; those have an end of their own.
import type { Claim } from './claim.ts'
import type { Database, Queryable } from './client.ts'
import { type CombinedStatement, columnsOf } from './combine.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'
import { appendEvent } from './run-events.ts'
import { placeKey } from './start-anew.ts'
import { storableJson, storableText } from './storable.ts'

/** NOTIFY channel: there is something to claim. The payload is { conversationId, channelId }. */
export const deliveryChannel = 'qm_deliveries'

/** An SQL expression that tells the senders of the row of `table`. */
export const announceDelivery = (table: string) => `pg_notify('${deliveryChannel}', json_build_object(
  'conversationId', ${table}.conversation_id, 'channelId', ${table}.channel_id)::text)`

export type DeliveryStatus = 'pending' | 'sending' | 'sent' | 'failed'

export type ChannelKind = 'slack' | 'telegram' | 'web'

export interface NewDelivery {
  conversationId: string
  kind: string
  payload: unknown
  questionId?: string
  /** The claim under which a run says this; without one it is the system that speaks. */
  claim?: Claim
}

/** Null when the claim is lost (or the conversation is gone). */
export async function enqueueDelivery(
  db: { pool: Queryable },
  delivery: NewDelivery,
): Promise<{ id: string; number: number } | null> {
  const { rows } = await prepared(
    db.pool,
    `WITH conversation AS (
       SELECT id FROM conversations WHERE id = $2 FOR NO KEY UPDATE
     ), held AS (
       SELECT r.id FROM runs r JOIN conversation c ON c.id = r.conversation_id
       WHERE r.id = $6 AND r.claim_number = $7 AND r.status = 'running' FOR SHARE OF r
     ), numbered AS (
       UPDATE conversations c SET next_delivery = c.next_delivery + 1 FROM conversation
       WHERE c.id = conversation.id AND ($6::text IS NULL OR EXISTS (SELECT 1 FROM held))
       RETURNING c.id, c.workspace_id, c.channel_id, c.next_delivery - 1 AS number
     )
     INSERT INTO deliveries (id, workspace_id, conversation_id, channel_id, number, kind, payload, question_id, run_id)
     SELECT $1, workspace_id, id, channel_id, number, $3, $4::jsonb, $5, $6 FROM numbered
     RETURNING id, number, ${announceDelivery('deliveries')}`,
    [
      newId('dlv'),
      delivery.conversationId,
      delivery.kind,
      storableJson(delivery.payload),
      delivery.questionId ?? null,
      delivery.claim?.runId ?? null,
      delivery.claim?.claimNumber ?? null,
    ],
  )
  return rows[0] ? { id: rows[0].id, number: rows[0].number } : null
}

/** What a sender shows when it reports what became of a delivery. */
export interface DeliveryClaim {
  deliveryId: string
  attempt: number
}

export interface ClaimedDelivery extends DeliveryClaim {
  workspaceId: string
  conversationId: string
  channelId: string
  channelKind: ChannelKind
  conversationKey: string
  number: number
  kind: string
  payload: unknown
  runId: string | null
  questionId: string | null
  /**
   * It may have been sent: a sender had it and was lost, or never learned what became of it. Look on the platform
   * before sending it. True from then on at every attempt, for the look may fail as well.
   */
  takenOver: boolean
}

/** CTEs after `delivery`, the row that was written: the run's event. */
const tell = `event AS (${appendEvent(
  `(SELECT * FROM delivery WHERE run_id IS NOT NULL AND status IN ('sent', 'failed')) AS delivery`,
  'delivery',
  `jsonb_build_object('deliveryId', id, 'number', number, 'status', status)`,
)})`

const returned = `d.id, d.number, d.status, d.run_id, d.workspace_id, d.conversation_id, d.channel_id`

/**
 * The next delivery that is due, of one conversation or of any, among the kinds of channel that the sender can reach:
 * what it cannot reach waits for somebody who can. Null when there is none. Times are stored in whole milliseconds,
 * rounded up as often as down, so one that is due now may seem to be due in a moment: without the millisecond's grace a
 * sender that was just told of it would find nothing.
 *
 * The lowest number is looked up for each candidate, in the order in which they are due. As an anti-join ("no lower one
 * exists") PostgreSQL may compare everything with everything: with 20,000 waiting it took more than a minute.
 */
export async function claimDelivery(db: Database, sender: Sender): Promise<ClaimedDelivery | null> {
  const { conversationId } = sender
  const row = conversationId
    ? await db.combiner.run(claimHere, { ...sender, conversationId })
    : (await prepared(db.pool, claimStatement('AND $3::text[] IS NULL', 'LIMIT 1'), claimValues(sender, null))).rows[0]
  return row ? toClaimedDelivery(row) : null
}

interface Sender {
  processId: string
  conversationId?: string
  kinds?: readonly ChannelKind[]
}

/**
 * A text for each way to look: planned once (see prepared.ts), and a plan for both would fit neither. Of a conversation
 * there is at most one, lost or due: nothing is due behind what is being sent.
 */
const claimStatement = (here: string, most: string) => `WITH delivery AS (
       UPDATE deliveries d SET status = 'failed', error = 'Every process that sent this was lost.', claimed_by = NULL,
         claim_until = NULL
       WHERE d.status = 'sending' AND d.claim_until < now() AND d.attempts - d.waits >= $4 ${here}
       RETURNING ${returned}, ${announceDelivery('d')}
     ), ${tell}, reachable AS NOT MATERIALIZED (
       SELECT id FROM channels WHERE kind::text = ANY($5)
     ), lost AS (
       SELECT d.id FROM deliveries d WHERE d.status = 'sending' AND d.claim_until < now() AND d.attempts - d.waits < $4
         ${here} AND ($5::text[] IS NULL OR d.channel_id IN (SELECT id FROM reachable))
       ORDER BY d.claim_until ${most} FOR NO KEY UPDATE SKIP LOCKED
     ), due AS (
       SELECT d.id FROM deliveries d WHERE d.status = 'pending' AND d.next_attempt_at <= now() + interval '1 millisecond'
         ${here} AND ($5::text[] IS NULL OR d.channel_id IN (SELECT id FROM reachable))
         AND d.number = (SELECT min(e.number) FROM deliveries e WHERE e.conversation_id = d.conversation_id
           AND e.status IN ('pending', 'sending'))
         ${most && 'AND NOT EXISTS (SELECT 1 FROM lost)'}
       ORDER BY d.next_attempt_at ${most} FOR NO KEY UPDATE SKIP LOCKED
     ), picked AS (
       SELECT id, true AS taken_over FROM lost UNION ALL SELECT id, false FROM due
     )
     UPDATE deliveries d SET status = 'sending', attempts = d.attempts + 1, claimed_by = $1,
       maybe_sent = d.maybe_sent OR picked.taken_over, claim_until = clock_timestamp() + $2 * interval '1 millisecond'
     FROM picked, conversations c, channels ch
     WHERE d.id = picked.id AND c.id = d.conversation_id AND ch.id = d.channel_id
     RETURNING d.*, ${placeKey('c')} AS external_key, ch.kind AS channel_kind, d.conversation_id AS key`

const claimValues = ({ processId, kinds }: Sender, conversationIds: readonly string[] | null) => [
  processId,
  limits.deliveryClaimMs,
  conversationIds,
  limits.deliveryAttempts,
  kinds ?? null,
]

const claimHere: CombinedStatement<Sender & { conversationId: string }> = {
  text: claimStatement('AND d.conversation_id = ANY($3)', ''),
  values: (senders) =>
    claimValues(
      senders[0] as Sender,
      senders.map(({ conversationId }) => conversationId),
    ),
  keyOf: ({ conversationId }) => conversationId,
  groupOf: ({ processId, kinds }) => `${processId} ${kinds}`,
  restMs: limits.deliveryRestMs,
}

// biome-ignore lint/suspicious/noExplicitAny: as pg itself types a row that nobody described.
const toClaimedDelivery = (row: any): ClaimedDelivery => ({
  deliveryId: row.id,
  attempt: row.attempts,
  workspaceId: row.workspace_id,
  conversationId: row.conversation_id,
  channelId: row.channel_id,
  channelKind: row.channel_kind,
  conversationKey: row.external_key,
  number: row.number,
  kind: row.kind,
  payload: row.payload,
  runId: row.run_id,
  questionId: row.question_id,
  takenOver: row.maybe_sent,
})

/**
 * sending → sent. False when another sender has taken it over. It is announced where more waits behind it, or where no
 * event of a run tells of it: most conversations have said all, and then nobody needs to look again. What was enqueued
 * in this very moment was announced by itself, and its sender looks when it is done with this one.
 */
export async function confirmDelivery(db: Database, claim: DeliveryClaim, externalId: string | null): Promise<boolean> {
  return (await db.combiner.run(confirm, { ...claim, externalId })) !== undefined
}

const confirm: CombinedStatement<DeliveryClaim & { externalId: string | null }> = {
  text: `WITH delivery AS (
       UPDATE deliveries d SET status = 'sent', sent_at = clock_timestamp(), external_id = a.external_id, error = NULL,
         claimed_by = NULL, claim_until = NULL
       FROM unnest($1::text[], $2::int[], $3::text[]) AS a (id, attempt, external_id)
       WHERE d.id = a.id AND d.attempts = a.attempt AND d.status = 'sending' RETURNING ${returned}
     ), ${tell}
     SELECT delivery.id AS key, CASE WHEN delivery.run_id IS NULL OR EXISTS (SELECT 1 FROM deliveries e
       WHERE e.conversation_id = delivery.conversation_id AND e.status = 'pending') THEN ${announceDelivery('delivery')} END
     FROM delivery`,
  values: (sent) => columnsOf(sent.map(({ deliveryId, attempt, externalId }) => [deliveryId, attempt, externalId])),
  keyOf: ({ deliveryId }) => deliveryId,
  restMs: limits.deliveryRestMs,
}

export interface DeliveryRetry {
  afterMs: number
  error: string
  /** The platform said "later": it does not count towards giving up. */
  wait?: boolean
  /** Whether it reached the platform is not known. */
  maybeSent?: boolean
}

/** sending → pending, due again after a while; or failed when that was the last attempt. Null: taken over. */
export async function retryDelivery(
  db: Database,
  claim: DeliveryClaim,
  retry: DeliveryRetry,
): Promise<'pending' | 'failed' | null> {
  const { rows } = await prepared(
    db.pool,
    `WITH delivery AS (
       UPDATE deliveries d SET error = $4, claimed_by = NULL, claim_until = NULL,
         waits = d.waits + $6, maybe_sent = d.maybe_sent OR $7,
         status = CASE WHEN d.attempts - d.waits - $6 >= $5 OR d.waits + $6 >= $8 THEN 'failed' ELSE 'pending' END::delivery_status,
         next_attempt_at = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE d.id = $1 AND d.attempts = $2 AND d.status = 'sending' RETURNING ${returned}
     ), ${tell}
     SELECT status, CASE status WHEN 'failed' THEN ${announceDelivery('delivery')} END FROM delivery`,
    [
      claim.deliveryId,
      claim.attempt,
      retry.afterMs,
      storableText(retry.error),
      limits.deliveryAttempts,
      retry.wait ? 1 : 0,
      retry.maybeSent ?? false,
      limits.deliveryWaits,
    ],
  )
  return rows[0]?.status ?? null
}

/** sending → failed, for good; the next delivery of the conversation may go. False when it was taken over. */
export async function failDelivery(db: Database, claim: DeliveryClaim, error: string): Promise<boolean> {
  const { rowCount } = await prepared(
    db.pool,
    `WITH delivery AS (
       UPDATE deliveries d SET status = 'failed', error = $3, claimed_by = NULL, claim_until = NULL
       WHERE d.id = $1 AND d.attempts = $2 AND d.status = 'sending' RETURNING ${returned}
     ), ${tell}
     SELECT ${announceDelivery('delivery')} FROM delivery`,
    [claim.deliveryId, claim.attempt, storableText(error)],
  )
  return rowCount === 1
}
