// A workspace's policy as one piece of data, as it is edited: its settings, profiles, groups, skills, and rules in their
// order.
// What agents say of themselves is not part of it; that is published with the agent.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Queryable } from './client.ts'
import type { StoredPolicy } from './policy.ts'
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
import { Problem } from './problem.ts'

export type DraftRule = RulePart & { id: string }

export interface PolicyContent {
  settings: PolicySettingsPart
  profiles: ProfilePart[]
  groups: GroupPart[]
  skills: SkillPart[]
  rules: DraftRule[]
}

const named = { profiles: 'name', groups: 'name', skills: 'name' } as const

/** The order in which a policy is written down: by name where the order says nothing. */
const inOrder = <Part extends { name: string }>(parts: readonly Part[]): Part[] =>
  [...parts].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))

export const policyContentShape: z.ZodType<PolicyContent> = z
  .strictObject({
    settings: settingsPartShape,
    profiles: z.array(profilePartShape).max(200, 'Expected at most 200 profiles.'),
    groups: z.array(groupPartShape).max(200, 'Expected at most 200 groups.'),
    skills: z.array(skillPartShape).max(500, 'Expected at most 500 skills.'),
    rules: z.array(rulePartShape.extend({ id: z.string().min(1).max(64) })).max(1_000, 'Expected at most 1,000 rules.'),
  })
  .superRefine((content, context) => {
    const twice = (list: readonly { name: string; id?: string }[], key: 'name' | 'id', path: string) => {
      const seen = new Set<string>()
      for (const each of list) {
        const value = String(each[key])
        if (seen.has(value)) context.addIssue({ code: 'custom', path: [path], message: `There are two of “${value}”.` })
        seen.add(value)
      }
    }
    for (const [path, key] of Object.entries(named)) twice(content[path as keyof typeof named], key, path)
    twice(content.rules, 'name', 'rules')
    twice(content.rules, 'id', 'rules')
  })

/** Equal as JSON: the order of keys says nothing. */
export const sameContent = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))

export interface LiveContent {
  content: PolicyContent
  revision: number
}

/** One statement, so one moment. Null when there is no such workspace; a Problem when a part cannot be read. */
export async function readPolicyContent(db: { pool: Queryable }, workspaceId: string): Promise<LiveContent | null> {
  const { rows } = await db.pool.query<{ revision: string; content: Partial<PolicyContent> }>(contentStatement, [
    workspaceId,
  ])
  const row = rows[0]
  if (!row) return null
  const content = { ...row.content, settings: row.content.settings ?? emptySettings }
  const problems = problemsOf(policyContentShape, content)
  if (problems.length)
    throw new Problem(
      `The policy cannot be read (${problems.slice(0, 5).join('; ')}).`,
      'Correct it in the database. Until then every tool call of the workspace is refused.',
    )
  const { settings, profiles, groups, skills, rules } = content as PolicyContent
  return {
    content: { settings, profiles: inOrder(profiles), groups: inOrder(groups), skills: inOrder(skills), rules },
    revision: Number(row.revision),
  }
}

/** The policy that would hold if this content were live: with the agents as they are. */
export function withContent(live: StoredPolicy, content: PolicyContent): StoredPolicy {
  return {
    ...live,
    config: {
      ...live.config,
      ...content.settings,
      profiles: Object.fromEntries(content.profiles.map(({ name, ...profile }) => [name, profile])),
      groups: Object.fromEntries(content.groups.map(({ name, ...group }) => [name, group])),
      skills: Object.fromEntries(
        content.skills.map(({ name, tools, toolGroups }) => [name, tools.length ? { tools } : { toolGroups }]),
      ),
      rules: content.rules.map(({ decision, ...rule }) => ({ ...rule, verdict: decision })),
    },
  }
}

/** As loadPolicy has it for a workspace that never saved any. */
export const emptySettings: PolicySettingsPart = {
  profile: 'messaging',
  allow: [],
  deny: [],
  providers: {},
  hooks: [],
  approval: {},
}

const list = (object: string, source: string, order: string) =>
  `(SELECT coalesce(json_agg(json_build_object(${object}) ORDER BY ${order}), '[]') FROM ${source})`

const contentStatement = `SELECT coalesce(r.revision, 0) AS revision, json_build_object(
  'settings', (SELECT json_build_object('profile', s.profile, 'allow', s.allow, 'deny', s.deny, 'providers', s.providers,
    'hooks', s.hooks, 'approval', s.approval) FROM policy_settings s WHERE s.workspace_id = w.id),
  'profiles', ${list(
    `'name', p.name, 'description', p.description, 'tools', p.tools, 'reads', p.reads`,
    'profiles p WHERE p.workspace_id = w.id',
    'p.name',
  )},
  'groups', ${list(
    `'name', g.name, 'description', g.description, 'tools', g.tools`,
    'tool_groups g WHERE g.workspace_id = w.id',
    'g.name',
  )},
  'skills', ${list(
    `'name', k.name, 'description', k.description, 'instructions', k.instructions, 'tools', k.tools,
     'toolGroups', k.tool_groups`,
    'skills k WHERE k.workspace_id = w.id',
    'k.name',
  )},
  'rules', ${list(
    `'id', u.id, 'name', u.name, 'pattern', u.pattern, 'conditions', u.conditions, 'decision', u.decision,
     'approval', u.approval, 'mustMatch', u.must_match, 'mustNotMatch', u.must_not_match, 'enabled', u.enabled,
     'note', u.note`,
    'rules u WHERE u.workspace_id = w.id',
    'u.position, u.id',
  )}) AS content
  FROM workspaces w LEFT JOIN policy_revisions r ON r.workspace_id = w.id WHERE w.id = $1`
