// A workspace's policy, read as one: settings, profiles, rules, skills, and every agent's layer, as plain data for
// packages/tools to compile. It is read whole or not at all. What does not parse is an error that names the row: a
// rule that was skipped because of a slip in it would allow what somebody meant to forbid.
import type { z } from 'zod'
import type { Queryable } from './client.ts'
import {
  type Approval,
  agentPartShape,
  groupPartShape,
  problemsOf,
  profilePartShape,
  type RulePart,
  rulePartShape,
  settingsPartShape,
  skillPartShape,
} from './policy-shape.ts'
import { Problem } from './problem.ts'

/** NOTIFY channel; the payload is a PolicyNotice. Trigger policy_changed sends it, whoever changes the policy. */
export const policyChannel = 'qm_policy'

export interface PolicyNotice {
  workspaceId: string
  revision: number
}

/** One layer: a profile's tools, plus `allow`, minus `deny`. */
export interface PolicyLayer {
  profile?: string
  allow?: string[]
  deny?: string[]
  approval?: Approval
}

export type PolicyRule = Omit<RulePart, 'decision'> & { id: string; verdict: RulePart['decision'] }

export interface StoredPolicy {
  workspaceId: string
  /** Grows with every change; two reads with one revision are equal. */
  revision: number
  config: {
    profile: string
    allow: string[]
    deny: string[]
    /** The tools that are switched off here, by canonical name. */
    disabled: string[]
    profiles: Record<string, { description: string; tools: string[]; reads: string[] }>
    /** Made in the console; the built-in ones are not among them. */
    groups: Record<string, { description: string; tools: string[] }>
    /** By agent id. */
    agents: Record<string, PolicyLayer>
    providers: Record<string, PolicyLayer>
    skills: Record<string, { tools: string[] } | { toolGroups: string[] }>
    hooks: z.infer<typeof settingsPartShape>['hooks']
    rules: PolicyRule[]
    approval: Approval
  }
  /** What else the newest published version of each agent says about its calls, by agent id. */
  agents: ReadonlyMap<string, { autonomy: 'supervised' | 'standard' | 'autonomous'; provider: string }>
}

/** 0 for a workspace whose policy was never written. */
export async function policyRevision(db: { pool: Queryable }, workspaceId: string): Promise<number> {
  const { rows } = await db.pool.query('SELECT revision FROM policy_revisions WHERE workspace_id = $1', [workspaceId])
  return Number(rows[0]?.revision ?? 0)
}

/** One statement, so one moment. Null when there is no such workspace; a Problem when a part cannot be read. */
export async function loadPolicy(db: { pool: Queryable }, workspaceId: string): Promise<StoredPolicy | null> {
  const { rows } = await db.pool.query<PolicyRow>(policyStatement, [workspaceId])
  const row = rows[0]
  if (!row) return null
  const settings = parse(settingsPartShape, row.settings ?? defaultSettings, 'The policy settings')
  const profiles = row.profiles.map((part) => parse(profilePartShape, part, `The profile "${part.name}"`))
  const groups = row.groups.map((part) => parse(groupPartShape, part, `The group "${part.name}"`))
  const skills = row.skills.map((part) => parse(skillPartShape, part, `The skill "${part.name}"`))
  const agents = row.agents.map(({ id, version }) => ({
    id,
    version: version === null ? null : parse(agentPartShape, version, `The newest version of the agent ${id}`),
  }))
  const rules = row.rules.map(({ id, ...part }): PolicyRule => {
    const { decision, ...rule } = parse(rulePartShape, part, `The rule "${part.name}" (${id})`)
    return { id, ...rule, verdict: decision }
  })
  return {
    workspaceId,
    revision: Number(row.revision),
    config: {
      ...settings,
      disabled: row.disabled,
      profiles: Object.fromEntries(profiles.map(({ name, ...profile }) => [name, profile])),
      groups: Object.fromEntries(groups.map(({ name, ...group }) => [name, group])),
      // An agent that nobody published has no layer to narrow it, so it has nothing.
      agents: Object.fromEntries(
        agents.map(({ id, version }) => [id, version ? layerOfAgent(version) : { deny: ['*'] }]),
      ),
      skills: Object.fromEntries(
        skills.map(({ name, tools, toolGroups }) => [name, tools.length ? { tools } : { toolGroups }]),
      ),
      rules,
    },
    agents: new Map(
      agents.flatMap(({ id, version }) =>
        version ? [[id, { autonomy: version.autonomy, provider: version.provider }] as const] : [],
      ),
    ),
  }
}

