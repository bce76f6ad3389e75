import { countAttempt, forgetAttempts } from './attempts.ts'
import type { Actor } from './audit.ts'
import { type Database, inTransaction } from './client.ts'
import { limits } from './limits.ts'
import { checkNewPassword, hashPassword, verifyPassword } from './password.ts'
import { recordForLogin, revokeSessions } from './sessions.ts'

export interface SetPassword {
  loginId: string
  password: string
  /** Who sets it; `self` is the member. */
  actor: Actor | 'self'
  /** The browser that stays signed in; every other one of this login is signed out. */
  keepSessionId?: string
}

/** Gives a login a new password. Throws a Problem when it does not keep the rules; false when there is no such login. */
export async function setPassword(db: Database, input: SetPassword): Promise<boolean> {
  const passwordHash = await hashPassword(input.password)
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query('UPDATE logins SET password_hash = $2 WHERE id = $1', [
      input.loginId,
      passwordHash,
    ])
    if (!rowCount) return false
    const signedOut = await revokeSessions(tx, input.loginId, input.keepSessionId ?? null)
    await recordForLogin(tx, {
      loginId: input.loginId,
      actor: input.actor,
      action: 'member.set-password',
      data: { signedOut },
    })
    return true
  })
}

export type ChangePasswordResult =
  | { ok: true }
  | { ok: false; reason: 'wrong-password' | 'too-many'; retryAfterSeconds?: number }

/**
 * A member's own change: the current password has to be said again, and guesses at it are counted like sign-ins, so
 * that a browser left open is not a way to find it out.
 */
export async function changePassword(
  db: Database,
  input: { loginId: string; sessionId: string; currentPassword: string; newPassword: string },
): Promise<ChangePasswordResult> {
  checkNewPassword(input.newPassword)
  const key = `change-password:${input.loginId}`
  const attempts = await countAttempt(db, key, limits.signInWindowMs)
  if (attempts.count > limits.signInPerEmail)
    return { ok: false, reason: 'too-many', retryAfterSeconds: attempts.secondsLeft }
  const { rows } = await db.pool.query<{ password_hash: string | null }>(
    'SELECT password_hash FROM logins WHERE id = $1',
    [input.loginId],
  )
  if (!(await verifyPassword(rows[0]?.password_hash ?? null, input.currentPassword)))
    return { ok: false, reason: 'wrong-password' }
  await setPassword(db, {
    loginId: input.loginId,
    password: input.newPassword,
    actor: 'self',
    keepSessionId: input.sessionId,
  })
  await forgetAttempts(db, key)
  return { ok: true }
}
