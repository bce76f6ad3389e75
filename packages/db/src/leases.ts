// "Approved for this thread": a lease spares the next questions about one tool in one conversation, until it ends,
// is used up or is revoked. It speaks for the calls of its scope only (the tests of this project, and not whatever the
// shell can run); what a scope is the tool says, and here it is a text that must be the same. It is bound to the tool's
// version: a changed tool asks again. It ends with its granter: a member who was disabled approves nothing any more.
import { type Actor, recordAudit } from './audit.ts'
import { type Claim, heldRun } from './claim.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { prepared } from './prepared.ts'

export interface LeaseGrant {
  workspaceId: string
  conversationId: string
  toolName: string
  toolVersion: string
  /** Only calls of the same scope use it. */
  scope: string
  /** The question whose answer granted it. */
  questionId?: string
  /** The member who grants it; whether they may is decided where they answer. */
  grantedBy: string
  maxUses: number
  durationMs: number
}

/** Null when the conversation is not one of the workspace. */
export function grantLease(db: Database, grant: LeaseGrant): Promise<string | null> {
  return inTransaction(db, (tx) => insertLease(tx, grant))
}

/** The same, in the transaction of the answer that grants it. */
export async function insertLease(tx: Queryable, grant: LeaseGrant): Promise<string | null> {
  const id = newId('lease')
  const { rowCount } = await tx.query(
    `INSERT INTO leases (id, workspace_id, conversation_id, agent_id, tool_name, tool_version, question_id, granted_by, max_uses, expires_at, scope)
       SELECT $1, c.workspace_id, c.id, c.agent_id, $4, $5, $6, $7, $8, clock_timestamp() + $9 * interval '1 millisecond', $10
       FROM conversations c WHERE c.id = $2 AND c.workspace_id = $3`,
    [
      id,
      grant.conversationId,
      grant.workspaceId,
      grant.toolName,
      grant.toolVersion,
      grant.questionId ?? null,
      grant.grantedBy,
      grant.maxUses,
      grant.durationMs,
      grant.scope,
    ],
  )
  if (!rowCount) return null
  await recordAudit(tx, {
    workspaceId: grant.workspaceId,
    actor: { kind: 'member', id: grant.grantedBy },
    action: 'lease.grant',
    subject: { kind: 'lease', id },
    data: {
      conversationId: grant.conversationId,
      toolName: grant.toolName,
      maxUses: grant.maxUses,
      durationMs: grant.durationMs,
    },
  })
  return id
}

const usable = `l.uses < l.max_uses AND l.revoked_at IS NULL AND l.expires_at > clock_timestamp()`

/** Takes one use of a lease for this tool and this scope. Null when there is none: then a person is asked. */
export async function useLease(
  db: Database,
  claim: Claim,
  call: { toolName: string; toolVersion: string; scope: string },
): Promise<{ leaseId: string; remaining: number } | null> {
  for (;;) {
    const { rows } = await prepared(
      db.pool,
      `WITH held AS (${heldRun}), candidate AS (
         SELECT l.id FROM leases l JOIN held ON held.conversation_id = l.conversation_id AND held.agent_id = l.agent_id
         JOIN members m ON m.id = l.granted_by AND m.disabled_at IS NULL
         WHERE l.tool_name = $3 AND l.tool_version = $4 AND l.scope = $5 AND ${usable} ORDER BY l.expires_at, l.id LIMIT 1
       ), used AS (
         UPDATE leases l SET uses = l.uses + 1 FROM candidate WHERE l.id = candidate.id AND ${usable}
         RETURNING l.id, l.max_uses - l.uses AS remaining
       )
       SELECT used.id, used.remaining FROM candidate LEFT JOIN used ON used.id = candidate.id`,
      [claim.runId, claim.claimNumber, call.toolName, call.toolVersion, call.scope],
    )
    if (!rows[0]) return null
    if (rows[0].id) return { leaseId: rows[0].id, remaining: rows[0].remaining }
    // Somebody took its last use or revoked it while we waited for the row. Each round uses up one lease of the
    // conversation, so this ends.
  }
}

/** False when it is not one of the workspace, or was revoked already. */
export function revokeLease(
  db: Database,
  revoke: { workspaceId: string; leaseId: string; actor: Actor },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      'UPDATE leases SET revoked_at = clock_timestamp() WHERE id = $1 AND workspace_id = $2 AND revoked_at IS NULL',
      [revoke.leaseId, revoke.workspaceId],
    )
    if (!rowCount) return false
    await recordAudit(tx, {
      workspaceId: revoke.workspaceId,
      actor: revoke.actor,
      action: 'lease.revoke',
      subject: { kind: 'lease', id: revoke.leaseId },
    })
    return true
  })
}
