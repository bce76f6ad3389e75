import type { AgentConfiguration, AgentDetail, AgentVersion, ListedAgent } from '@quartermaster/db'
import { z } from 'zod'
import { data } from '../../data.ts'
import { pageOf } from '../../paging.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import {
  idShape,
  iso,
  isoOrNull,
  limitShape,
  namedShape,
  nextShape,
  notFound,
  pageQuery,
  readAfter,
  textShape,
  timeShape,
} from '../shapes.ts'

const autonomy = z.enum(['supervised', 'standard', 'autonomous'])

const agentFields = {
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  created_at: timeShape,
  archived_at: timeShape.nullable(),
} as const

const partsOf = (agent: Pick<ListedAgent, 'id' | 'slug' | 'name' | 'description' | 'createdAt' | 'archivedAt'>) => ({
  id: agent.id,
  slug: agent.slug,
  name: agent.name,
  description: agent.description,
  created_at: iso(agent.createdAt),
  archived_at: isoOrNull(agent.archivedAt),
})

const agentShape = z
  .strictObject({
    ...agentFields,
    published: z
      .strictObject({ number: z.int(), model: z.string(), profile: z.string(), autonomy })
      .nullable()
      .describe('What it is now; null: nobody has published it.'),
    has_draft: z.boolean(),
    tools: z.int().describe('How many are attached; 0: it has the default set.'),
    last_run: z.strictObject({ id: z.string(), status: z.string(), queued_at: timeShape }).nullable(),
  })
  .meta({ id: 'Agent' })

const renderAgent = (agent: ListedAgent): z.input<typeof agentShape> => ({
  ...partsOf(agent),
  published: agent.published,
  has_draft: agent.hasDraft,
  tools: agent.tools,
  last_run: agent.lastRun && {
    id: agent.lastRun.id,
    status: agent.lastRun.status,
    queued_at: iso(agent.lastRun.queuedAt),
  },
})

const configurationShape = z
  .strictObject({
    model: z.string().describe('A tier (fast, balanced, deep) or a model’s own name.'),
    provider: z.string(),
    instructions: z.string(),
    profile: z.string().describe('Of the policy.'),
    autonomy,
    tools_allow: z.array(z.string()),
    tools_deny: z.array(z.string()),
    approvers: z.record(z.string(), z.unknown()).describe('Who may answer its questions.'),
    approvals_required: z.int().nullable().describe('How many must approve; null: as the workspace says.'),
    budgets: z.strictObject({
      per_run_usd: z.number().optional(),
      per_day_usd: z.number().optional(),
      per_person_day_usd: z.number().optional(),
      per_run_tokens: z.int().optional(),
      per_day_tokens: z.int().optional(),
      per_person_day_tokens: z.int().optional(),
      max_steps: z.int().optional(),
    }),
    tools: z.array(z.strictObject({ tool_id: z.string(), config: z.record(z.string(), z.unknown()).nullable() })),
  })
  .meta({ id: 'AgentConfiguration' })

const renderConfiguration = (configuration: AgentConfiguration): z.input<typeof configurationShape> => {
  const { model, provider, instructions, profile, autonomy: level, budgets } = configuration
  return {
    ...{ model, provider, instructions, profile, autonomy: level },
    tools_allow: configuration.toolsAllow,
    tools_deny: configuration.toolsDeny,
    approvers: { ...configuration.approvers },
    approvals_required: configuration.approvalsRequired,
    budgets: {
      ...(budgets.perRunUsd === undefined ? {} : { per_run_usd: budgets.perRunUsd }),
      ...(budgets.perDayUsd === undefined ? {} : { per_day_usd: budgets.perDayUsd }),
      ...(budgets.perPersonDayUsd === undefined ? {} : { per_person_day_usd: budgets.perPersonDayUsd }),
      ...(budgets.perRunTokens === undefined ? {} : { per_run_tokens: budgets.perRunTokens }),
      ...(budgets.perDayTokens === undefined ? {} : { per_day_tokens: budgets.perDayTokens }),
      ...(budgets.perPersonDayTokens === undefined ? {} : { per_person_day_tokens: budgets.perPersonDayTokens }),
      ...(budgets.maxSteps === undefined ? {} : { max_steps: budgets.maxSteps }),
    },
    tools: configuration.attachments.map(({ toolId, config }) => ({ tool_id: toolId, config })),
  }
}

