import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction } from './client.ts'
import { Problem } from './problem.ts'
import { storableText } from './storable.ts'

/**
 * The account on a chat platform is this member's no more: its next word is a stranger's, or a newcomer's. False when it
 * was not the member's. The way into the console is not taken away like this: nobody should lock themselves out.
 */
export function unlinkIdentity(
  db: Database,
  input: { workspaceId: string; memberId: string; identityId: string; actor: Actor },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      'SELECT id, kind, external_id FROM identities WHERE workspace_id = $1 AND member_id = $2 AND id = $3 FOR UPDATE',
      [input.workspaceId, input.memberId, storableText(input.identityId)],
    )
    const identity = rows[0]
    if (!identity) return false
    if (identity.kind === 'console')
      throw new Problem('This is how you sign in to the console.', 'Somebody who may manage members can disable you.')
    await tx.query('DELETE FROM identities WHERE id = $1', [identity.id])
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'member.unlink-identity',
      subject: { kind: 'member', id: input.memberId },
      data: { kind: identity.kind, externalId: identity.external_id },
    })
    return true
  })
}
