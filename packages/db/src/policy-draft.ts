// The draft of a workspace's policy: what editors prepare in the console, and nobody is decided by. It begins as a copy
// of the live policy, is edited a part at a time, and ends when it is published (publish-policy.ts), discarded, or
// edited back to what is live. Whoever edits says which state they saw (`expectedUpdatedAt`; null: there was none).
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { loadPolicy, type StoredPolicy } from './policy.ts'
import {
  type PolicyContent,
  policyContentShape,
  readPolicyContent,
  sameContent,
  withContent,
} from './policy-content.ts'
import { findLostGroups } from './policy-groups.ts'
import { changedParts, type MergedContent, mergeContent } from './policy-parts.ts'
import { lockPolicy } from './policy-rows.ts'
import { problemsOf } from './policy-shape.ts'

export interface PolicyDraft {
  base: PolicyContent
  baseRevision: number
  content: PolicyContent
  updatedAt: Date
  createdAt: Date
  updatedBy: { id: string; name: string }
}

export interface DraftChange {
  workspaceId: string
  /** A member: the draft says who touched it last. */
  actor: Actor
  expectedUpdatedAt: Date | null
  /** What is wrong with the policy as it would be, a sentence each: packages/tools knows. */
  check?(policy: StoredPolicy): readonly string[]
}

export type DraftRefusal =
  /** Somebody else was faster; null where the draft is not there any more. */
  | { ok: false; reason: 'changed'; draft: { updatedAt: Date; updatedBy: string } | null }
  | { ok: false; reason: 'not_found' }
  | { ok: false; reason: 'invalid'; problems: readonly string[] }

/** `updatedAt` null: the edit led back to the live policy, so there is no draft any more. */
export type DraftResult = { ok: true; updatedAt: Date | null } | DraftRefusal

export async function readPolicyDraft(db: { pool: Queryable }, workspaceId: string): Promise<PolicyDraft | null> {
  const { rows } = await db.pool.query(
    `SELECT d.base, d.base_revision, d.content, d.updated_at, d.created_at, d.updated_by, m.name
     FROM policy_drafts d JOIN members m ON m.workspace_id = d.workspace_id AND m.id = d.updated_by
     WHERE d.workspace_id = $1`,
    [workspaceId],
  )
  const row = rows[0]
  if (!row) return null
  return {
    base: row.base,
    baseRevision: Number(row.base_revision),
    content: row.content,
    updatedAt: row.updated_at,
    createdAt: row.created_at,
    updatedBy: { id: row.updated_by, name: row.name },
  }
}

/**
 * Edits the draft, which is made of the live policy where there is none. `edit` gets a copy and returns what it is to
 * be. Problems that were there before the edit do not hinder it: they are mended one after the other.
 */
export function editPolicyDraft(
  db: Database,
  change: DraftChange & { edit(content: PolicyContent): PolicyContent },
): Promise<DraftResult> {
  return inTransaction(db, async (tx): Promise<DraftResult> => {
    if (!(await lockPolicy(tx, change.workspaceId))) return { ok: false, reason: 'not_found' }
    const draft = await readPolicyDraft({ pool: tx }, change.workspaceId)
    const refused = refuseStale(change, draft)
    if (refused) return refused
    const live = await readPolicyContent({ pool: tx }, change.workspaceId)
    if (!live) return { ok: false, reason: 'not_found' }
    const before = draft?.content ?? live.content
    const after = change.edit(structuredClone(before))
    const problems = await findNewProblems(tx, change, before, after)
    if (problems.length) return { ok: false, reason: 'invalid', problems }
    const changes = changedParts(before, after)
    if (!changes.length) return { ok: true, updatedAt: draft?.updatedAt ?? null }
    const isLive = sameContent(after, live.content)
    if (isLive) await tx.query('DELETE FROM policy_drafts WHERE workspace_id = $1', [change.workspaceId])
    const updatedAt = isLive
      ? null
      : await putDraft(tx, change, {
          base: draft?.base ?? live.content,
          baseRevision: draft?.baseRevision ?? live.revision,
          content: after,
        })
    await recordAudit(tx, {
      ...auditOf(change),
      action: 'policy.draft-edit',
      data: { changes },
    })
    return { ok: true, updatedAt }
  })
}

