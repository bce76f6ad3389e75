// Signing in through an OpenID provider. The provider says who somebody is; whether they may come in is decided here:
// a member must exist already, or be invited, with the e-mail that the provider has verified. Nobody else becomes a
// member by signing in.
import type pg from 'pg'
import { addInvited, joined } from './accept-invitation.ts'
import { recordAudit } from './audit.ts'
import { type Database, inTransaction } from './client.ts'
import { newId } from './ids.ts'
import { openInvitation } from './invitations.ts'
import { revokeSessions } from './sessions.ts'
import { openSession, parseEmail, type SignInResult, signInRefused } from './sign-in.ts'

export interface ProviderSignIn {
  provider: string
  /** The provider's own id of the person (`sub`), which never changes hands; an e-mail address may. */
  providerAccountId: string
  email: string
  emailVerified: boolean
  name: string | null
  userAgent: string | null
}

export async function signInWithProvider(db: Database, input: ProviderSignIn): Promise<SignInResult> {
  const email = parseEmail(input.email)
  if (!email || !input.emailVerified || !input.provider || !input.providerAccountId) return signInRefused
  const found = await inTransaction(db, (tx) => findOrLinkLogin(tx, input, email))
  if (!found) return signInRefused
  const { loginId, passwordRemoved } = found
  const token = await openSession(db, {
    loginId,
    userAgent: input.userAgent,
    data: { with: input.provider, ...(passwordRemoved ? { passwordRemoved } : {}) },
  })
  return { ok: true, token, loginId }
}

interface FoundLogin {
  loginId: string
  passwordRemoved: boolean
}

async function findOrLinkLogin(tx: pg.PoolClient, input: ProviderSignIn, email: string): Promise<FoundLogin | null> {
  // Two first sign-ins of one person at once: the second finds what the first has linked.
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`sign-in:${email}`])
  const account = await tx.query<{ login_id: string; email: string }>(
    `SELECT a.login_id, l.email FROM login_accounts a JOIN logins l ON l.id = a.login_id
     WHERE a.provider = $1 AND a.provider_account_id = $2`,
    [input.provider, input.providerAccountId],
  )
  const known = account.rows[0]
  const loginId = known?.login_id ?? (await findOrCreateLogin(tx, input, email))
  if (!loginId) return null
  const own = !known || known.email === email
  if (own) await linkMembers(tx, loginId, email, await joinInvited(tx, email, input.name))
  const enabled = await tx.query(
    `SELECT 1 FROM identities i JOIN members m ON m.workspace_id = i.workspace_id AND m.id = i.member_id
     WHERE i.login_id = $1 AND m.disabled_at IS NULL LIMIT 1`,
    [loginId],
  )
  if (!enabled.rowCount) return null
  if (!known)
    await tx.query(`INSERT INTO login_accounts (provider, provider_account_id, login_id) VALUES ($1, $2, $3)`, [
      input.provider,
      input.providerAccountId,
      loginId,
    ])
  return { loginId, passwordRemoved: own && (await proveLogin(tx, loginId)) }
}

async function findOrCreateLogin(tx: pg.PoolClient, input: ProviderSignIn, email: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string; taken: boolean }>(
    `SELECT l.id, EXISTS (SELECT 1 FROM login_accounts a WHERE a.login_id = l.id AND a.provider = $2) AS taken
     FROM logins l WHERE l.email = $1`,
    [email, input.provider],
  )
  // The address belonged to another account of this provider before: a new owner of an old address is not the old one.
  if (rows[0]?.taken) return null
  if (rows[0]) return rows[0].id
  const expected = await tx.query(
    `SELECT 1 FROM members WHERE email = $1 AND disabled_at IS NULL
     UNION ALL SELECT 1 FROM invitations i WHERE i.email = $1 AND ${openInvitation} LIMIT 1`,
    [email],
  )
  if (!expected.rowCount) return null
  const id = newId('log')
  await tx.query(`INSERT INTO logins (id, email, name, email_verified) VALUES ($1, $2, $3, now())`, [
    id,
    email,
    input.name,
  ])
  return id
}

/**
 * A login that was made by a link and never shown to own its e-mail may have been made by somebody else: by whoever was
 * given the link. Now its owner is here, so the password of before and the browsers of before end.
 */
async function proveLogin(tx: pg.PoolClient, loginId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'UPDATE logins SET email_verified = now(), password_hash = NULL WHERE id = $1 AND email_verified IS NULL',
    [loginId],
  )
  if (!rowCount) return false
  await revokeSessions(tx, loginId, null)
  return true
}

/** Whoever owns the e-mail was invited by it; they need no link. By workspace. */
async function joinInvited(
  tx: pg.PoolClient,
  email: string,
  name: string | null,
): Promise<ReadonlyMap<string, { id: string; role: string }>> {
  const { rows } = await tx.query(
    `SELECT i.id, i.workspace_id, i.email, i.role FROM invitations i WHERE i.email = $1 AND ${openInvitation}
     ORDER BY i.workspace_id FOR UPDATE`,
    [email],
  )
  const accepted = new Map<string, { id: string; role: string }>()
  for (const { id, workspace_id: workspaceId, role } of rows)
    if (await addInvited(tx, { id, workspaceId, email, role }, name)) accepted.set(workspaceId, { id, role })
  return accepted
}

/**
 * Members with this e-mail who have no console identity yet get one: adding them with it was the invitation. In the
 * order of the workspaces, for the audit log.
 */
async function linkMembers(
  tx: pg.PoolClient,
  loginId: string,
  email: string,
  invited: ReadonlyMap<string, { id: string; role: string }>,
): Promise<void> {
  const { rows } = await tx.query<{ workspace_id: string; id: string }>(
    `SELECT m.workspace_id, m.id FROM members m
     WHERE m.email = $1 AND m.disabled_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM identities i WHERE i.member_id = m.id AND i.kind = 'console')
       AND NOT EXISTS (SELECT 1 FROM identities i WHERE i.workspace_id = m.workspace_id AND i.login_id = $2)
     ORDER BY m.workspace_id`,
    [email, loginId],
  )
  for (const member of rows) {
    await tx.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id)
       VALUES ($1, $2, $3, 'console', $4, $4)`,
      [newId('idn'), member.workspace_id, member.id, loginId],
    )
    const invitation = invited.get(member.workspace_id)
    await recordAudit(
      tx,
      invitation
        ? joined(member.workspace_id, member.id, invitation)
        : {
            workspaceId: member.workspace_id,
            actor: { kind: 'member', id: member.id },
            action: 'member.link-identity',
            subject: { kind: 'member', id: member.id },
            data: { kind: 'console' },
          },
    )
  }
}
