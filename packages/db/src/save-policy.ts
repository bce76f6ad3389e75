// Changing a policy: one part at a time, in one transaction with its audit. Whoever saves says which state they saw
// (`expectedUpdatedAt`; null: none); where it is not that any more, nothing is written, and two people who edit at once
// never overwrite each other unseen. The whole policy, as it would be, is put to `check` before anything is kept.
// Trigger policy_changed moves the revision and tells the bots.
import type { z } from 'zod'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { loadPolicy, type StoredPolicy } from './policy.ts'
import {
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
import { Problem } from './problem.ts'
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
  const { settings } = change
  const columns = () => {
    const { providers, hooks, approval, ...rest } = settings
    return { ...rest, ...asJson({ providers, hooks, approval }) }
  }
  const write = { part: settings, shape: settingsPartShape, columns }
  return savePart(db, change, { kind: 'settings', key: change.workspaceId, write })
}

export function saveProfile(db: Database, change: PolicyChange & { profile: ProfilePart }) {
  const { profile } = change
  const write = { part: profile, shape: profilePartShape, columns: () => profile }
  return savePart(db, change, { kind: 'profile', key: profile.name, write })
}

export function saveSkill(db: Database, change: PolicyChange & { skill: SkillPart }) {
  const { skill } = change
  const columns = () => {
    const { toolGroups, ...rest } = skill
    return { ...rest, tool_groups: toolGroups }
  }
  return savePart(db, change, {
    kind: 'skill',
    key: skill.name,
    write: { part: skill, shape: skillPartShape, columns },
  })
}

/** A rule without an id is new, and comes after the others. */
export function saveRule(db: Database, change: PolicyChange & { id?: string; rule: RulePart }) {
  const { id, rule } = change
  const columns = () => {
    const { conditions, approval, mustMatch, mustNotMatch, ...rest } = rule
    return { ...rest, ...asJson({ conditions, approval, must_match: mustMatch, must_not_match: mustNotMatch }) }
  }
  const write = { part: rule, shape: rulePartShape, columns }
  return savePart(db, change, { kind: 'rule', key: id ?? newId('rul'), mustExist: id !== undefined, write })
}

/** `key` is a profile's or skill's name, or a rule's id. */
export function deletePolicyPart(
  db: Database,
  change: PolicyChange & { kind: 'profile' | 'rule' | 'skill'; key: string },
) {
  return savePart(db, change, { kind: change.kind, key: change.key, mustExist: true, write: null })
}

const tables = {
  settings: { table: 'policy_settings', key: 'workspace_id' },
  profile: { table: 'profiles', key: 'name' },
  rule: { table: 'rules', key: 'id' },
  skill: { table: 'skills', key: 'name' },
} as const

interface Part {
  kind: keyof typeof tables
  key: string
  mustExist?: boolean
  /** Null: it is deleted. */
  write: { part: unknown; shape: z.ZodType; columns(): Record<string, unknown> } | null
}

const asJson = (columns: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, JSON.stringify(value)]))

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
  const { table, key } = tables[part.kind]
  // The workspace's row puts all who change its policy in order: `check` sees what will be there, and two new parts
  // of one name meet here.
  const locked = await tx.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [change.workspaceId])
  if (!locked.rowCount) throw new Refused({ ok: false, reason: 'not_found' })
  const { rows } = await tx.query<{ before: unknown; updated_at: Date }>(
    `SELECT to_jsonb(p) - 'workspace_id' AS before, p.updated_at FROM ${table} p WHERE p.workspace_id = $1 AND p.${key} = $2`,
    [change.workspaceId, storableText(part.key)],
  )
  const found = rows[0]
  if (found?.updated_at.getTime() !== change.expectedUpdatedAt?.getTime())
    throw new Refused({ ok: false, reason: 'changed', updatedAt: found?.updated_at ?? null })
  if (!found && part.mustExist) throw new Refused({ ok: false, reason: 'not_found' })

  const where = { table, key, workspaceId: change.workspaceId, value: part.key }
  const updatedAt = part.write ? await upsertRow(tx, where, part.write.columns()) : await deleteRow(tx, where)
  const problems = change.check ? await checkWhole(tx, change.workspaceId, change.check) : []
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

async function checkWhole(
  tx: Queryable,
  workspaceId: string,
  check: NonNullable<PolicyChange['check']>,
): Promise<readonly string[]> {
  try {
    const policy = await loadPolicy({ pool: tx }, workspaceId)
    return policy ? check(policy) : []
  } catch (error) {
    // Another part cannot be read. Everything is refused until all of them are set right, one after the other.
    if (error instanceof Problem) return []
    throw error
  }
}

interface Where {
  table: string
  key: string
  workspaceId: string
  value: string
}

async function deleteRow(tx: Queryable, where: Where): Promise<Date> {
  const { rows } = await tx.query(
    `DELETE FROM ${where.table} WHERE workspace_id = $1 AND ${where.key} = $2 RETURNING updated_at`,
    [where.workspaceId, where.value],
  )
  return rows[0].updated_at
}

/** Inserts or updates the row. Its time always moves, by a millisecond at least: that is what the next one compares. */
async function upsertRow(tx: Queryable, where: Where, columns: Record<string, unknown>): Promise<Date> {
  const values: Record<string, unknown> = { workspace_id: where.workspaceId, [where.key]: where.value, ...columns }
  const names = Object.keys(values)
  const isRule = where.table === 'rules'
  const last = '(SELECT coalesce(max(position) + 1, 0) FROM rules WHERE workspace_id = $1)'
  const { rows } = await tx.query(
    `INSERT INTO ${where.table} AS p (${names.join(', ')}${isRule ? ', position' : ''})
     VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')}${isRule ? `, ${last}` : ''})
     ON CONFLICT (${isRule || where.key === 'workspace_id' ? where.key : `workspace_id, ${where.key}`}) DO UPDATE SET
       ${Object.keys(columns).map((name) => `${name} = excluded.${name}`)},
       updated_at = greatest(clock_timestamp(), p.updated_at + interval '1 millisecond')
     WHERE p.workspace_id = excluded.workspace_id
     RETURNING updated_at`,
    Object.values(values),
  )
  // The id of another workspace's rule: for this one, there is no such rule.
  if (!rows[0]) throw new Refused({ ok: false, reason: 'not_found' })
  return rows[0].updated_at
}
