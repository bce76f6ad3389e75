// A question's card may be shown in several places: in the conversation that it is about, and alone to people who may
// answer but are not there. Each copy is a delivery of the kind `question`; whatever changes the question enqueues a
// `card-update` for each (function update_question_copies, in the transaction of the change).
import { approversShape, mayAnswer } from './approvers.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { announceDelivery, type ChannelKind } from './deliveries.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import type { Role } from './roles.ts'
import { placeKey } from './start-anew.ts'
import { storableText } from './storable.ts'

export interface QuestionCopy {
  /** The platform's id of the sent card; null where it was never sent. */
  externalId: string | null
  conversationKey: string
  channelId: string
  status: 'pending' | 'sending' | 'sent' | 'failed'
}

/** `copyId` is the delivery that sent it. Null when there is none. */
export async function readCopy(db: { pool: Queryable }, copyId: string): Promise<QuestionCopy | null> {
  const { rows } = await db.pool.query(
    `SELECT d.external_id AS "externalId", ${placeKey('c')} AS "conversationKey", d.channel_id AS "channelId", d.status
     FROM deliveries d JOIN conversations c ON c.id = d.conversation_id WHERE d.id = $1 AND d.kind = 'question'`,
    [storableText(copyId)],
  )
  return rows[0] ?? null
}

/** Somebody to show a question to alone. */
export interface CopyRecipient {
  memberId: string
  channelId: string
  channelKind: ChannelKind
  identityExternalId: string
}

/**
 * Who is to be shown an open question alone: members who may answer, have not, and did not write in its conversation, on
 * the kinds of channel that the caller can reach. Nobody, where those who wrote there suffice to answer it. One copy a
 * person, on the platform of the conversation where they are known there.
 */
export async function findCopyRecipients(
  db: { pool: Queryable },
  { questionId, kinds }: { questionId: string; kinds: readonly ChannelKind[] },
): Promise<CopyRecipient[]> {
  const { rows } = await db.pool.query<RecipientRow>(
    `WITH RECURSIVE question AS (
       SELECT q.*, r.requested_by,
         ARRAY(SELECT w.member_id FROM messages w WHERE w.conversation_id = r.conversation_id AND w.run_id = r.id
           AND w.member_id IS NOT NULL) AS requester_ids,
         (SELECT count(*) FROM answers a WHERE a.question_id = q.id AND a.verdict = 'approve')::int AS approvals
       FROM questions q JOIN runs r ON r.id = q.run_id
       WHERE q.id = $1 AND q.status = 'open' AND q.expires_at > clock_timestamp()
     ), line AS (
       SELECT r.parent_run_id, r.conversation_id, 0 AS depth FROM runs r JOIN question q ON r.id = q.run_id
       UNION ALL SELECT p.parent_run_id, p.conversation_id, line.depth + 1 FROM runs p JOIN line ON p.id = line.parent_run_id
     ), place AS (
       SELECT c.id, ch.kind FROM line JOIN conversations c ON c.id = line.conversation_id
       JOIN channels ch ON ch.id = c.channel_id ORDER BY line.depth DESC LIMIT 1
     ), writers AS (
       SELECT DISTINCT w.member_id FROM messages w JOIN place ON w.conversation_id = place.id WHERE w.member_id IS NOT NULL
     )
     SELECT m.id AS member_id, m.role, q.approvers, q.required_answers, q.requested_by, q.requester_ids,
       q.approvals, m.id IN (SELECT member_id FROM writers) AS is_here,
       EXISTS (SELECT 1 FROM answers a WHERE a.question_id = q.id AND a.member_id = m.id) AS has_answered,
       (SELECT json_build_object('channelId', ch.id, 'channelKind', ch.kind, 'identityExternalId', i.external_id)
         FROM identities i JOIN channels ch ON ch.workspace_id = i.workspace_id AND ch.kind::text = i.kind::text
           AND (ch.kind <> 'slack' OR ch.external_id = split_part(i.external_id, ':', 1))
         WHERE i.member_id = m.id AND i.kind::text = ANY($2)
         ORDER BY ch.kind = (SELECT kind FROM place) DESC, i.created_at DESC, ch.created_at LIMIT 1) AS reached
     FROM question q JOIN members m ON m.workspace_id = q.workspace_id AND m.disabled_at IS NULL
     ORDER BY m.role DESC, m.created_at, m.id`,
    [storableText(questionId), [...kinds]],
  )
  const rule = approversShape.safeParse(rows[0]?.approvers)
  if (!rows[0] || !rule.success) return []
  const entitled = rows.filter(
    (row) =>
      !row.has_answered &&
      mayAnswer(rule.data, { id: row.member_id, role: row.role, disabled: false }, row.requester_ids, row.requested_by),
  )
  const missing = rows[0].required_answers - rows[0].approvals
  if (entitled.filter(({ is_here }) => is_here).length >= missing) return []
  return entitled
    .flatMap((row) => (row.reached && !row.is_here ? [{ memberId: row.member_id, ...row.reached }] : []))
    .slice(0, limits.questionCopies)
}

