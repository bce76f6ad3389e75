// Somebody changed or took back what they had said on a platform.
import { type Database, inTransaction, type Queryable } from './client.ts'
import { storableJson, storableText } from './storable.ts'

export interface SaidMessage {
  channelId: string
  conversationKey: string
  /** The platform's id of the message. */
  messageId: string
}

/**
 * Changes what the model has not seen yet; what it has seen stays said, and the answer is false. While a run is being
 * worked on, what it has read is in that process's hands: then a message counts as seen.
 */
export function editMessage(db: Database, edit: SaidMessage & { content: unknown }): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const found = await lockMessage(tx, edit)
    if (!found || found.seen) return false
    await tx.query('UPDATE messages SET content = $3::jsonb WHERE conversation_id = $1 AND number = $2', [
      found.conversation_id,
      found.number,
      storableJson(edit.content),
    ])
    return true
  })
}

/** What stands in the transcript where a message was taken back. */
export const takenBack = '[This message was deleted by the person who had written it.]'

/** What came of a deletion: the run that has nothing else to read, if it is still queued. */
export interface DeletedMessage {
  workspaceId: string
  emptyRunId: string | null
}

/**
 * Its words and files go from the transcript, seen or not, and from the titles that were made of them. Null: there is no
 * such message.
 */
export function deleteMessage(db: Database, message: SaidMessage): Promise<DeletedMessage | null> {
  return inTransaction(db, async (tx) => {
    const found = await lockMessage(tx, message)
    if (!found) return null
    const { conversation_id: conversationId, number, run_id: runId } = found
    await tx.query('UPDATE messages SET content = $3::jsonb WHERE conversation_id = $1 AND number = $2', [
      conversationId,
      number,
      storableJson([{ type: 'text', text: takenBack }]),
    ])
    await tx.query('DELETE FROM chat_files WHERE conversation_id = $1 AND event_id = $2', [
      conversationId,
      fileEventOf(number),
    ])
    // A title is made of the first words of a run or a conversation, and the next message gives a new one.
    const { rows: first } = await tx.query(
      `SELECT min(number) AS number, count(*)::int AS count FROM messages WHERE conversation_id = $1 AND run_id = $2 AND role = 'user'`,
      [conversationId, runId],
    )
    if (first[0].number === number) await tx.query(`UPDATE runs SET title = '' WHERE id = $1`, [runId])
    await tx.query(
      `UPDATE conversations c SET title = '' WHERE id = $1
         AND $2 = (SELECT min(number) FROM messages WHERE conversation_id = c.id AND role = 'user')`,
      [conversationId, number],
    )
    const { rows: run } = await tx.query(
      `SELECT r.workspace_id, r.id, r.status, EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = r.conversation_id
         AND m.run_id = r.id AND m.content <> $2::jsonb) AS has_more FROM runs r WHERE r.id = $1`,
      [runId, storableJson([{ type: 'text', text: takenBack }])],
    )
    const isEmpty = run[0]?.status === 'queued' && !run[0].has_more
    return { workspaceId: found.workspace_id, emptyRunId: isEmpty ? run[0].id : null }
  })
}

/** Under which event the files of a message are kept that were fetched when it was read. */
export const fileEventOf = (messageNumber: number): string => `message:${messageNumber}`

interface FoundMessage {
  conversation_id: string
  workspace_id: string
  number: number
  run_id: string | null
  seen: boolean
}

/** With its conversation's row and its run's, in this order (see runs.ts on locks), so that nobody begins to read it. */
async function lockMessage(tx: Queryable, { channelId, conversationKey, messageId }: SaidMessage) {
  const { rows: conversations } = await tx.query(
    'SELECT id FROM conversations WHERE channel_id = $1 AND external_key = $2 FOR NO KEY UPDATE',
    [channelId, storableText(conversationKey)],
  )
  if (!conversations[0]) return null
  const { rows: named } = await tx.query(
    `SELECT number, run_id FROM messages WHERE conversation_id = $1 AND external_id = $2 AND role = 'user'
     ORDER BY number DESC LIMIT 1`,
    [conversations[0].id, storableText(messageId)],
  )
  if (!named[0]) return null
  await tx.query('SELECT 1 FROM runs WHERE id = $1 FOR NO KEY UPDATE', [named[0].run_id])
  const { rows } = await tx.query<FoundMessage>(
    `SELECT m.conversation_id, m.workspace_id, m.number, m.run_id,
       EXISTS (SELECT 1 FROM messages a WHERE a.conversation_id = m.conversation_id AND a.role = 'assistant'
         AND (a.turn ->> 'seen')::int >= m.number)
       OR EXISTS (SELECT 1 FROM runs r WHERE r.id = m.run_id AND r.status NOT IN ('queued', 'waiting')) AS seen
     FROM messages m WHERE m.conversation_id = $1 AND m.number = $2`,
    [conversations[0].id, named[0].number],
  )
  return rows[0] ?? null
}
