// Who is asked to join a workspace. There is no mail server: the link is shown once to whoever invites, and they pass it
// on. It is 256 random bits, stored as SHA-256, for seven days and one use; a new link ends the one before. What joins
// is accept-invitation.ts.
import { createHash, randomBytes } from 'node:crypto'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { requireOwner } from './members.ts'
import { Problem } from './problem.ts'
import type { Role } from './roles.ts'
import { parseEmail } from './sign-in.ts'
import { storableText } from './storable.ts'

export const hashInvitation = (token: string) => createHash('sha256').update(`invitation ${token}`).digest()
const newToken = () => randomBytes(32).toString('base64url')

/** The condition under which a row of invitations `i` can still be accepted. */
export const openInvitation = 'i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()'

export interface InvitationLink {
  id: string
  /** In this answer and nowhere else, ever. */
  token: string
  expiresAt: Date
}

export interface CreateInvitation {
  workspaceId: string
  email: string
  role: Role
  /** A member, who is named on the page that the link opens. */
  actor: Actor & { kind: 'member' }
}

/**
 * Invites somebody. Throws a Problem for somebody who has a console login here already or is invited already. A member
 * who is known only on a chat platform keeps their role and gets a console login with it: `memberRole` says so.
 */
export async function createInvitation(
  db: Database,
  input: CreateInvitation,
): Promise<InvitationLink & { memberRole: Role | null }> {
  const email = parseEmail(input.email)
  if (!email) throw new Problem('This is no e-mail address.', 'Write it like ada@example.com.')
  return inTransaction(db, async (tx) => {
    // Two who invite at once are put in order, and the role of whoever invites stays what it is meanwhile.
    await tx.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [input.workspaceId])
    if (input.role === 'owner') await requireOwner(tx, input)
    const memberRole = await findInvitable(tx, input.workspaceId, email)
    await makeRoom(tx, input.workspaceId, email)
    const id = newId('inv')
    const token = newToken()
    const { rows } = await tx.query(
      `INSERT INTO invitations (id, workspace_id, email, role, token_hash, invited_by, expires_at)
       VALUES ($1, $2, $3, $4::text::role, $5, $6, now() + $7 * interval '1 millisecond') RETURNING expires_at`,
      [id, input.workspaceId, email, input.role, hashInvitation(token), input.actor.id, limits.invitationMs],
    )
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'invitation.create',
      subject: { kind: 'invitation', id },
      data: { email, role: input.role },
    })
    return { id, token, expiresAt: rows[0].expires_at, memberRole }
  })
}

/** The role of a member with this e-mail who cannot sign in yet; null: there is no such member. */
async function findInvitable(tx: Queryable, workspaceId: string, email: string): Promise<Role | null> {
  const { rows } = await tx.query(
    `SELECT m.name, m.role, m.disabled_at IS NOT NULL AS disabled,
       EXISTS (SELECT 1 FROM identities i WHERE i.member_id = m.id AND i.kind = 'console') AS signs_in
     FROM members m WHERE m.workspace_id = $1 AND m.email = $2`,
    [workspaceId, email],
  )
  const member = rows[0]
  if (member?.disabled)
    throw new Problem(`${email} belongs to ${member.name}, who is disabled.`, 'Enable that member instead.')
  if (member?.signs_in)
    throw new Problem(`${email} belongs to ${member.name}, who is a member already.`, 'Change their role instead.')
  return member?.role ?? null
}

/** An expired invitation gives way to the new one; one that is open does not, and there is an end to how many are. */
async function makeRoom(tx: Queryable, workspaceId: string, email: string): Promise<void> {
  await tx.query(
    `UPDATE invitations SET revoked_at = now() WHERE workspace_id = $1 AND email = $2
       AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at <= now()`,
    [workspaceId, email],
  )
  const { rows } = await tx.query(
    `SELECT count(*)::int AS open, bool_or(email = $2) AS invited FROM invitations
     WHERE workspace_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL`,
    [workspaceId, email],
  )
  if (rows[0].invited) throw new Problem(`${email} is invited already.`, 'Make a new link for that invitation.')
  if (rows[0].open >= limits.openInvitations)
    throw new Problem(`${limits.openInvitations} invitations are open.`, 'Revoke those that nobody needs first.')
}

interface InvitationChange {
  workspaceId: string
  invitationId: string
  actor: Actor
}

