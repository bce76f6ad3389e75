// Signing in to the console. Every refusal looks alike: an unknown e-mail, a wrong password, a login without a
// password and a disabled member get the same answer after the same work, and not before `refusalMs`, which covers the
// few milliseconds that an audit event for a known member takes.
import { setTimeout as sleep } from 'node:timers/promises'
import { addressGroup, countAttempt, forgetAttempts } from './attempts.ts'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction } from './client.ts'
import { limits } from './limits.ts'
import { verifyPassword } from './password.ts'
import { recordForLogin, startSession } from './sessions.ts'

export type SignInResult =
  | { ok: true; token: string; loginId: string }
  | { ok: false; reason: 'refused' | 'too-many'; retryAfterSeconds?: number }

export interface SignInInput {
  email: string
  password: string
  /** Where the request came from, as the console knows it. */
  address: string
  userAgent: string | null
}

/** The least time from a request to its refusal. */
const refusalMs = 250
const signInActor: Actor = { kind: 'system', id: 'sign-in' }
export const signInRefused: SignInResult = { ok: false, reason: 'refused' }

export async function signIn(db: Database, input: SignInInput): Promise<SignInResult> {
  const answerAt = performance.now() + refusalMs
  const result = await attempt(db, input)
  if (!result.ok) await sleep(Math.max(0, answerAt - performance.now()))
  return result
}

async function attempt(db: Database, input: SignInInput): Promise<SignInResult> {
  const email = parseEmail(input.email)
  const emailKey = `sign-in:email:${email ?? ''}`
  const login = email ? await findLogin(db, email) : null

  // Counted before the password is looked at, so that guesses sent all at once count like guesses one by one.
  const byAddress = await countAttempt(db, `sign-in:address:${addressGroup(input.address)}`, limits.signInWindowMs)
  if (byAddress.count > limits.signInPerAddress)
    return { ok: false, reason: 'too-many', retryAfterSeconds: byAddress.secondsLeft }
  const byEmail = await countAttempt(db, emailKey, limits.signInWindowMs)
  if (byEmail.count > limits.signInPerEmail) {
    // The log gets the first one past the limit and not the flood behind it.
    if (login && byEmail.count === limits.signInPerEmail + 1) await recordRefusal(db, login, input, 'too-many')
    return { ok: false, reason: 'too-many', retryAfterSeconds: byEmail.secondsLeft }
  }

  const right = await verifyPassword(login?.passwordHash ?? null, input.password)
  if (!login) return signInRefused
  if (!right || !login.enabled) {
    const reason = !login.passwordHash ? 'no-password' : right ? 'disabled' : 'wrong-password'
    await recordRefusal(db, login, input, reason)
    return signInRefused
  }

  const token = await openSession(db, {
    ...input,
    loginId: login.id,
    data: { with: 'password', address: input.address },
  })
  await forgetAttempts(db, emailKey)
  return { ok: true, token, loginId: login.id }
}

/** A session and its audit event, together. */
export function openSession(
  db: Database,
  input: { loginId: string; userAgent: string | null; data: Record<string, unknown> },
): Promise<string> {
  return inTransaction(db, async (tx) => {
    const token = await startSession({ pool: tx }, input)
    await recordForLogin(tx, { loginId: input.loginId, actor: 'self', action: 'member.sign-in', data: input.data })
    return token
  })
}

interface FoundLogin {
  id: string
  passwordHash: string | null
  members: { workspaceId: string; memberId: string }[]
  /** Whether one of its members is enabled. */
  enabled: boolean
}

async function findLogin(db: Database, email: string): Promise<FoundLogin | null> {
  const { rows } = await db.pool.query(
    `SELECT l.id, l.password_hash, m.workspace_id, m.id AS member_id, m.disabled_at IS NULL AS enabled
     FROM logins l
     LEFT JOIN identities i ON i.login_id = l.id
     LEFT JOIN members m ON m.workspace_id = i.workspace_id AND m.id = i.member_id
     WHERE l.email = $1 ORDER BY m.workspace_id, m.id`,
    [email],
  )
  const members = rows.filter((row) => row.member_id !== null)
  if (!rows[0]) return null
  return {
    id: rows[0].id,
    passwordHash: rows[0].password_hash,
    members: members.map((row) => ({ workspaceId: row.workspace_id, memberId: row.member_id })),
    enabled: members.some((row) => row.enabled),
  }
}

/** Nobody is known to have done it, so the actor is the system and the member is the subject. */
async function recordRefusal(db: Database, login: FoundLogin, input: SignInInput, reason: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const { workspaceId, memberId } of login.members)
      await recordAudit(tx, {
        workspaceId,
        actor: signInActor,
        action: 'member.sign-in-refused',
        subject: { kind: 'member', id: memberId },
        data: { reason, address: input.address },
      })
  })
}

/** As it is stored: without spaces around it, in lower case. Null when it cannot be an e-mail at all. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return email.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) ? email : null
}
