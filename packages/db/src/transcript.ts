// The transcript: what everybody said in a conversation, in the model's own content blocks. It is the state of a run.
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import { prepared } from './prepared.ts'

/** What is known about one answer of the model beyond its words. */
export interface Turn {
  /** The number of the last message that the model was shown. What people wrote after it, it had not read. */
  seen: number
  stopReason: string
  /** How much of the conversation was left out to make it fit; the next turn begins with as much. */
  contextStep: number
  /** Tool uses whose arguments arrived cut or garbled; they must never run. */
  broken?: { id: string; reason: string; received: string }[]
}

export interface TranscriptMessage {
  number: number
  role: 'user' | 'assistant' | 'tool'
  content: unknown
  runId: string | null
  turn: Turn | null
  /** Who wrote it, of people's messages; null or left out where that is no member. */
  memberId?: string | null
}

/**
 * The newest messages of a conversation, oldest first; with `after`, only those that came after that number. A longer
 * history than limits.transcriptMessages is cut at its beginning: no model reads that far back.
 */
export async function readTranscript(
  db: { pool: Queryable },
  conversationId: string,
  options: { after?: number } = {},
): Promise<TranscriptMessage[]> {
  const { rows } = await prepared(
    db.pool,
    `SELECT number, role, content, run_id AS "runId", turn, member_id AS "memberId" FROM messages
     WHERE conversation_id = $1 AND number > $2 ORDER BY number DESC LIMIT $3`,
    [conversationId, options.after ?? 0, limits.transcriptMessages],
  )
  return rows.reverse()
}