/** An agent's own layer, out of what its version says. */
export function layerOfAgent(
  version: Pick<z.infer<typeof agentPartShape>, 'profile' | 'allow' | 'deny' | 'approvers' | 'required'>,
): PolicyLayer {
  const { profile, allow, deny, approvers, required } = version
  const approval = {
    ...(Object.keys(approvers).length ? { approvers } : {}),
    ...(required === null ? {} : { required }),
  }
  return { profile, allow, deny, ...(Object.keys(approval).length ? { approval } : {}) }
}

const defaultSettings: z.infer<typeof settingsPartShape> = {
  profile: 'messaging',
  allow: [],
  deny: [],
  providers: {},
  hooks: [],
  approval: {},
}

function parse<Shape extends z.ZodType>(shape: Shape, part: unknown, what: string): z.infer<Shape> {
  const problems = problemsOf(shape, part)
  if (problems.length)
    throw new Problem(
      `${what} cannot be read (${problems.slice(0, 5).join('; ')}).`,
      'Correct it in the policy. Until then every tool call of the workspace is refused.',
    )
  return part as z.infer<Shape>
}

type Named = Record<string, unknown> & { name: string }

interface PolicyRow {
  revision: string
  settings: unknown
  disabled: string[]
  profiles: Named[]
  groups: Named[]
  rules: (Named & { id: string })[]
  skills: Named[]
  agents: { id: string; version: unknown }[]
}

const list = (object: string, source: string, order: string) =>
  `(SELECT coalesce(json_agg(json_build_object(${object}) ORDER BY ${order}), '[]') FROM ${source})`

// Archived agents are among them: one without a layer would be one that nothing narrows.
const policyStatement = `SELECT coalesce(r.revision, 0) AS revision,
  (SELECT json_build_object('profile', s.profile, 'allow', s.allow, 'deny', s.deny, 'providers', s.providers,
    'hooks', s.hooks, 'approval', s.approval) FROM policy_settings s WHERE s.workspace_id = w.id) AS settings,
  (SELECT coalesce(json_agg(t.handler_key ORDER BY t.handler_key), '[]') FROM tool_switches o JOIN tools t ON t.id = o.tool_id
    WHERE o.workspace_id = w.id) AS disabled,
  ${list(
    `'name', p.name, 'description', p.description, 'tools', p.tools, 'reads', p.reads`,
    'profiles p WHERE p.workspace_id = w.id',
    'p.name',
  )} AS profiles,
  ${list(
    `'name', g.name, 'description', g.description, 'tools', g.tools`,
    'tool_groups g WHERE g.workspace_id = w.id',
    'g.name',
  )} AS groups,
  ${list(
    `'id', u.id, 'name', u.name, 'pattern', u.pattern, 'conditions', u.conditions, 'decision', u.decision,
     'approval', u.approval, 'mustMatch', u.must_match, 'mustNotMatch', u.must_not_match, 'enabled', u.enabled,
     'note', u.note`,
    'rules u WHERE u.workspace_id = w.id',
    'u.position, u.id',
  )} AS rules,
  ${list(
    `'name', k.name, 'description', k.description, 'instructions', k.instructions, 'tools', k.tools,
     'toolGroups', k.tool_groups`,
    'skills k WHERE k.workspace_id = w.id',
    'k.name',
  )} AS skills,
  ${list(
    `'id', a.id, 'version', v.version`,
    `agents a LEFT JOIN LATERAL (
       SELECT json_build_object('profile', n.profile, 'autonomy', n.autonomy, 'provider', n.provider,
         'allow', n.tools_allow, 'deny', n.tools_deny, 'approvers', n.approvers, 'required', n.approvals_required)
         AS version
       FROM agent_versions n WHERE n.agent_id = a.id AND n.published_at IS NOT NULL ORDER BY n.number DESC LIMIT 1
     ) v ON true WHERE a.workspace_id = w.id`,
    'a.id',
  )} AS agents
  FROM workspaces w LEFT JOIN policy_revisions r ON r.workspace_id = w.id WHERE w.id = $1`
