import { z } from 'zod'
import { type Database, inTransaction } from './client.ts'
import { Problem } from './problem.ts'
import { recordForLogin } from './sessions.ts'

export const personNameShape = z
  .string()
  .trim()
  .min(1, 'Expected a name.')
  .max(80, 'Expected at most 80 characters.')
  .refine((name) => !/\p{Cc}/u.test(name), 'Expected no control characters.')

/** A person's own name, in every workspace where they are a member. False when it is that already. */
export function renameLogin(db: Database, input: { loginId: string; name: string }): Promise<boolean> {
  const parsed = personNameShape.safeParse(input.name)
  if (!parsed.success) throw new Problem(`The name: ${parsed.error.issues[0]?.message}`, 'Correct it and save again.')
  const name = parsed.data
  return inTransaction(db, async (tx) => {
    const login = await tx.query('UPDATE logins SET name = $2 WHERE id = $1 AND name IS DISTINCT FROM $2', [
      input.loginId,
      name,
    ])
    const members = await tx.query(
      `UPDATE members m SET name = $2 FROM identities i
       WHERE i.login_id = $1 AND m.workspace_id = i.workspace_id AND m.id = i.member_id AND m.name <> $2`,
      [input.loginId, name],
    )
    if (!login.rowCount && !members.rowCount) return false
    await recordForLogin(tx, { loginId: input.loginId, actor: 'self', action: 'member.rename', data: { name } })
    return true
  })
}
