// The rows of a policy, for the functions of this package that change it: a part saved alone (save-policy.ts), and a
// draft published as a whole (publish-policy.ts). Everything here runs inside their transactions.
import type { Queryable } from './client.ts'
import type { GroupPart, PolicySettingsPart, ProfilePart, RulePart, SkillPart } from './policy-shape.ts'

export const policyTables = {
  settings: { table: 'policy_settings', key: 'workspace_id' },
  profile: { table: 'profiles', key: 'name' },
  group: { table: 'tool_groups', key: 'name' },
  rule: { table: 'rules', key: 'id' },
  skill: { table: 'skills', key: 'name' },
} as const

const asJson = (columns: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, JSON.stringify(value)]))

export const columnsOf = {
  settings: ({ providers, hooks, approval, ...rest }: PolicySettingsPart) => ({
    ...rest,
    ...asJson({ providers, hooks, approval }),
  }),
  profile: (profile: ProfilePart) => ({ ...profile }),
  group: (group: GroupPart) => ({ ...group }),
  skill: ({ toolGroups, ...rest }: SkillPart) => ({ ...rest, tool_groups: toolGroups }),
  rule: ({ conditions, approval, mustMatch, mustNotMatch, ...rest }: RulePart) => ({
    ...rest,
    ...asJson({ conditions, approval, must_match: mustMatch, must_not_match: mustNotMatch }),
  }),
}

/**
 * The workspace's row puts all who change its policy or its draft in order: what they check is what will be there, and
 * two new parts of one name meet here. False: there is no such workspace.
 */
export async function lockPolicy(tx: Queryable, workspaceId: string): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId])
  return rowCount === 1
}

export interface PolicyRowPlace {
  kind: keyof typeof policyTables
  workspaceId: string
  key: string
}

export async function deletePolicyRow(tx: Queryable, place: PolicyRowPlace): Promise<Date | null> {
  const { table, key } = policyTables[place.kind]
  const { rows } = await tx.query(`DELETE FROM ${table} WHERE workspace_id = $1 AND ${key} = $2 RETURNING updated_at`, [
    place.workspaceId,
    place.key,
  ])
  return rows[0]?.updated_at ?? null
}

/**
 * Inserts or updates the row; a new rule comes after the others. Its time always moves, by a millisecond at least: that
 * is what the next one compares. Null: the id is another workspace's rule, so for this one there is none.
 */
export async function putPolicyRow(
  tx: Queryable,
  place: PolicyRowPlace,
  columns: Record<string, unknown>,
): Promise<Date | null> {
  const { table, key } = policyTables[place.kind]
  const values: Record<string, unknown> = { workspace_id: place.workspaceId, [key]: place.key, ...columns }
  const names = Object.keys(values)
  const isRule = place.kind === 'rule'
  const last = '(SELECT coalesce(max(position) + 1, 0) FROM rules WHERE workspace_id = $1)'
  const { rows } = await tx.query(
    `INSERT INTO ${table} AS p (${names.join(', ')}${isRule ? ', position' : ''})
     VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')}${isRule ? `, ${last}` : ''})
     ON CONFLICT (${isRule || key === 'workspace_id' ? key : `workspace_id, ${key}`}) DO UPDATE SET
       ${Object.keys(columns).map((name) => `${name} = excluded.${name}`)},
       updated_at = greatest(clock_timestamp(), p.updated_at + interval '1 millisecond')
     WHERE p.workspace_id = excluded.workspace_id
     RETURNING updated_at`,
    Object.values(values),
  )
  return rows[0]?.updated_at ?? null
}
