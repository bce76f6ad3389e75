// "Reply in this thread": what a member writes in a conversation answers the question that waits there for a text. It
// is then no message of its own, and the platform's event is taken: sent again, it neither answers nor says anything.
import { countAnswer } from './answer-question.ts'
import { type Database, inTransaction } from './client.ts'
import { storableText } from './storable.ts'

export interface Reply {
  channelId: string
  /** The platform's id of the event, as receiveEvent would get it. */
  eventId: string
  conversationKey: string
  memberId: string | null
  text: string
  surface: string
}

export type ReplyResult =
  | { outcome: 'answered'; questionId: string; conversationId: string; messageNumber: number; runId: string }
  /** This event was received before, as an answer or as a message. */
  | { outcome: 'duplicate' }

/**
 * Null: nothing waits for this member's text here, so it is a message like any other. Of several
 * questions it answers the newest that this member may answer. receiveEvent asks this; a channel need not.
 */
export async function answerByReply(db: Database, reply: Reply): Promise<ReplyResult | null> {
  const { channelId, memberId, text, surface } = reply
  if (memberId === null || text.trim() === '') return null
  const { rows } = await db.pool.query(
    `SELECT q.id, q.run_id, q.workspace_id, c.id AS conversation_id,
       -- Whoever follows what comes of it looks from what people said last.
       coalesce((SELECT max(m.number) FROM messages m WHERE m.conversation_id = c.id AND m.run_id = r.id AND m.role = 'user'),
         c.next_message - 1) AS message_number
     FROM conversations c JOIN runs r ON r.conversation_id = c.id AND r.status IN ('queued', 'running', 'waiting')
     JOIN questions q ON q.run_id = r.id AND q.status = 'open' AND q.kind = 'text'
     WHERE c.channel_id = $1 AND c.external_key = $2 ORDER BY q.asked_at DESC, q.id DESC`,
    [channelId, storableText(reply.conversationKey)],
  )
  for (const question of rows) {
    const result = await inTransaction(db, async (tx): Promise<ReplyResult | null> => {
      const questionId: string = question.id
      const answered = await countAnswer(tx, { questionId, memberId, verdict: 'approve', value: text, surface })
      if (!answered.ok) return null
      // Where the event was received before, its key refuses this insert, and with it the answer.
      await tx.query(
        `INSERT INTO inbound_events (channel_id, external_id, workspace_id, kind, conversation_id, message_number, run_id)
         VALUES ($1, $2, $3, 'answer', $4, $5, $6)`,
        [
          channelId,
          storableText(reply.eventId),
          question.workspace_id,
          question.conversation_id,
          question.message_number,
          question.run_id,
        ],
      )
      return {
        outcome: 'answered',
        questionId,
        conversationId: question.conversation_id,
        messageNumber: question.message_number,
        runId: question.run_id,
      }
    }).catch((error: { code?: string; constraint?: string }) => {
      if (error.code === '23505' && error.constraint === 'inbound_events_pkey') return { outcome: 'duplicate' } as const
      throw error
    })
    if (result) return result
  }
  return null
}
