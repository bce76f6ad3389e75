// Signed-in browsers. The token is 256 random bits that only the browser has; here is its SHA-256. What a session may
// do is read anew for each request from the members it leads to, so a changed role or a disabled member counts at once.
import { createHash, randomBytes } from 'node:crypto'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import type { Role } from './roles.ts'

export interface Membership {
  workspaceId: string
  workspaceName: string
  workspaceSlug: string
  memberId: string
  memberName: string
  role: Role
}

export interface Session {
  id: string
  login: { id: string; email: string; name: string | null }
  memberships: Membership[]
  createdAt: Date
}

const hashOf = (token: string) => createHash('sha256').update(token).digest()

/** `seen_at` is renewed at most this often, so that reading a page does not write a row. */
const seenEveryMs = 60_000
const userAgentLength = 300

/** The condition under which a row of login_sessions `s` is alive; $idle is the number of the idle limit's parameter. */
const alive = (idle: string) =>
  `s.revoked_at IS NULL AND s.expires_at > now() AND s.seen_at > now() - ${idle}::float8 * interval '1 millisecond'`

export async function startSession(
  db: Pick<Database, 'pool'> | { pool: Queryable },
  input: { loginId: string; userAgent: string | null },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await db.pool.query(
    `INSERT INTO login_sessions (id, login_id, token_hash, user_agent, expires_at)
     VALUES ($1, $2, $3, $4, now() + $5::float8 * interval '1 millisecond')`,
    [newId('ses'), input.loginId, hashOf(token), cleanUserAgent(input.userAgent), limits.sessionMs],
  )
  return token
}

/** Null when the token is unknown, over, idle too long or revoked, or when no enabled member is left behind it. */
export async function findSession(db: Pick<Database, 'pool'>, token: string): Promise<Session | null> {
  const { rows } = await db.pool.query(
    `SELECT s.id, s.created_at, s.seen_at < now() - $3::float8 * interval '1 millisecond' AS stale,
            l.id AS login_id, l.email, l.name,
            w.id AS workspace_id, w.name AS workspace_name, w.slug AS workspace_slug,
            m.id AS member_id, m.name AS member_name, m.role
     FROM login_sessions s
     JOIN logins l ON l.id = s.login_id
     JOIN identities i ON i.login_id = l.id
     JOIN members m ON m.workspace_id = i.workspace_id AND m.id = i.member_id AND m.disabled_at IS NULL
     JOIN workspaces w ON w.id = m.workspace_id
     WHERE s.token_hash = $1 AND ${alive('$2')}
     ORDER BY w.created_at, w.id`,
    [hashOf(token), limits.sessionIdleMs, seenEveryMs],
  )
  const first = rows[0]
  if (!first) return null
  if (first.stale) await db.pool.query('UPDATE login_sessions SET seen_at = now() WHERE id = $1', [first.id])
  return {
    id: first.id,
    login: { id: first.login_id, email: first.email, name: first.name },
    createdAt: first.created_at,
    memberships: rows.map((row) => ({
      workspaceId: row.workspace_id,
      workspaceName: row.workspace_name,
      workspaceSlug: row.workspace_slug,
      memberId: row.member_id,
      memberName: row.member_name,
      role: row.role,
    })),
  }
}

/** Signing out. False when the session was over already. */
export function endSession(db: Database, token: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `UPDATE login_sessions SET revoked_at = now() WHERE token_hash = $1 AND revoked_at IS NULL RETURNING id, login_id`,
      [hashOf(token)],
    )
    if (!rows[0]) return false
    await recordForLogin(tx, { loginId: rows[0].login_id, actor: 'self', action: 'member.sign-out' })
    return true
  })
}

export interface ListedSession {
  id: string
  userAgent: string | null
  createdAt: Date
  seenAt: Date
  expiresAt: Date
}

/** The browsers that are signed in, the most recently used first. */
export async function listSessions(db: Pick<Database, 'pool'>, loginId: string): Promise<ListedSession[]> {
  const { rows } = await db.pool.query(
    `SELECT s.id, s.user_agent, s.created_at, s.seen_at, s.expires_at FROM login_sessions s
     WHERE s.login_id = $1 AND ${alive('$2')} ORDER BY s.seen_at DESC, s.id DESC LIMIT $3`,
    [loginId, limits.sessionIdleMs, limits.pageRows],
  )
  return rows.map((row) => ({
    id: row.id,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    expiresAt: row.expires_at,
  }))
}