const versionShape = z
  .strictObject({
    number: z.int(),
    published_at: timeShape.nullable(),
    published_by: namedShape.nullable(),
    note: z.string(),
    configuration: configurationShape,
  })
  .meta({ id: 'AgentVersion' })

const renderVersion = (version: AgentVersion): z.input<typeof versionShape> => ({
  number: version.number,
  published_at: isoOrNull(version.publishedAt),
  published_by: version.publishedBy,
  note: version.note,
  configuration: renderConfiguration(version.configuration),
})

const agentDetailShape = z
  .strictObject({
    ...agentFields,
    published: versionShape.nullable().describe('What holds now, with what is attached now.'),
    draft: z
      .strictObject({ configuration: configurationShape, updated_at: timeShape, by: namedShape.nullable() })
      .nullable(),
  })
  .meta({ id: 'AgentDetail' })

const renderDetail = (agent: AgentDetail): z.input<typeof agentDetailShape> => ({
  ...partsOf(agent),
  published: agent.published && renderVersion(agent.published),
  draft: agent.draft && {
    configuration: renderConfiguration(agent.draft.configuration),
    updated_at: iso(agent.draft.updatedAt),
    by: agent.draft.by,
  },
})

const access = { area: 'Agents', role: 'viewer', scope: 'agents', method: 'GET' } as const
const agentParams = { agentId: idShape.describe('The agent’s id.') }

export const listAgents = endpoint({
  ...access,
  path: '/api/agents',
  summary: 'List agents',
  description: 'The oldest first.',
  query: z.strictObject({
    q: textShape.optional().describe('Part of the name or the description, in any case.'),
    archived: z.enum(['true', 'false']).default('false').describe('Those that were put away.'),
    ...pageQuery,
  }),
  answer: {
    status: 200,
    description: 'A page of agents.',
    schema: z.strictObject({ agents: z.array(agentShape), next: nextShape }),
  },
  work: async ({ caller: { workspaceId }, query: { q, archived, limit, after } }) => {
    const found = await data.listAgents(runtime().db, {
      workspaceId,
      archived: archived === 'true',
      after: readAfter(after),
      limit: limit + 1,
      ...(q === undefined ? {} : { search: q }),
    })
    const { rows, next } = pageOf(found, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    return { agents: rows.map(renderAgent), next }
  },
})

export const getAgent = endpoint({
  ...access,
  path: '/api/agents/{agentId}',
  summary: 'Get an agent',
  description: 'With what it is now, and its draft where there is one.',
  params: z.strictObject(agentParams),
  answer: { status: 200, description: 'The agent.', schema: agentDetailShape },
  work: async ({ caller: { workspaceId }, params: { agentId } }) => {
    const agent = await data.readAgent(runtime().db, { workspaceId, agentId })
    if (!agent) throw notFound('agent')
    return renderDetail(agent)
  },
})

export const listAgentVersions = endpoint({
  ...access,
  path: '/api/agents/{agentId}/versions',
  summary: 'List an agent’s published versions',
  description: 'The newest first. A published version never changes.',
  params: z.strictObject(agentParams),
  query: z.strictObject({
    limit: limitShape,
    after: z
      .string()
      .regex(/^\d{1,9}$/, 'expected the `next` of the page before.')
      .optional()
      .describe('The `next` of the page before.'),
  }),
  answer: {
    status: 200,
    description: 'A page of versions.',
    schema: z.strictObject({ versions: z.array(versionShape), next: nextShape }),
  },
  work: async ({ caller: { workspaceId }, params: { agentId }, query: { limit, after } }) => {
    const { db } = runtime()
    if (!(await data.readAgent(db, { workspaceId, agentId }))) throw notFound('agent')
    const before = after === undefined ? null : Number(after)
    const found = await data.listAgentVersions(db, { workspaceId, agentId, before, limit: limit + 1 })
    const page = found.slice(0, limit)
    return {
      versions: page.map(renderVersion),
      next: found.length > limit ? String(page.at(-1)?.number) : null,
    }
  },
})
