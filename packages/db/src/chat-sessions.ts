// The conversations of a workspace as `sessions.*` sees them. The shape is that of the port Sessions of packages/tools.
// A member sees the ones that they opened, an owner or admin all; those of child runs are part of their parents'.
//
// A deleted conversation keeps its row, without anything that was said in it, because what is recorded of its runs and
// tool calls hangs on it. Its place on the platform is free again: the next message there opens a new one.
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { limits } from './limits.ts'
import { atLeast, type Role } from './roles.ts'

export interface SessionEntry {
  id: string
  title: string | null
  channel: string
  lastActivityAt: Date
  messages: number
}

interface SessionCaller {
  workspaceId: string
  requesterId: string | null
}

export function createChatSessions(db: Database) {
  return {
    list: (caller: SessionCaller, page: { limit: number; before?: string }) => listSessionsOf(db, caller, page),
    delete: (caller: SessionCaller & { conversationId: string }, id: string) => deleteSession(db, caller, id),
  }
}

async function listSessionsOf(
  db: Database,
  { workspaceId, requesterId }: SessionCaller,
  page: { limit: number; before?: string },
): Promise<{ sessions: SessionEntry[]; more: boolean }> {
  const role = await roleOf(db.pool, workspaceId, requesterId)
  if (role === null) return { sessions: [], more: false }
  const limit = Math.max(1, Math.min(page.limit, limits.pageRows))
  const { rows } = await db.pool.query(
    `SELECT c.id, c.title, ch.kind, c.last_activity_at, c.next_message - 1 AS messages
     FROM conversations c JOIN channels ch ON ch.id = c.channel_id
     WHERE c.workspace_id = $1 AND c.deleted_at IS NULL AND ($2::text IS NULL OR c.opened_by = $2)
       -- Where somebody was only shown a question alone, nothing has been said yet.
       AND (c.next_message > 1 OR ch.kind = 'web')
       AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.conversation_id = c.id AND r.parent_run_id IS NOT NULL)
       AND ($3::text IS NULL OR (c.last_activity_at, c.id) < (
         SELECT b.last_activity_at, b.id FROM conversations b WHERE b.id = $3 AND b.workspace_id = $1))
     ORDER BY c.last_activity_at DESC, c.id DESC LIMIT $4`,
    [workspaceId, atLeast(role, 'admin') ? null : requesterId, page.before ?? null, limit + 1],
  )
  const sessions = rows.slice(0, limit).map(
    (row): SessionEntry => ({
      id: row.id,
      title: row.title || null,
      channel: row.kind,
      lastActivityAt: row.last_activity_at,
      messages: row.messages,
    }),
  )
  return { sessions, more: rows.length > limit }
}

async function deleteSession(
  db: Database,
  { workspaceId, requesterId, conversationId }: SessionCaller & { conversationId: string },
  id: string,
): Promise<{ ok: true } | { ok: false; problem: string }> {
  if (id === conversationId) return refuse('This is the session we are in. Delete it from another one.')
  return inTransaction(db, async (tx) => {
    const role = await roleOf(tx, workspaceId, requesterId)
    // The lock keeps a new run from starting while we look: a message takes the same row first.
    const { rows } = await tx.query(
      `SELECT c.opened_by, EXISTS (SELECT 1 FROM runs r WHERE r.conversation_id = c.id
           AND r.parent_run_id IS NOT NULL) AS is_child
       FROM conversations c WHERE c.id = $1 AND c.workspace_id = $2 AND c.deleted_at IS NULL FOR UPDATE`,
      [id, workspaceId],
    )
    const session = rows[0]
    const mayDelete = role !== null && (atLeast(role, 'admin') || session?.opened_by === requesterId)
    // To those who may not see it, it looks as if it did not exist.
    if (!session || session.is_child || !mayDelete) return refuse(`There is no session ${id} that you may delete.`)
    const running = await tx.query(
      `SELECT 1 FROM runs WHERE conversation_id = $1 AND status IN ('queued', 'running', 'waiting')`,
      [id],
    )
    if (running.rowCount) return refuse('The agent still works in this session, or waits for an answer. Stop it first.')
    const deleted = await empty(tx, id)
    await recordAudit(tx, {
      workspaceId,
      actor: { kind: 'member', id: requesterId as string },
      action: 'conversation.delete',
      subject: { kind: 'conversation', id },
      data: { from: conversationId, messages: deleted },
    })
    return { ok: true }
  })
}

/** The conversation, and those in which its runs' children worked. Returns how many messages went. */
async function empty(tx: Queryable, id: string): Promise<number> {
  const { rows } = await tx.query(
    `WITH RECURSIVE tree AS (
       SELECT id, conversation_id FROM runs WHERE conversation_id = $1
       UNION SELECT r.id, r.conversation_id FROM runs r JOIN tree ON r.parent_run_id = tree.id
     ) SELECT DISTINCT conversation_id AS id FROM tree`,
    [id],
  )
  const ids = [...new Set([id, ...rows.map((row) => row.id)])]
  const { rowCount } = await tx.query('DELETE FROM messages WHERE conversation_id = ANY($1)', [ids])
  for (const table of ['deliveries', 'virtual_files', 'conversation_notes', 'chat_files', 'leases'])
    await tx.query(`DELETE FROM ${table} WHERE conversation_id = ANY($1)`, [ids])
  await tx.query(`UPDATE runs SET title = '' WHERE conversation_id = ANY($1)`, [ids])
  await tx.query(
    `UPDATE conversations SET deleted_at = clock_timestamp(), title = '', opened_by = NULL, external_key = 'deleted:' || id
     WHERE id = ANY($1)`,
    [ids],
  )
  return rowCount ?? 0
}

/** Null for nobody, and for a member who is disabled or another workspace's. */
async function roleOf(tx: Queryable, workspaceId: string, memberId: string | null): Promise<Role | null> {
  if (memberId === null) return null
  const { rows } = await tx.query(
    'SELECT role FROM members WHERE id = $1 AND workspace_id = $2 AND disabled_at IS NULL',
    [memberId, workspaceId],
  )
  return rows[0]?.role ?? null
}

const refuse = (problem: string) => ({ ok: false as const, problem })