/** Signs one browser of a login out. False when it is not this login's, or was over already. */
export function revokeSession(
  db: Database,
  input: { loginId: string; sessionId: string; actor?: Actor },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `UPDATE login_sessions SET revoked_at = now() WHERE id = $1 AND login_id = $2 AND revoked_at IS NULL`,
      [input.sessionId, input.loginId],
    )
    if (!rowCount) return false
    await recordForLogin(tx, {
      loginId: input.loginId,
      actor: input.actor ?? 'self',
      action: 'session.revoke',
      data: { sessionId: input.sessionId },
    })
    return true
  })
}

/**
 * Signs browsers of a member out, one of them or all, on behalf of an admin of their workspace. A browser is signed in
 * to every workspace of its login, so each of them has the event; in the others nobody of theirs did it. Returns how many
 * were signed out; 0 when it is not this member's, or was over already.
 */
export function endMemberSessions(
  db: Database,
  input: { workspaceId: string; memberId: string; sessionId?: string; actor: Actor },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `UPDATE login_sessions s SET revoked_at = now() FROM identities i
       WHERE i.workspace_id = $1 AND i.member_id = $2 AND i.login_id = s.login_id
         AND ($3::text IS NULL OR s.id = $3) AND ${alive('$4')} RETURNING s.id, s.login_id`,
      [input.workspaceId, input.memberId, input.sessionId ?? null, limits.sessionIdleMs],
    )
    if (!rows[0]) return 0
    await recordForLogin(tx, {
      loginId: rows[0].login_id,
      actor: (workspaceId) => (workspaceId === input.workspaceId ? input.actor : elsewhere),
      action: 'session.revoke',
      data: input.sessionId ? { sessionId: input.sessionId } : { sessions: rows.length },
    })
    return rows.length
  })
}

const elsewhere: Actor = { kind: 'system', id: 'another-workspace' }

/** Ends all browsers of a login but one; for a changed password. The caller's transaction, the caller's audit event. */
export async function revokeSessions(tx: Queryable, loginId: string, exceptSessionId: string | null): Promise<number> {
  const { rowCount } = await tx.query(
    `UPDATE login_sessions SET revoked_at = now()
     WHERE login_id = $1 AND revoked_at IS NULL AND id IS DISTINCT FROM $2`,
    [loginId, exceptSessionId],
  )
  return rowCount ?? 0
}

/** For the maintenance job: sessions that can never be used again. Returns how many rows went. */
export async function deleteOldSessions(db: Pick<Database, 'pool'>): Promise<number> {
  const { rowCount } = await db.pool.query(`DELETE FROM login_sessions s WHERE NOT (${alive('$1')})`, [
    limits.sessionIdleMs,
  ])
  return rowCount ?? 0
}

/**
 * A login's deed is an event in every workspace where it is a member, enabled or not, in the order of their ids (see
 * recordAudit). `self`: the member did it. Returns in how many workspaces it was recorded.
 */
export async function recordForLogin(
  tx: Queryable,
  entry: {
    loginId: string
    actor: Actor | 'self' | ((workspaceId: string) => Actor)
    action: string
    data?: Record<string, unknown>
  },
): Promise<number> {
  const { rows } = await tx.query(
    `SELECT workspace_id, member_id FROM identities WHERE login_id = $1 ORDER BY workspace_id, member_id`,
    [entry.loginId],
  )
  for (const row of rows)
    await recordAudit(tx, {
      workspaceId: row.workspace_id,
      actor:
        entry.actor === 'self'
          ? { kind: 'member', id: row.member_id }
          : typeof entry.actor === 'function'
            ? entry.actor(row.workspace_id)
            : entry.actor,
      action: entry.action,
      subject: { kind: 'member', id: row.member_id },
      ...(entry.data ? { data: entry.data } : {}),
    })
  return rows.length
}

/** It comes from outside and is shown to people: no control characters, and an end. */
function cleanUserAgent(userAgent: string | null): string | null {
  return userAgent?.replace(/\p{Cc}/gu, ' ').slice(0, userAgentLength) ?? null
}