/** Throws the draft away. Whoever does so has seen it: what somebody else added meanwhile is not lost unseen. */
export function discardPolicyDraft(db: Database, change: DraftChange): Promise<DraftResult> {
  return inTransaction(db, async (tx): Promise<DraftResult> => {
    if (!(await lockPolicy(tx, change.workspaceId))) return { ok: false, reason: 'not_found' }
    const draft = await readPolicyDraft({ pool: tx }, change.workspaceId)
    if (!draft) return { ok: false, reason: 'not_found' }
    const refused = refuseStale(change, draft)
    if (refused) return refused
    await tx.query('DELETE FROM policy_drafts WHERE workspace_id = $1', [change.workspaceId])
    await recordAudit(tx, {
      ...auditOf(change),
      action: 'policy.draft-discard',
      data: { changes: changedParts(draft.base, draft.content) },
    })
    return { ok: true, updatedAt: null }
  })
}

export type RebaseResult = { ok: true; updatedAt: Date | null; conflicts: MergedContent['conflicts'] } | DraftRefusal

/** Puts the draft's changes onto the live policy of now. Where both changed one part, the draft's stays and is named. */
export function rebasePolicyDraft(db: Database, change: DraftChange): Promise<RebaseResult> {
  return inTransaction(db, async (tx): Promise<RebaseResult> => {
    if (!(await lockPolicy(tx, change.workspaceId))) return { ok: false, reason: 'not_found' }
    const draft = await readPolicyDraft({ pool: tx }, change.workspaceId)
    if (!draft) return { ok: false, reason: 'not_found' }
    const refused = refuseStale(change, draft)
    if (refused) return refused
    const live = await readPolicyContent({ pool: tx }, change.workspaceId)
    if (!live) return { ok: false, reason: 'not_found' }
    const { content, conflicts } = mergeContent(draft.base, draft.content, live.content)
    const problems = await findNewProblems(tx, change, live.content, content)
    if (problems.length) return { ok: false, reason: 'invalid', problems }
    const isLive = sameContent(content, live.content)
    if (isLive) await tx.query('DELETE FROM policy_drafts WHERE workspace_id = $1', [change.workspaceId])
    const updatedAt = isLive
      ? null
      : await putDraft(tx, change, { base: live.content, baseRevision: live.revision, content })
    await recordAudit(tx, {
      ...auditOf(change),
      action: 'policy.draft-rebase',
      data: { from: draft.baseRevision, to: live.revision, conflicts },
    })
    return { ok: true, updatedAt, conflicts }
  })
}

/** For publish-policy.ts too: a draft that is not the one that was seen. */
export function refuseStale(change: DraftChange, draft: PolicyDraft | null): DraftRefusal | null {
  if (draft?.updatedAt.getTime() === change.expectedUpdatedAt?.getTime()) return null
  return {
    ok: false,
    reason: 'changed',
    draft: draft && { updatedAt: draft.updatedAt, updatedBy: draft.updatedBy.name },
  }
}

export const auditOf = ({ workspaceId, actor }: DraftChange) => ({
  workspaceId,
  actor,
  subject: { kind: 'workspace', id: workspaceId },
})

async function findNewProblems(
  tx: Queryable,
  { workspaceId, check }: DraftChange,
  before: PolicyContent,
  after: PolicyContent,
): Promise<readonly string[]> {
  const problems = problemsOf(policyContentShape, after)
  if (problems.length) return problems
  const stored = await loadPolicy({ pool: tx }, workspaceId)
  if (!stored) return []
  const lost = findLostGroups(before.groups, withContent(stored, after))
  if (lost.length || !check) return lost
  const known = new Set(check(withContent(stored, before)))
  return check(withContent(stored, after)).filter((problem) => !known.has(problem))
}

async function putDraft(
  tx: Queryable,
  { workspaceId, actor }: DraftChange,
  draft: Pick<PolicyDraft, 'base' | 'baseRevision' | 'content'>,
): Promise<Date> {
  const { rows } = await tx.query(
    `INSERT INTO policy_drafts AS d (workspace_id, base, base_revision, content, updated_by, updated_at)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp())
     ON CONFLICT (workspace_id) DO UPDATE SET base = excluded.base, base_revision = excluded.base_revision,
       content = excluded.content, updated_by = excluded.updated_by,
       updated_at = greatest(clock_timestamp(), d.updated_at + interval '1 millisecond')
     RETURNING updated_at`,
    [workspaceId, JSON.stringify(draft.base), draft.baseRevision, JSON.stringify(draft.content), actor.id],
  )
  return rows[0].updated_at
}