interface RecipientRow {
  member_id: string
  role: Role
  approvers: unknown
  required_answers: number
  requested_by: string | null
  requester_ids: string[]
  has_answered: boolean
  approvals: number
  is_here: boolean
  reached: Omit<CopyRecipient, 'memberId'> | null
}

/**
 * Enqueues a copy in somebody's direct conversation, which is opened where there is none yet. Each member gets one of a
 * question, however often this is asked for. False: they have one, or the question is closed.
 */
export function copyQuestion(
  db: Database,
  copy: { questionId: string; memberId: string; channelId: string; conversationKey: string },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const key = storableText(copy.conversationKey)
    await tx.query(
      `INSERT INTO conversations (id, workspace_id, channel_id, agent_id, external_key, opened_by)
       SELECT $1, ch.workspace_id, ch.id, coalesce(ch.default_agent_id, r.agent_id), $3, m.id FROM channels ch
       JOIN questions q ON q.id = $4 AND q.workspace_id = ch.workspace_id JOIN runs r ON r.id = q.run_id
       JOIN members m ON m.id = $5 AND m.workspace_id = ch.workspace_id
       WHERE ch.id = $2 ON CONFLICT (channel_id, external_key) DO NOTHING`,
      [newId('cnv'), copy.channelId, key, copy.questionId, copy.memberId],
    )
    // The conversation's row comes before the run's (see runs.ts on locks); under the run's the question stays open.
    const { rows } = await tx.query(
      'SELECT id FROM conversations WHERE channel_id = $1 AND external_key = $2 FOR NO KEY UPDATE',
      [copy.channelId, key],
    )
    if (!rows[0]) return false
    await tx.query('SELECT 1 FROM runs WHERE id = (SELECT run_id FROM questions WHERE id = $1) FOR NO KEY UPDATE', [
      copy.questionId,
    ])
    const { rowCount } = await tx.query(
      `WITH question AS (
         SELECT q.id, q.run_id FROM questions q WHERE q.id = $2 AND q.status = 'open' AND NOT EXISTS (
           SELECT 1 FROM deliveries d WHERE d.run_id = q.run_id AND d.key = $3)
       ), numbered AS (
         UPDATE conversations c SET next_delivery = c.next_delivery + 1 FROM question WHERE c.id = $1
         RETURNING c.id, c.workspace_id, c.channel_id, c.next_delivery - 1 AS number, question.id AS question_id, question.run_id
       )
       INSERT INTO deliveries (id, workspace_id, conversation_id, channel_id, number, kind, payload, question_id, run_id, key)
       SELECT $4, workspace_id, id, channel_id, number, 'question', jsonb_build_object('kind', 'question', 'questionId', question_id),
         question_id, run_id, $3 FROM numbered RETURNING ${announceDelivery('deliveries')}`,
      [rows[0].id, copy.questionId, `copy:${copy.questionId}:${copy.memberId}`, newId('dlv')],
    )
    return rowCount === 1
  })
}

/** Shows every copy anew where the question stays open: somebody has approved, and more must. */
export async function updateCopies(tx: Queryable, questionId: string): Promise<void> {
  await tx.query('SELECT update_question_copies($1)', [questionId])
}
