// What a tool keeps between its calls in one conversation, for whatever machine the next call runs on. The shape is that
// of the port ConversationNotes of packages/tools. Notes go with their conversation.
import { type Database, inTransaction } from './client.ts'
import { limits } from './limits.ts'
import { storableJson, storableText } from './storable.ts'

export function createConversationNotes(db: Database) {
  return {
    read: (conversationId: string, name: string) => readNote(db, conversationId, name),
    write: (conversationId: string, name: string, value: unknown) => writeNote(db, conversationId, name, value),
  }
}

/** Null where there is none. */
async function readNote(db: Database, conversationId: string, name: string): Promise<unknown> {
  const { rows } = await db.pool.query(
    'SELECT value FROM conversation_notes WHERE conversation_id = $1 AND name = $2',
    [conversationId, storableText(name)],
  )
  return rows[0]?.value ?? null
}

/** Throws where the note is too large or there are too many: a tool that keeps that much is wrong. */
async function writeNote(db: Database, conversationId: string, name: string, value: unknown): Promise<void> {
  const key = storableText(name)
  if (value === null || value === undefined) {
    await db.pool.query('DELETE FROM conversation_notes WHERE conversation_id = $1 AND name = $2', [
      conversationId,
      key,
    ])
    return
  }
  const text = storableJson(value)
  if (key.length > limits.noteNameLength)
    throw new Error(`a note's name has at most ${limits.noteNameLength} characters`)
  if (Buffer.byteLength(text) > limits.noteBytes) throw new Error(`a note has at most ${limits.noteBytes} bytes`)
  await inTransaction(db, async (tx) => {
    // The lock puts parallel writers in order, so that the count below is everybody's.
    const { rows } = await tx.query(
      'SELECT workspace_id FROM conversations WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
      [conversationId],
    )
    if (!rows[0]) throw new Error('the conversation is gone')
    const others = await tx.query(
      'SELECT count(*)::int AS count FROM conversation_notes WHERE conversation_id = $1 AND name <> $2',
      [conversationId, key],
    )
    if (others.rows[0].count >= limits.notes) throw new Error(`a conversation has at most ${limits.notes} notes`)
    await tx.query(
      `INSERT INTO conversation_notes (conversation_id, name, workspace_id, value) VALUES ($1, $2, $3, $4::jsonb)
       ON CONFLICT (conversation_id, name) DO UPDATE SET value = excluded.value, updated_at = clock_timestamp()`,
      [conversationId, key, rows[0].workspace_id, text],
    )
  })
}
