import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { Problem } from './problem.ts'
import type { Role } from './roles.ts'

export interface ListedMember {
  id: string
  name: string
  email: string | null
  role: Role
  disabledAt: Date | null
  createdAt: Date
  identities: { kind: 'console' | 'slack' | 'telegram'; externalId: string; displayName: string | null }[]
}

/** Everybody of the workspace, disabled ones last. */
export async function listMembers(db: { pool: Queryable }, workspaceId: string): Promise<ListedMember[]> {
  const { rows } = await db.pool.query(
    `SELECT m.id, m.name, m.email, m.role, m.disabled_at, m.created_at,
            coalesce(jsonb_agg(jsonb_build_object('kind', i.kind, 'externalId', i.external_id, 'displayName', i.display_name)
                               ORDER BY i.kind, i.external_id) FILTER (WHERE i.id IS NOT NULL), '[]') AS identities
     FROM members m LEFT JOIN identities i ON i.workspace_id = m.workspace_id AND i.member_id = m.id
     WHERE m.workspace_id = $1 GROUP BY m.id
     ORDER BY m.disabled_at IS NOT NULL, m.role, m.name, m.id`,
    [workspaceId],
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    disabledAt: row.disabled_at,
    createdAt: row.created_at,
    identities: row.identities,
  }))
}

interface MemberChange {
  workspaceId: string
  memberId: string
  actor: Actor
}

/** By id; members of other workspaces are not among them. */
export async function readMemberNames(
  db: { pool: Queryable },
  workspaceId: string,
  memberIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.pool.query('SELECT id, name FROM members WHERE workspace_id = $1 AND id = ANY($2)', [
    workspaceId,
    memberIds,
  ])
  return new Map(rows.map((row) => [row.id, row.name]))
}

/**
 * False when the role is that already. Throws a Problem when no owner would be left, or when a member who is no owner
 * would make or unmake one: an admin could make themselves one otherwise.
 */
export function changeRole(db: Database, input: MemberChange & { role: Role }): Promise<boolean> {
  return changeMember(db, input, async (tx, before) => {
    if (before.role === input.role) return null
    if (before.role === 'owner' || input.role === 'owner') await requireOwner(tx, input)
    await tx.query('UPDATE members SET role = $2 WHERE id = $1', [input.memberId, input.role])
    return { action: 'member.change-role', data: { role: { before: before.role, after: input.role } } }
  })
}

/** A member is not deleted: history keeps the name. Their sessions, API keys and invitations end with it, at once. */
export function disableMember(db: Database, input: MemberChange): Promise<boolean> {
  return changeMember(db, input, async (tx, before) => {
    if (before.disabled) return null
    if (before.role === 'owner') await requireOwner(tx, input)
    await tx.query('UPDATE members SET disabled_at = now() WHERE id = $1', [input.memberId])
    const revoked = await tx.query(
      `UPDATE invitations SET revoked_at = now() WHERE workspace_id = $1 AND invited_by = $2
         AND accepted_at IS NULL AND revoked_at IS NULL`,
      [input.workspaceId, input.memberId],
    )
    return { action: 'member.disable', ...(revoked.rowCount ? { data: { invitations: revoked.rowCount } } : {}) }
  })
}

export function enableMember(db: Database, input: MemberChange): Promise<boolean> {
  return changeMember(db, input, async (tx, before) => {
    if (!before.disabled) return null
    if (before.role === 'owner') await requireOwner(tx, input)
    await tx.query('UPDATE members SET disabled_at = NULL WHERE id = $1', [input.memberId])
    return { action: 'member.enable' }
  })
}

/** Who makes, disables or enables an owner is one, or is the installation itself. */
export async function requireOwner(tx: Queryable, input: { workspaceId: string; actor: Actor }): Promise<void> {
  if (input.actor.kind === 'system') return
  const { rowCount } = await tx.query(
    `SELECT 1 FROM members WHERE workspace_id = $1 AND id = $2 AND role = 'owner' AND disabled_at IS NULL FOR SHARE`,
    [input.workspaceId, input.actor.kind === 'member' ? input.actor.id : ''],
  )
  if (!rowCount) throw new Problem('Only an owner makes or unmakes owners.', 'Ask an owner of this workspace.')
}

type Change = { action: string; data?: Record<string, unknown> }

async function changeMember(
  db: Database,
  input: MemberChange,
  change: (tx: Queryable, before: { role: Role; disabled: boolean }) => Promise<Change | null>,
): Promise<boolean> {
  try {
    return await inTransaction(db, async (tx) => {
      // The constraint locks the workspace at the commit, when the audit chain is ours already. Locking it first keeps
      // the order in which everybody else takes the two; the other way round they would wait for each other.
      await tx.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [input.workspaceId])
      const { rows } = await tx.query(
        `SELECT role, disabled_at IS NOT NULL AS disabled FROM members WHERE workspace_id = $1 AND id = $2 FOR UPDATE`,
        [input.workspaceId, input.memberId],
      )
      if (!rows[0]) throw new Problem('There is no such member in this workspace.', 'Reload the list.')
      const done = await change(tx, rows[0])
      if (!done) return false
      await recordAudit(tx, {
        workspaceId: input.workspaceId,
        actor: input.actor,
        subject: { kind: 'member', id: input.memberId },
        ...done,
      })
      return true
    })
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'members_keep_an_owner') throw error
    throw new Problem(
      'This is the last owner: a workspace cannot be left without one.',
      'Make somebody else an owner first.',
      { cause: error },
    )
  }
}
