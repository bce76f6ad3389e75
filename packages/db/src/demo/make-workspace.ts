// The rows that stand still: people, agents, tools, policy, secrets, channels. Their ids do not depend on the day, so
// a workspace that is made again keeps them, and the audit log of the one before still points at somebody.
import { createHash } from 'node:crypto'
import type { MasterKeys } from '../master-key.ts'
import type { Role } from '../roles.ts'
import { sealSecret } from '../secrets.ts'
import { type AgentState, makeDraft, makeState } from './agent-history.ts'
import { demoWorkspaceId, founding } from './demo-workspace-id.ts'
import { makePolicyDraft } from './make-policy-draft.ts'
import {
  type AgentSlug,
  agents,
  groups,
  people,
  places,
  profiles,
  rules,
  scopes,
  tools,
  workspace,
} from './northwind.ts'
import { Random, sha256 } from './random.ts'
import { bytes, Rows } from './rows.ts'

export interface DemoMember {
  id: string
  name: string
  role: Role
  disabled: boolean
  weight: number
}

/** Who and what the history is made of. */
export interface Directory {
  workspaceId: string
  members: DemoMember[]
  agents: Record<AgentSlug, { id: string; versions: { id: string; publishedAt: number }[] }>
  channels: Record<'slack' | 'telegram' | 'web', string>
}

export interface OwnerLogin {
  id: string
  email: string
  name: string | null
}

const day = 24 * 60 * 60 * 1000
const slackTeam = 'T04NORTHWND'

export const toolVersion = (name: string) => sha256(`${name}@1`).slice(0, 16)

