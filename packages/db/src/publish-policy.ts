// A draft becomes the live policy: all of its parts in one transaction with one audit event, or nothing. It is refused
// where the live policy is not the one that the draft was made from: what others changed meanwhile would be undone
// unseen. What the draft did not change keeps its row and its time. Trigger policy_changed tells the bots.
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { loadPolicy } from './policy.ts'
import { type PolicyContent, readPolicyContent, sameContent } from './policy-content.ts'
import { auditOf, type DraftChange, type DraftRefusal, readPolicyDraft, refuseStale } from './policy-draft.ts'
import { findLostGroups } from './policy-groups.ts'
import { changedParts, type PartChange } from './policy-parts.ts'
import { columnsOf, deletePolicyRow, lockPolicy, putPolicyRow } from './policy-rows.ts'

export type PublishResult =
  | { ok: true; changes: PartChange[] }
  | DraftRefusal
  /** `changes` is what others made live since the draft was begun. */
  | { ok: false; reason: 'live_changed'; changes: PartChange[] }

/** Undoes the transaction and becomes its result. */
class Refused extends Error {
  readonly result: Extract<PublishResult, { ok: false }>

  constructor(result: Extract<PublishResult, { ok: false }>) {
    super(result.reason)
    this.result = result
  }
}

export async function publishPolicyDraft(db: Database, change: DraftChange): Promise<PublishResult> {
  try {
    return await inTransaction(db, (tx) => publish(tx, change))
  } catch (error) {
    if (error instanceof Refused) return error.result
    throw error
  }
}

async function publish(tx: Queryable, change: DraftChange): Promise<PublishResult> {
  const { workspaceId } = change
  if (!(await lockPolicy(tx, workspaceId))) throw new Refused({ ok: false, reason: 'not_found' })
  const draft = await readPolicyDraft({ pool: tx }, workspaceId)
  const stale = refuseStale(change, draft)
  if (stale && !stale.ok) throw new Refused(stale)
  const live = await readPolicyContent({ pool: tx }, workspaceId)
  if (!draft || !live) throw new Refused({ ok: false, reason: 'not_found' })
  // By what it says and not by the revision: an agent that was published meanwhile moves that too, and undoes nothing.
  if (!sameContent(draft.base, live.content))
    throw new Refused({ ok: false, reason: 'live_changed', changes: changedParts(draft.base, live.content) })

  const changes = changedParts(live.content, draft.content)
  await writeParts(tx, workspaceId, changes, draft.content)
  const policy = await loadPolicy({ pool: tx }, workspaceId)
  const lost = policy ? findLostGroups(live.content.groups, policy) : []
  const problems = lost.length ? lost : policy && change.check ? change.check(policy) : []
  if (problems.length) throw new Refused({ ok: false, reason: 'invalid', problems })
  await tx.query('DELETE FROM policy_drafts WHERE workspace_id = $1', [workspaceId])
  await recordAudit(tx, {
    ...auditOf(change),
    action: 'policy.publish',
    data: { changes, revision: { from: live.revision, to: policy?.revision ?? null } },
  })
  return { ok: true, changes }
}

async function writeParts(
  tx: Queryable,
  workspaceId: string,
  changes: readonly PartChange[],
  { settings, profiles, groups, skills, rules }: PolicyContent,
): Promise<void> {
  if (changes.some(({ kind }) => kind === 'setting' || kind === 'provider'))
    await putPolicyRow(tx, { kind: 'settings', workspaceId, key: workspaceId }, columnsOf.settings(settings))
  // What goes makes room for what takes its name.
  for (const { kind, key, after } of changes)
    if (after === undefined && (kind === 'profile' || kind === 'group' || kind === 'skill' || kind === 'rule'))
      await deletePolicyRow(tx, { kind, workspaceId, key })
  const touched = (kind: PartChange['kind']) =>
    new Set(changes.filter((each) => each.kind === kind && each.after !== undefined).map(({ key }) => key))
  const [newProfiles, newGroups] = [touched('profile'), touched('group')]
  const [newSkills, newRules] = [touched('skill'), touched('rule')]
  for (const profile of profiles.filter(({ name }) => newProfiles.has(name)))
    await putPolicyRow(tx, { kind: 'profile', workspaceId, key: profile.name }, columnsOf.profile(profile))
  for (const group of groups.filter(({ name }) => newGroups.has(name)))
    await putPolicyRow(tx, { kind: 'group', workspaceId, key: group.name }, columnsOf.group(group))
  for (const skill of skills.filter(({ name }) => newSkills.has(name)))
    await putPolicyRow(tx, { kind: 'skill', workspaceId, key: skill.name }, columnsOf.skill(skill))
  // Two rules may have taken each other's names, and no two rows may have one: for a moment each has its id's.
  await tx.query(`UPDATE rules SET name = 'being renamed ' || id WHERE workspace_id = $1 AND id = ANY($2)`, [
    workspaceId,
    [...newRules],
  ])
  for (const { id, ...rule } of rules.filter((each) => newRules.has(each.id)))
    if (!(await putPolicyRow(tx, { kind: 'rule', workspaceId, key: id }, columnsOf.rule(rule))))
      throw new Refused({ ok: false, reason: 'not_found' })
  // Where a rule stands is for people and no part of it: its time stays.
  await tx.query(
    `UPDATE rules r SET position = o.position - 1 FROM unnest($2::text[]) WITH ORDINALITY AS o(id, position)
     WHERE r.workspace_id = $1 AND r.id = o.id AND r.position <> o.position - 1`,
    [workspaceId, rules.map(({ id }) => id)],
  )
}
