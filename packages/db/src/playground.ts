// The web channel's way in and what its page shows. The console calls these; the bot answers as on any other channel.
// A playground session is a conversation of the workspace's web channel whose key is its own id.
import { recordAudit } from './audit.ts'
import { type Database, inTransaction } from './client.ts'
import { newId } from './ids.ts'
import { type Received, receiveEvent } from './inbox.ts'
import { limits } from './limits.ts'
import { storableText } from './storable.ts'

/** The platform's own id of the web channel: each workspace has one. */
const webExternalId = 'web'

export async function findWebChannel(db: Pick<Database, 'pool'>, workspaceId: string): Promise<string | null> {
  const { rows } = await db.pool.query(
    `SELECT id FROM channels WHERE kind = 'web' AND external_id = $2 AND workspace_id = $1`,
    [workspaceId, webExternalId],
  )
  return rows[0]?.id ?? null
}

/** The workspace's web channel; it is made where there is none yet. Of many who ask at once, one makes it. */
export async function ensureWebChannel(db: Database, workspaceId: string): Promise<string> {
  const found = await findWebChannel(db, workspaceId)
  if (found) return found
  const id = newId('chn')
  await inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `INSERT INTO channels (id, workspace_id, kind, name, external_id, status, status_detail)
       VALUES ($1, $2, 'web', 'Web', $3, 'connected', 'Part of the console.')
       ON CONFLICT (kind, external_id, workspace_id) DO NOTHING`,
      [id, workspaceId, webExternalId],
    )
    if (!rowCount) return
    await recordAudit(tx, {
      workspaceId,
      actor: { kind: 'system', id: 'playground' },
      action: 'channel.create',
      subject: { kind: 'channel', id },
      data: { kind: 'web' },
    })
  })
  const channelId = await findWebChannel(db, workspaceId)
  if (!channelId) throw new Error(`the web channel of ${workspaceId} was deleted while it was made`)
  return channelId
}

/** Null when the agent is archived or another workspace's, or the member is not one of this workspace. */
export async function openPlaygroundSession(
  db: Database,
  session: { workspaceId: string; memberId: string; agentId: string; title?: string },
): Promise<{ conversationId: string } | null> {
  const channelId = await ensureWebChannel(db, session.workspaceId)
  const { rows } = await db.pool.query(
    `INSERT INTO conversations (id, workspace_id, channel_id, agent_id, external_key, title, opened_by)
     SELECT $1, ch.workspace_id, ch.id, a.id, $1, $6, m.id FROM channels ch
     JOIN agents a ON a.workspace_id = ch.workspace_id AND a.id = $4 AND a.archived_at IS NULL
     JOIN members m ON m.workspace_id = ch.workspace_id AND m.id = $5
     WHERE ch.id = $2 AND ch.workspace_id = $3 RETURNING id`,
    [
      newId('cnv'),
      channelId,
      session.workspaceId,
      session.agentId,
      session.memberId,
      storableText(session.title ?? ''),
    ],
  )
  return rows[0] ? { conversationId: rows[0].id } : null
}

export interface PlaygroundMessage {
  workspaceId: string
  memberId: string
  conversationId: string
  /** The page's own id of what it sends; sent again, it is a duplicate. */
  eventId: string
  content: unknown
  /** Refused with `no-agent` unless it is the session's own; left out, the session's own answers. */
  agentId?: string
  title?: string
}

/** A member's message in one of their own sessions. Null when it is not theirs: it looks as if it did not exist. */
export async function receivePlaygroundMessage(db: Database, message: PlaygroundMessage): Promise<Received | null> {
  const { rows } = await db.pool.query(
    `SELECT c.channel_id, c.external_key FROM conversations c JOIN channels ch ON ch.id = c.channel_id AND ch.kind = 'web'
     WHERE c.id = $1 AND c.workspace_id = $2 AND c.opened_by = $3`,
    [message.conversationId, message.workspaceId, message.memberId],
  )
  const session = rows[0]
  if (!session) return null
  return receiveEvent(db, {
    channelId: session.channel_id,
    // Two sessions may choose the same id, and neither may take the other's message for its own.
    eventId: `${message.conversationId}:${message.eventId}`,
    place: session.external_key,
    conversationKey: session.external_key,
    memberId: message.memberId,
    content: message.content,
    ...(message.agentId === undefined ? {} : { agentId: message.agentId }),
    ...(message.title === undefined ? {} : { title: message.title }),
  })
}

export interface ListedConversation {
  id: string
  agentId: string
  agentName: string
  title: string
  openedBy: string | null
  createdAt: Date
  lastActivityAt: Date
  /** Of its newest run; null before the first message. */
  runStatus: string | null
}

/** The last row of the page before. */
export type ConversationCursor = Pick<ListedConversation, 'id' | 'lastActivityAt'>

/** A channel's conversations, the most recent first; with `memberId` only the ones that this member opened. */
export async function listConversations(
  db: Pick<Database, 'pool'>,
  list: { workspaceId: string; channelId: string; memberId?: string; before?: ConversationCursor; limit?: number },
): Promise<ListedConversation[]> {
  const { rows } = await db.pool.query(
    `SELECT c.id, c.agent_id, a.name AS agent_name, c.title, c.opened_by, c.created_at, c.last_activity_at, (
       SELECT r.status FROM runs r WHERE r.conversation_id = c.id ORDER BY r.queued_at DESC LIMIT 1) AS run_status
     FROM conversations c JOIN agents a ON a.id = c.agent_id
     WHERE c.workspace_id = $1 AND c.channel_id = $2 AND c.deleted_at IS NULL ${list.memberId === undefined ? 'AND $3::text IS NULL' : 'AND c.opened_by = $3'}
       ${list.before ? 'AND (c.last_activity_at, c.id) < ($4, $5)' : 'AND $4::timestamptz IS NULL AND $5::text IS NULL'}
     ORDER BY c.last_activity_at DESC, c.id DESC LIMIT $6`,
    [
      list.workspaceId,
      list.channelId,
      list.memberId ?? null,
      list.before?.lastActivityAt ?? null,
      list.before?.id ?? null,
      Math.min(list.limit ?? limits.pageRows, limits.pageRows),
    ],
  )
  return rows.map((row) => ({
    id: row.id,
    agentId: row.agent_id,
    agentName: row.agent_name,
    title: row.title,
    openedBy: row.opened_by,
    createdAt: row.created_at,
    lastActivityAt: row.last_activity_at,
    runStatus: row.run_status,
  }))
}
