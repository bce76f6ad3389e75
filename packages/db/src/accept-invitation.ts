// How somebody who was invited joins: with a new name and password, with the password of the login that they have
// already, or with one click where they are signed in. In each case the link is used up by the same statement.
import type pg from 'pg'
import { addressGroup, countAttempt, forgetAttempts } from './attempts.ts'
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { hashInvitation, openInvitation } from './invitations.ts'
import { limits } from './limits.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { Problem } from './problem.ts'
import { personNameShape } from './rename-login.ts'

export type AcceptResult =
  | { ok: true; workspaceId: string; memberId: string; email: string }
  /** `gone`: used, revoked, expired, replaced, or there never was one. `other-login`: it is for another e-mail. */
  | { ok: false; reason: 'gone' | 'wrong-password' | 'other-login' }
  | { ok: false; reason: 'too-many'; retryAfterSeconds: number }

export interface AcceptInvitation {
  token: string
  /** Of somebody new; who has a login already keeps its name. */
  name: string
  password: string
  /** Where the request came from: attempts are counted with those of signing in. */
  address: string
}

/** Throws a Problem where the name or a new password does not keep the rules. */
export async function acceptInvitation(db: Database, input: AcceptInvitation): Promise<AcceptResult> {
  // Counted before a password is looked at or hashed, which is work.
  const byAddress = await countAttempt(db, `sign-in:address:${addressGroup(input.address)}`, limits.signInWindowMs)
  if (byAddress.count > limits.signInPerAddress)
    return { ok: false, reason: 'too-many', retryAfterSeconds: byAddress.secondsLeft }
  const { rows } = await db.pool.query(
    `SELECT i.email, l.id AS login_id, l.password_hash FROM invitations i LEFT JOIN logins l ON l.email = i.email
     WHERE i.token_hash = $1 AND ${openInvitation}`,
    [hashInvitation(input.token)],
  )
  const invited = rows[0]
  if (!invited) return { ok: false, reason: 'gone' }
  if (invited.login_id) {
    const emailKey = `sign-in:email:${invited.email}`
    const byEmail = await countAttempt(db, emailKey, limits.signInWindowMs)
    if (byEmail.count > limits.signInPerEmail)
      return { ok: false, reason: 'too-many', retryAfterSeconds: byEmail.secondsLeft }
    if (!(await verifyPassword(invited.password_hash, input.password))) return { ok: false, reason: 'wrong-password' }
    await forgetAttempts(db, emailKey)
    return await joinWithLogin(db, { token: input.token, loginId: invited.login_id })
  }
  const name = personNameShape.safeParse(input.name)
  if (!name.success) throw new Problem(`The name: ${name.error.issues[0]?.message}`, 'Correct it and try again.')
  const passwordHash = await hashPassword(input.password)
  return inTransaction(db, async (tx) => {
    const invitation = await useUp(tx, input.token)
    if (!invitation) return { ok: false, reason: 'gone' }
    const loginId = newId('log')
    // Whoever was invited elsewhere and accepted there at this moment has that login now, and signs in with it.
    const made = await tx.query(
      `INSERT INTO logins (id, email, name, password_hash) VALUES ($1, $2, $3, $4) ON CONFLICT (email) DO NOTHING`,
      [loginId, invitation.email, name.data, passwordHash],
    )
    if (!made.rowCount)
      throw new Problem('Somebody with this e-mail signs in here already.', 'Reload the page and use that password.')
    return await join(tx, invitation, { id: loginId, name: name.data })
  })
}

/** For somebody who has just shown that the login is theirs. */
export function joinWithLogin(db: Database, input: { token: string; loginId: string }): Promise<AcceptResult> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query('SELECT email, name FROM logins WHERE id = $1', [input.loginId])
    const invitation = await useUp(tx, input.token, rows[0]?.email ?? '')
    if (invitation) return await join(tx, invitation, { id: input.loginId, name: rows[0].name })
    const other = await tx.query(`SELECT 1 FROM invitations i WHERE i.token_hash = $1 AND ${openInvitation}`, [
      hashInvitation(input.token),
    ])
    return { ok: false, reason: other.rowCount ? 'other-login' : 'gone' }
  })
}

interface Invitation {
  id: string
  workspaceId: string
  email: string
  role: string
}

/** Locks the invitation: of two who accept at once, one finds it open. It is marked when the member is there. */
async function useUp(tx: Queryable, token: string, email?: string): Promise<Invitation | null> {
  const found = await tx.query(
    `SELECT i.id, i.workspace_id, i.email, i.role FROM invitations i
     WHERE i.token_hash = $1 AND ${openInvitation} AND ($2::text IS NULL OR i.email = $2) FOR UPDATE`,
    [hashInvitation(token), email ?? null],
  )
  const row = found.rows[0]
  return row ? { id: row.id, workspaceId: row.workspace_id, email: row.email, role: row.role } : null
}

async function join(
  tx: pg.PoolClient,
  invitation: Invitation,
  login: { id: string; name: string | null },
): Promise<AcceptResult> {
  const memberId = await addInvited(tx, invitation, login.name)
  if (!memberId)
    throw new Problem('The member with this e-mail is disabled.', 'Ask whoever invited you to enable that member.')
  const { workspaceId, email } = invitation
  const { rowCount } = await tx.query(
    `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id)
     SELECT $1, $2, $3, 'console', $4, $4
     WHERE NOT EXISTS (SELECT 1 FROM identities WHERE workspace_id = $2 AND member_id = $3 AND kind = 'console')
     ON CONFLICT (workspace_id, kind, external_id) DO NOTHING`,
    [newId('idn'), workspaceId, memberId, login.id],
  )
  if (!rowCount) throw new Problem('You are a member of this workspace already.', 'Sign in and choose it.')
  await recordAudit(tx, joined(workspaceId, memberId, invitation))
  return { ok: true, workspaceId, memberId, email }
}

/** The event of somebody who accepted. */
export const joined = (workspaceId: string, memberId: string, invitation: { id: string; role: string }) => ({
  workspaceId,
  actor: { kind: 'member' as const, id: memberId },
  action: 'member.join',
  subject: { kind: 'member', id: memberId },
  data: { kind: 'console', invitationId: invitation.id, role: invitation.role },
})

/**
 * The member whom an invitation makes, or whom it gives a login to, with the invitation marked as accepted by them. Null
 * when that member is disabled; then nothing is changed.
 */
export async function addInvited(tx: Queryable, invitation: Invitation, name: string | null): Promise<string | null> {
  const { workspaceId, email, role } = invitation
  await tx.query(
    `INSERT INTO members (id, workspace_id, name, email, role) VALUES ($1, $2, $3, $4, $5::text::role)
     ON CONFLICT (workspace_id, email) DO NOTHING`,
    [newId('mem'), workspaceId, name || email.split('@')[0], email, role],
  )
  const { rows } = await tx.query(
    'SELECT id FROM members WHERE workspace_id = $1 AND email = $2 AND disabled_at IS NULL FOR UPDATE',
    [workspaceId, email],
  )
  const memberId: string | undefined = rows[0]?.id
  if (!memberId) return null
  await tx.query('UPDATE invitations SET accepted_at = now(), accepted_by = $2 WHERE id = $1', [
    invitation.id,
    memberId,
  ])
  return memberId
}
