// Changing a policy: one part at a time, in one transaction with its audit. Whoever saves says which state they saw
// (`expectedUpdatedAt`; null: none); where it is not that any more, nothing is written, and two people who edit at once
// never overwrite each other unseen. The whole policy, as it would be, is put to `check` before anything is kept.
// Trigger policy_changed moves the revision and tells the bots.
import type { z } from 'zod'
import { type Actor, recordAudit } from './audit.ts'
import { type CheckPolicy, checkWholePolicy } from './check-whole-policy.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import type { StoredPolicy } from './policy.ts'
import { findLostGroups } from './policy-groups.ts'
import { columnsOf, deletePolicyRow, lockPolicy, policyTables, putPolicyRow } from './policy-rows.ts'
import {
  type GroupPart,
  groupPartShape,
  type PolicySettingsPart,
  type ProfilePart,
  problemsOf,
  profilePartShape,
  type RulePart,
  rulePartShape,
  type SkillPart,
  settingsPartShape,
  skillPartShape,
} from './policy-shape.ts'
import { storableText } from './storable.ts'

export interface PolicyChange {
  workspaceId: string
  actor: Actor
  /** `updatedAt` of what the person saw; null where there was nothing yet. */
  expectedUpdatedAt: Date | null
  /** What is wrong with the policy as it would be, a sentence each: packages/tools knows. */
  check?(policy: StoredPolicy): readonly string[]
}

export type SaveResult =
  | { ok: true; id: string; updatedAt: Date }
  /** Somebody else was faster; `updatedAt` is theirs, null where they deleted it. */
  | { ok: false; reason: 'changed'; updatedAt: Date | null }
  | { ok: false; reason: 'not_found' }
  | { ok: false; reason: 'name_taken' }
  | { ok: false; reason: 'invalid'; problems: readonly string[] }

export function savePolicySettings(db: Database, change: PolicyChange & { settings: PolicySettingsPart }) {
  const { settings, workspaceId } = change
  const columns = () => columnsOf.settings(settings)
  return savePart(db, change, {
    kind: 'settings',
    key: workspaceId,
    write: { part: settings, shape: settingsPartShape, columns },
  })
}

export function saveProfile(db: Database, change: PolicyChange & { profile: ProfilePart }) {
  const { profile } = change
  const write = { part: profile, shape: profilePartShape, columns: () => columnsOf.profile(profile) }
  return savePart(db, change, { kind: 'profile', key: profile.name, write })
}

export function saveGroup(db: Database, change: PolicyChange & { group: GroupPart }) {
  const { group } = change
  const write = { part: group, shape: groupPartShape, columns: () => columnsOf.group(group) }
  return savePart(db, change, { kind: 'group', key: group.name, write })
}

export function saveSkill(db: Database, change: PolicyChange & { skill: SkillPart }) {
  const { skill } = change
  const write = { part: skill, shape: skillPartShape, columns: () => columnsOf.skill(skill) }
  return savePart(db, change, { kind: 'skill', key: skill.name, write })
}

/** A rule without an id is new, and comes after the others. */
export function saveRule(db: Database, change: PolicyChange & { id?: string; rule: RulePart }) {
  const { id, rule } = change
  const write = { part: rule, shape: rulePartShape, columns: () => columnsOf.rule(rule) }
  return savePart(db, change, { kind: 'rule', key: id ?? newId('rul'), mustExist: id !== undefined, write })
}

/** `key` is a profile's, group's or skill's name, or a rule's id. */
export function deletePolicyPart(
  db: Database,
  change: PolicyChange & { kind: 'profile' | 'group' | 'rule' | 'skill'; key: string },
) {
  return savePart(db, change, { kind: change.kind, key: change.key, mustExist: true, write: null })
}

interface Part {
  kind: keyof typeof policyTables
  key: string
  mustExist?: boolean
  /** Null: it is deleted. */
  write: { part: unknown; shape: z.ZodType; columns(): Record<string, unknown> } | null
}

/** Undoes the transaction and becomes its result. */
class Refused extends Error {
  readonly result: Extract<SaveResult, { ok: false }>

  constructor(result: Extract<SaveResult, { ok: false }>) {
    super(result.reason)
    this.result = result
  }
}

async function savePart(db: Database, change: PolicyChange, part: Part): Promise<SaveResult> {
  const problems = part.write ? problemsOf(part.write.shape, part.write.part) : []
  if (problems.length) return { ok: false, reason: 'invalid', problems }
  try {
    return await inTransaction(db, (tx) => writePart(tx, change, part))
  } catch (error) {
    if (error instanceof Refused) return error.result
    // 23505 is unique_violation: of rules, the name; a taken key was found before.
    if ((error as { code?: unknown }).code === '23505') return { ok: false, reason: 'name_taken' }
    throw error
  }
}

async function writePart(tx: Queryable, change: PolicyChange, part: Part): Promise<SaveResult> {
  const { table, key } = policyTables[part.kind]
  if (!(await lockPolicy(tx, change.workspaceId))) throw new Refused({ ok: false, reason: 'not_found' })
  const { rows } = await tx.query<{ before: unknown; updated_at: Date }>(
    `SELECT to_jsonb(p) - 'workspace_id' AS before, p.updated_at FROM ${table} p WHERE p.workspace_id = $1 AND p.${key} = $2`,
    [change.workspaceId, storableText(part.key)],
  )
  const found = rows[0]
  if (found?.updated_at.getTime() !== change.expectedUpdatedAt?.getTime())
    throw new Refused({ ok: false, reason: 'changed', updatedAt: found?.updated_at ?? null })
  if (!found && part.mustExist) throw new Refused({ ok: false, reason: 'not_found' })

  const place = { kind: part.kind, key: part.key, workspaceId: change.workspaceId }
  const updatedAt = part.write ? await putPolicyRow(tx, place, part.write.columns()) : await deletePolicyRow(tx, place)
  if (!updatedAt) throw new Refused({ ok: false, reason: 'not_found' })
  const lost = part.kind === 'group' && !part.write ? [{ name: part.key }] : []
  const check: CheckPolicy = (policy) => [...findLostGroups(lost, policy), ...(change.check?.(policy) ?? [])]
  const problems = await checkWholePolicy(tx, change.workspaceId, check)
  if (problems.length) throw new Refused({ ok: false, reason: 'invalid', problems })
  await recordAudit(tx, {
    workspaceId: change.workspaceId,
    actor: change.actor,
    action: `policy.${part.kind}-${!part.write ? 'delete' : found ? 'change' : 'add'}`,
    subject: { kind: part.kind === 'settings' ? 'workspace' : part.kind, id: part.key },
    data: { before: found?.before ?? null, after: part.write?.part ?? null },
  })
  return { ok: true, id: part.key, updatedAt }
}