export function makeWorkspace(
  now: number,
  keys: MasterKeys,
  logins: OwnerLogin[],
  /** The tools of the registry that every workspace has, as far as they are there yet: their ids by name. */
  builtins: ReadonlyMap<string, string>,
): { rows: Rows; directory: Directory } {
  const rows = new Rows()
  const random = new Random(2)
  const at = (daysAgo: number) => new Date(now - daysAgo * day).toISOString()
  const id = (prefix: string) => random.id(prefix, founding)
  const workspace_id = demoWorkspaceId

  const members: DemoMember[] = people.map((person, index) => {
    const member = {
      id: id('mem'),
      name: person.name,
      role: person.role,
      disabled: person.disabled ?? false,
      weight: person.weight,
    }
    const email = `${slug(person.name).replace('-', '.')}@northwind.example`
    rows.add('members', {
      id: member.id,
      workspace_id,
      name: person.name,
      email,
      role: person.role,
      disabled_at: person.disabled ? at(17) : null,
      created_at: at(110 - index * 5),
    })
    for (const kind of person.platforms)
      rows.add('identities', {
        id: id('idn'),
        workspace_id,
        member_id: member.id,
        kind,
        external_id:
          kind === 'slack'
            ? `${slackTeam}:U04${sha256(person.name).slice(0, 8).toUpperCase()}`
            : String(48_100_000 + index * 7919),
        login_id: null,
        display_name: person.name.split(' ')[0]?.toLowerCase(),
        created_at: at(100 - index * 5),
      })
    return member
  })
  for (const login of logins) {
    const own = new Random(createHash('sha256').update(login.id).digest().readUInt32BE())
    const member = {
      id: own.id('mem', founding),
      name: login.name ?? 'Owner',
      role: 'owner' as const,
      disabled: false,
      weight: 2,
    }
    members.push(member)
    rows.add('members', {
      id: member.id,
      workspace_id,
      name: member.name,
      email: login.email,
      role: 'owner',
      disabled_at: null,
      created_at: at(120),
    })
    rows.add('identities', {
      id: own.id('idn', founding),
      workspace_id,
      member_id: member.id,
      kind: 'console',
      external_id: login.id,
      login_id: login.id,
      display_name: null,
      created_at: at(120),
    })
  }
  const admin = members[1] as DemoMember

  // What everybody has is not there twice. All others belong to this workspace alone: no other one sees a demo's tools.
  const toolIds = new Map(builtins)
  for (const tool of tools) {
    if (builtins.has(tool.name)) continue
    const names = tool.args.split(' ').filter(Boolean)
    const toolId = `tool_${slug(workspace.name)}_${tool.name.replace(/[^a-z0-9]+/gi, '_')}`
    rows.add('tools', {
      id: toolId,
      name: tool.name,
      description: tool.description,
      parameters_schema: JSON.stringify({
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name.replace('!', ''), {}])),
        required: names.filter((name) => name.endsWith('!')).map((name) => name.replace('!', '')),
      }),
      handler_key: tool.name,
      category: tool.category,
      created_at: at(110),
    })
    toolIds.set(tool.name, toolId)
    rows.add('tool_details', {
      tool_id: toolId,
      workspace_id,
      source: tool.source,
      effect: tool.effect,
      // As a tool says it that says nothing else: a read is silent, a write is logged.
      hook: tool.hook ?? ({ read: 'silent', write: 'log', execute: 'confirm', send: 'confirm' } as const)[tool.effect],
      version: toolVersion(tool.name),
      required_secret_scopes: scopeOf(tool.name),
      gone_at: null,
      disabled_at: null,
      updated_at: at(40),
    })
  }
  const scopeIds = new Map<string, string>()
  for (const [index, scope] of scopes.entries()) {
    const scopeId = id('scp')
    scopeIds.set(scope.name, scopeId)
    rows.add('secret_scopes', {
      id: scopeId,
      workspace_id,
      name: scope.name,
      description: scope.description,
      created_at: at(100 - index),
    })
    for (const name of scope.secrets) {
      const secretId = id('sec')
      rows.add('secrets', {
        id: secretId,
        workspace_id,
        scope_id: scopeId,
        name,
        created_at: at(95 - index),
        last_used_at: null as string | null,
        last_used_by: null as string | null,
        last_used_for: null as string | null,
        deleted_at: null,
      })
      const versions = random.int(1, 3)
      for (let version = 1; version <= versions; version++) {
        const current = version === versions
        const sealed = sealSecret(keys, { workspaceId: workspace_id, name, version }, `demo-value-of-${name}`)
        rows.add('secret_versions', {
          secret_id: secretId,
          version,
          workspace_id,
          key_id: sealed.keyId,
          wrapped_key: current ? bytes(sealed.wrappedKey) : '\\x',
          ciphertext: current ? bytes(sealed.ciphertext) : '\\x',
          created_at: at(95 - index - version * 20),
          expires_at: current && name.endsWith('token') ? at(-60) : null,
          retired_at: current ? null : at(95 - index - (version + 1) * 20),
        })
      }
    }
  }

  const directory: Directory = {
    workspaceId: workspace_id,
    members,
    agents: {} as Directory['agents'],
    channels: {} as Directory['channels'],
  }
  for (const agent of agents) {
    const agentId = id('agt')
    rows.add('agents', {
      id: agentId,
      workspace_id,
      slug: agent.slug,
      name: agent.name,
      description: agent.description,
      archived_at: null,
      created_at: at(105),
    })
    const idOf = (name: string) => toolIds.get(name) as string
    const states = agent.notes.map((_, index) => makeState(agent, index, idOf))
    const columns = (state: AgentState) => ({
      model: state.model,
      provider: 'anthropic',
      instructions: state.instructions,
      profile: agent.profile,
      autonomy: state.autonomy,
      // What their profiles do not have and they work with.
      tools_allow: agent.allow ?? [],
      tools_deny: state.deny,
      approvers: { roles: ['approver'] },
      budgets: { perRunUsd: 2, perDayUsd: state.perDayUsd, maxSteps: 40 },
      attachments: state.attachments,
    })
    const versions = states.map((state, index) => {
      const publishedAt = now - (100 - index * Math.floor(96 / agent.notes.length)) * day
      const version = { id: id('agv'), publishedAt }
      rows.add('agent_versions', {
        id: version.id,
        workspace_id,
        agent_id: agentId,
        number: index + 1,
        published_at: new Date(publishedAt).toISOString(),
        published_by: admin.id,
        drafted_by: admin.id,
        ...columns(state),
        note: agent.notes[index],
        created_at: new Date(publishedAt - day).toISOString(),
        updated_at: new Date(publishedAt).toISOString(),
      })
      return version
    })
    const current = states.at(-1) as AgentState
    if (agent.draft)
      rows.add('agent_versions', {
        id: new Random(5).id('agv', founding),
        workspace_id,
        agent_id: agentId,
        number: states.length + 1,
        published_at: null,
        published_by: null,
        drafted_by: (members[2] as DemoMember).id,
        ...columns({ ...current, ...makeDraft(current, agent.draft, idOf) }),
        note: '',
        created_at: at(1),
        updated_at: new Date(now - 3_600_000).toISOString(),
      })
    for (const { toolId, config } of current.attachments)
      rows.add('agent_tools', {
        agent_id: agentId,
        tool_id: toolId,
        config: config && JSON.stringify(config),
        created_at: at(100),
      })
    for (const scope of agent.scopes) {
      rows.add('grants', {
        workspace_id,
        agent_id: agentId,
        scope_id: scopeIds.get(scope),
        granted_by: admin.id,
        created_at: at(90),
      })
      const used = agent.tools.find((name) => scopeOf(name)[0] === scope)
      const ofScope = rows.of('secrets').filter((secret) => secret.scope_id === scopeIds.get(scope))
      if (used && ofScope[0])
        Object.assign(ofScope[0], {
          last_used_at: at(random.int(1, 40) / 20),
          last_used_by: agentId,
          last_used_for: used,
        })
    }
    directory.agents[agent.slug] = { id: agentId, versions }
  }

  const channels = [
    { kind: 'slack', name: 'Northwind', external_id: slackTeam, agent: 'quill' },
    { kind: 'telegram', name: 'Northwind on the road', external_id: '7140055213', agent: 'harbor' },
    { kind: 'web', name: 'Web', external_id: 'web', agent: 'scout' },
  ] as const
  for (const channel of channels) {
    directory.channels[channel.kind] = id('chn')
    rows.add('channels', {
      id: directory.channels[channel.kind],
      workspace_id,
      kind: channel.kind,
      name: channel.name,
      external_id: channel.external_id,
      status: 'connected',
      status_detail: 'Demo data: nothing is sent.',
      settings: {},
      default_agent_id: directory.agents[channel.agent].id,
      created_at: at(104),
    })
  }
  for (const place of Object.values(places))
    if (place.channel !== 'web')
      rows.add('bindings', {
        workspace_id,
        channel_id: directory.channels[place.channel],
        place: place.id,
        agent_id: directory.agents[place.agent].id,
        created_at: at(103),
      })

  for (const profile of profiles) rows.add('profiles', { workspace_id, ...profile, updated_at: at(60) })
  for (const group of groups) rows.add('tool_groups', { workspace_id, ...group, updated_at: at(58) })
  rows.add('policy_settings', {
    workspace_id,
    // What each agent may do stands in its own profile; this only takes away.
    profile: 'full',
    allow: [],
    deny: ['mcp:github:merge_pull_request'],
    providers: {},
    hooks: tools.flatMap((tool) => (tool.hook ? [{ pattern: tool.name, hook: tool.hook }] : [])),
    updated_at: at(30),
  })
  for (const [position, rule] of rules.entries())
    rows.add('rules', {
      id: id('rul'),
      workspace_id,
      name: rule.name,
      position,
      pattern: rule.pattern,
      conditions: rule.conditions,
      decision: rule.decision,
      approval: rule.approvers ? { approvers: rule.approvers } : {},
      must_match: [
        {
          arguments: Object.fromEntries(rule.conditions.map(({ path, glob }) => [path, glob.replaceAll('*', ' x ')])),
        },
      ],
      must_not_match: rule.conditions.length
        ? [{ arguments: Object.fromEntries(rule.conditions.map(({ path }) => [path, 'ls'])) }]
        : [],
      enabled: true,
      note: rule.note,
      created_at: at(70 - position),
      updated_at: at(40 - position),
    })
  rows.add('skills', {
    workspace_id,
    name: 'incident-review',
    description: 'Writes the review of an incident from its thread.',
    instructions: 'Timeline first, then cause, then what we change.',
    tools: ['memory.search', 'google.docs'],
    tool_groups: [],
    updated_at: at(20),
  })
  const ruleId = id('rul')
  rows.add(
    'policy_drafts',
    makePolicyDraft(rows, { workspaceId: workspace_id, memberId: admin.id, ruleId, at: at(0.02) }),
  )
  rows.add('settings', { workspace_id, key: 'timezone', value: 'Europe/Berlin', updated_at: at(80) })
  rows.add('settings', { workspace_id, key: 'questionExpiryHours', value: 24, updated_at: at(80) })
  const hashed = () => bytes(createHash('sha256').update(random.hex(64)).digest())
  const keyOf = (member: DemoMember, name: string, scopes: string[], ages: Record<string, number | null>) =>
    rows.add('api_keys', {
      id: id('key'),
      workspace_id,
      member_id: member.id,
      name,
      prefix: `qm_${random.hex(8)}`,
      key_hash: hashed(),
      scopes,
      created_at: at(ages.created ?? 0),
      expires_at: ages.expires == null ? null : at(ages.expires),
      last_used_at: ages.used == null ? null : at(ages.used),
      revoked_at: ages.revoked == null ? null : at(ages.revoked),
    })
  keyOf(admin, 'Status page', ['runs', 'executions'], { created: 45, used: 0.02 })
  keyOf(admin, 'Nightly export', ['audit', 'executions'], { created: 61, expires: -29, used: 0.4 })
  keyOf(members[5] as DemoMember, 'Deploy hook', ['playground'], { created: 20, expires: -70, used: 3 })
  keyOf(members[6] as DemoMember, 'Notebook', ['runs'], { created: 96, expires: 6, used: 8 })
  keyOf(members[2] as DemoMember, 'First try', ['questions'], { created: 88, used: 87, revoked: 87 })
  const invited = [
    { email: 'ines.marques@northwind.example', role: 'member', days: 2 },
    { email: 'oskar.lund@northwind.example', role: 'approver', days: 9 },
  ]
  for (const { email, role, days } of invited)
    rows.add('invitations', {
      id: id('inv'),
      workspace_id,
      email,
      role,
      token_hash: hashed(),
      invited_by: admin.id,
      created_at: at(days),
      expires_at: at(days - 7),
      accepted_at: null,
      accepted_by: null,
      revoked_at: null,
    })
  const report = Buffer.from('week,depot,late_share\n45,Rostock,0.031\n46,Rostock,0.028\n')
  rows.add('virtual_files', {
    id: id('vfl'),
    workspace_id,
    conversation_id: null,
    agent_id: directory.agents.ledger.id,
    path: '/reports/late-share.csv',
    content: bytes(report),
    size: report.length,
    created_at: at(9),
    updated_at: at(2),
  })
  return { rows, directory }
}

/** Which secrets a tool needs, by its family. */
function scopeOf(tool: string): string[] {
  const families: [RegExp, string][] = [
    [/^(k8s|rollout)\.|^mcp:metrics:/, 'cluster'],
    [/^pager\./, 'pager'],
    [/^mcp:github:/, 'github'],
    [/^mcp:helpdesk:/, 'helpdesk'],
    [/^(sql|warehouse)\.|^mcp:warehouse:/, 'warehouse'],
    [/^google\./, 'google'],
    [/^email\./, 'mailbox'],
  ]
  return families.filter(([pattern]) => pattern.test(tool)).map(([, scope]) => scope)
}

const slug = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