/** A new link for an invitation that nobody has accepted, also for one that has expired. Null: there is none. */
export function renewInvitation(db: Database, input: InvitationChange): Promise<InvitationLink | null> {
  return inTransaction(db, async (tx) => {
    const token = newToken()
    const { rows } = await tx.query(
      `UPDATE invitations SET token_hash = $3, expires_at = now() + $4 * interval '1 millisecond'
       WHERE workspace_id = $1 AND id = $2 AND accepted_at IS NULL AND revoked_at IS NULL
       RETURNING email, role, expires_at`,
      [input.workspaceId, storableText(input.invitationId), hashInvitation(token), limits.invitationMs],
    )
    if (!rows[0]) return null
    if (rows[0].role === 'owner') await requireOwner(tx, input)
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'invitation.renew',
      subject: { kind: 'invitation', id: input.invitationId },
      data: { email: rows[0].email },
    })
    return { id: input.invitationId, token, expiresAt: rows[0].expires_at }
  })
}

/** The link opens nothing any more. False when it was accepted or revoked already, or is not this workspace's. */
export function revokeInvitation(db: Database, input: InvitationChange): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `UPDATE invitations SET revoked_at = now()
       WHERE workspace_id = $1 AND id = $2 AND accepted_at IS NULL AND revoked_at IS NULL RETURNING email`,
      [input.workspaceId, storableText(input.invitationId)],
    )
    if (!rows[0]) return false
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'invitation.revoke',
      subject: { kind: 'invitation', id: input.invitationId },
      data: { email: rows[0].email },
    })
    return true
  })
}

export interface ListedInvitation {
  id: string
  email: string
  role: Role
  invitedBy: { id: string; name: string }
  createdAt: Date
  expiresAt: Date
}

/** Those that nobody has accepted or revoked, expired ones included, the newest first. */
export async function listInvitations(db: { pool: Queryable }, workspaceId: string): Promise<ListedInvitation[]> {
  const { rows } = await db.pool.query(
    `SELECT i.id, i.email, i.role, m.id AS inviter_id, m.name AS inviter, i.created_at, i.expires_at
     FROM invitations i JOIN members m ON m.workspace_id = i.workspace_id AND m.id = i.invited_by
     WHERE i.workspace_id = $1 AND i.accepted_at IS NULL AND i.revoked_at IS NULL
     ORDER BY i.created_at DESC, i.id DESC LIMIT $2`,
    [workspaceId, limits.openInvitations],
  )
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    invitedBy: { id: row.inviter_id, name: row.inviter },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }))
}

export interface FoundInvitation {
  workspaceId: string
  workspaceName: string
  email: string
  role: Role
  inviterName: string
  expiresAt: Date
  state: 'open' | 'accepted' | 'revoked' | 'expired'
  /** `password`: somebody with this e-mail signs in here already. `provider`: the same, and without a password. */
  login: 'none' | 'password' | 'provider'
}

/** What the holder of a link may know; null for a link that never was or was replaced by a new one. */
export async function findInvitation(db: { pool: Queryable }, token: string): Promise<FoundInvitation | null> {
  const { rows } = await db.pool.query(
    `SELECT i.workspace_id, w.name AS workspace_name, i.email, i.role, m.name AS inviter, i.expires_at,
       CASE WHEN i.accepted_at IS NOT NULL THEN 'accepted' WHEN i.revoked_at IS NOT NULL THEN 'revoked'
         WHEN i.expires_at <= now() THEN 'expired' ELSE 'open' END AS state,
       CASE WHEN l.id IS NULL THEN 'none' WHEN l.password_hash IS NULL THEN 'provider' ELSE 'password' END AS login
     FROM invitations i JOIN workspaces w ON w.id = i.workspace_id
     JOIN members m ON m.workspace_id = i.workspace_id AND m.id = i.invited_by
     LEFT JOIN logins l ON l.email = i.email
     WHERE i.token_hash = $1`,
    [hashInvitation(token)],
  )
  const row = rows[0]
  if (!row) return null
  return {
    workspaceId: row.workspace_id,
    workspaceName: row.workspace_name,
    email: row.email,
    role: row.role,
    inviterName: row.inviter,
    expiresAt: row.expires_at,
    state: row.state,
    login: row.login,
  }
}
