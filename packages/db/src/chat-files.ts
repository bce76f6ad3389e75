// Files that people sent in a conversation. Text and pictures are content blocks of their message, after a line that
// names them; what no block can hold (a recording) is a row of chat_files.
import type { Database, Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { storableText } from './storable.ts'

const opening = '[Attached file: '

/** The line before a file's block. */
export const attachedFileLine = (name: string): string => `${opening}${name}]`

/** The name of the file that a block stands for; null for what the person wrote. */
export function attachedFileName(text: string): string | null {
  const end = text.indexOf('\n')
  const line = end === -1 ? text : text.slice(0, end)
  return line.startsWith(opening) && line.endsWith(']') ? line.slice(opening.length, -1) : null
}

export interface ChatFile {
  filename: string
  mimeType: string
  /** Base64. */
  data: string
}

/** What came with an event, in the transaction or after the message that names it; sent again, it is kept once. */
export async function keepChatFile(
  db: { pool: Queryable },
  file: { conversationId: string; eventId: string; name: string; mimeType: string; content: Uint8Array },
): Promise<void> {
  await db.pool.query(
    `INSERT INTO chat_files (id, workspace_id, conversation_id, event_id, name, mime_type, content)
     SELECT $1, workspace_id, id, $3, $4, $5, $6 FROM conversations WHERE id = $2 AND deleted_at IS NULL
     ON CONFLICT (conversation_id, event_id, name) DO NOTHING`,
    [
      newId('file'),
      file.conversationId,
      storableText(file.eventId),
      storableText(file.name),
      storableText(file.mimeType),
      Buffer.from(file.content),
    ],
  )
}

/** The newest file of that name that somebody sent; null where nobody did. */
export async function findChatFile(db: Database, conversationId: string, filename: string): Promise<ChatFile | null> {
  const { rows: kept } = await db.pool.query(
    `SELECT mime_type, content FROM chat_files WHERE conversation_id = $1 AND name = $2 ORDER BY received_at DESC LIMIT 1`,
    [conversationId, storableText(filename)],
  )
  if (kept[0]) return { filename, mimeType: kept[0].mime_type, data: kept[0].content.toString('base64') }
  // What has a picture may be megabytes: only the messages that name the file are read.
  const { rows } = await db.pool.query(
    `SELECT content FROM messages WHERE conversation_id = $1 AND role = 'user' AND jsonb_typeof(content) = 'array'
       AND EXISTS (SELECT 1 FROM jsonb_array_elements(content) block WHERE starts_with(block->>'text', $2))
     ORDER BY number DESC LIMIT $3`,
    [conversationId, attachedFileLine(storableText(filename)), limits.chatFileMessages],
  )
  for (const { content } of rows) {
    const found = findInBlocks(content, filename)
    if (found) return found
  }
  return null
}

interface Block {
  type?: unknown
  text?: unknown
  source?: { type?: unknown; media_type?: unknown; data?: unknown }
}

function findInBlocks(blocks: readonly Block[], filename: string): ChatFile | null {
  const at = blocks.findLastIndex(({ text }) => typeof text === 'string' && attachedFileName(text) === filename)
  const text = blocks[at]?.text
  if (typeof text !== 'string') return null
  const source = blocks[at + 1]?.source
  if (blocks[at + 1]?.type === 'image' && source?.type === 'base64')
    return { filename, mimeType: String(source.media_type), data: String(source.data) }
  const end = text.indexOf('\n')
  return {
    filename,
    mimeType: 'text/plain',
    data: Buffer.from(end === -1 ? '' : text.slice(end + 1)).toString('base64'),
  }
}

/** A file that was sent to people, for a page that shows it; null where there is none in that conversation. */
export async function readDeliveredFile(
  db: Pick<Database, 'pool'>,
  wanted: { workspaceId: string; conversationId: string; deliveryId: string },
): Promise<{ filename: string; mimeType: string; content: Buffer } | null> {
  const { rows } = await db.pool.query(
    `SELECT payload FROM deliveries
     WHERE id = $1 AND conversation_id = $2 AND workspace_id = $3 AND kind = 'media' AND status = 'sent'`,
    [wanted.deliveryId, wanted.conversationId, wanted.workspaceId],
  )
  const file = rows[0]?.payload as { filename?: unknown; mimeType?: unknown; data?: unknown } | undefined
  if (typeof file?.data !== 'string') return null
  return {
    filename: String(file.filename ?? 'file'),
    mimeType: String(file.mimeType ?? 'application/octet-stream'),
    content: Buffer.from(file.data, 'base64'),
  }
}
