// What a page shows of a conversation, in one statement, so that its parts fit together: a message that is there has
// its run, and a question that is open has its delivery.
import type { Database } from './client.ts'
import type { DeliveryStatus } from './deliveries.ts'
import { limits } from './limits.ts'
import type { RunStatus } from './runs.ts'

export interface ReadMessage {
  number: number
  role: 'user' | 'assistant' | 'tool'
  /** The model's content blocks. */
  content: unknown
  memberId: string | null
  runId: string | null
  createdAt: Date
}

export interface ReadDelivery {
  id: string
  number: number
  kind: string
  payload: unknown
  status: DeliveryStatus
  error: string | null
  questionId: string | null
  runId: string | null
  createdAt: Date
  sentAt: Date | null
}

export interface ReadRun {
  id: string
  status: RunStatus
  stopRequested: boolean
  errorCode: string | null
  errorMessage: string | null
}

/** Numbers of the last message and the last delivery that somebody has. */
export interface ConversationPosition {
  message: number
  delivery: number
}

export interface ConversationPage {
  conversation: {
    id: string
    channelId: string
    agentId: string
    title: string
    openedBy: string | null
    createdAt: Date
    lastActivityAt: Date
  }
  /** Both in the order of their numbers. */
  messages: ReadMessage[]
  deliveries: ReadDelivery[]
  openQuestionIds: string[]
  /** The newest run; null before the first message. */
  run: ReadRun | null
  /** There is more of what was asked for: after the page where `after` was given, before it otherwise. */
  more: boolean
}

export interface ReadConversation {
  workspaceId: string
  conversationId: string
  /** Only if this member opened it; to others it looks as if it did not exist. */
  memberId?: string
  /** What came after this. Without `after` and `before`: the newest of each. */
  after?: ConversationPosition
  /** The page before this one's first message and first delivery. */
  before?: ConversationPosition
  /** Rows of each; 200 at most. */
  limit?: number
}

/** Null when there is no such conversation in the workspace. */
export async function readConversation(
  db: Pick<Database, 'pool'>,
  read: ReadConversation,
): Promise<ConversationPage | null> {
  const limit = Math.max(1, Math.min(read.limit ?? limits.pageRows, limits.pageRows))
  const forward = read.after !== undefined
  const { rows } = await db.pool.query(
    `SELECT c.id, c.channel_id, c.agent_id, c.title, c.opened_by, c.created_at, c.last_activity_at,
       ARRAY(SELECT to_jsonb(m) FROM (
         SELECT number, role, content, member_id, run_id, created_at FROM messages
         WHERE conversation_id = c.id AND number > $4 AND number < $6
         ORDER BY number ${forward ? 'ASC' : 'DESC'} LIMIT $8) m) AS messages,
       ARRAY(SELECT to_jsonb(d) FROM (
         -- A file is read by itself (readDeliveredFile): with it a page would be megabytes.
         SELECT id, number, kind, CASE kind WHEN 'media' THEN payload - 'data' ELSE payload END AS payload, status, error, question_id, run_id, created_at, sent_at FROM deliveries
         WHERE conversation_id = c.id AND number > $5 AND number < $7
         ORDER BY number ${forward ? 'ASC' : 'DESC'} LIMIT $8) d) AS deliveries,
       ARRAY(SELECT q.id FROM runs r JOIN questions q ON q.run_id = r.id AND q.status = 'open'
         WHERE r.conversation_id = c.id AND r.status IN ('queued', 'running', 'waiting') ORDER BY q.asked_at, q.id) AS questions,
       (SELECT jsonb_build_object('id', r.id, 'status', r.status, 'stopRequested', r.stop_requested_at IS NOT NULL,
           'errorCode', r.error_code, 'errorMessage', r.error_message)
         FROM runs r WHERE r.conversation_id = c.id ORDER BY r.queued_at DESC, r.id DESC LIMIT 1) AS run
     FROM conversations c WHERE c.id = $1 AND c.workspace_id = $2 AND c.deleted_at IS NULL
       AND ($3::text IS NULL OR c.opened_by = $3)`,
    [
      read.conversationId,
      read.workspaceId,
      read.memberId ?? null,
      read.after?.message ?? 0,
      read.after?.delivery ?? 0,
      read.before?.message ?? highestNumber,
      read.before?.delivery ?? highestNumber,
      // One more than is shown: whether it is there says whether there is another page.
      limit + 1,
    ],
  )
  const row = rows[0]
  if (!row) return null
  const page = <T>(found: T[]): T[] => {
    const shown = found.slice(0, limit)
    return forward ? shown : shown.reverse()
  }
  return {
    conversation: {
      id: row.id,
      channelId: row.channel_id,
      agentId: row.agent_id,
      title: row.title,
      openedBy: row.opened_by,
      createdAt: row.created_at,
      lastActivityAt: row.last_activity_at,
    },
    messages: page(row.messages as MessageRow[]).map(toMessage),
    deliveries: page(row.deliveries as DeliveryRow[]).map(toDelivery),
    openQuestionIds: row.questions,
    run: row.run,
    more: row.messages.length > limit || row.deliveries.length > limit,
  }
}

/** Numbers are PostgreSQL integers. */
const highestNumber = 2_147_483_647

type MessageRow = Pick<ReadMessage, 'number' | 'role' | 'content'> & {
  member_id: string | null
  run_id: string | null
  created_at: string
}

const toMessage = (row: MessageRow): ReadMessage => ({
  number: row.number,
  role: row.role,
  content: row.content,
  memberId: row.member_id,
  runId: row.run_id,
  createdAt: new Date(row.created_at),
})

type DeliveryRow = Pick<ReadDelivery, 'id' | 'number' | 'kind' | 'payload' | 'status' | 'error'> & {
  question_id: string | null
  run_id: string | null
  created_at: string
  sent_at: string | null
}

const toDelivery = (row: DeliveryRow): ReadDelivery => ({
  id: row.id,
  number: row.number,
  kind: row.kind,
  payload: row.payload,
  status: row.status,
  error: row.error,
  questionId: row.question_id,
  runId: row.run_id,
  createdAt: new Date(row.created_at),
  sentAt: row.sent_at === null ? null : new Date(row.sent_at),
})
