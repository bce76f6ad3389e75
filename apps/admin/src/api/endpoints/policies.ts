import { z } from 'zod'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { ApiError } from '../api-error.ts'
import { endpoint } from '../endpoint.ts'
import { notFound } from '../shapes.ts'

const patterns = z.array(z.string())
const open = z.record(z.string(), z.unknown())

const policyShape = z
  .strictObject({
    revision: z.int().describe('Grows with every change.'),
    profile: z.string().describe('Of the workspace.'),
    allow: patterns,
    deny: patterns,
    approval: open.describe('Who answers where neither a rule nor the agent says.'),
    hooks: z.array(open).describe('How matching tools run: confirm, log or silent.'),
    providers: z.record(z.string(), open).describe('Layers by the model’s provider.'),
    profiles: z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        tools: patterns,
        reads: patterns.describe('Of these tools only what reads.'),
      }),
    ),
    groups: z
      .array(z.strictObject({ name: z.string(), description: z.string(), tools: patterns }))
      .describe('The workspace’s own; a pattern names one as group:<name>.'),
    skills: z.array(open),
    rules: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        pattern: z.string(),
        conditions: z.array(open),
        decision: z.enum(['allow', 'ask', 'deny']),
        approval: open,
        must_match: z.array(open),
        must_not_match: z.array(open),
        enabled: z.boolean(),
        note: z.string(),
      }),
    ),
  })
  .meta({ id: 'Policy' })

export const getPolicy = endpoint({
  area: 'Policies',
  role: 'viewer',
  scope: 'policies',
  method: 'GET',
  path: '/api/policies',
  summary: 'Get the workspace’s policy',
  description:
    'Its settings, profiles, groups and rules as they hold now. The layers of agents are read with the agents.',
  answer: { status: 200, description: 'The policy.', schema: policyShape },
  errors: { CONFLICT: 'A part of it cannot be read as it is stored, so every tool call is refused.' },
  work: async ({ caller: { workspaceId } }) => {
    const stored = await data.loadPolicy(runtime().db, workspaceId).catch((error) => {
      throw error instanceof data.Problem ? new ApiError('CONFLICT', `${error.message} ${error.fix}`) : error
    })
    if (!stored) throw notFound('policy')
    const { profile, allow, deny, approval, hooks, providers, profiles, groups, skills, rules } = stored.config
    return {
      revision: stored.revision,
      ...{ profile, allow, deny, approval: { ...approval }, hooks },
      providers: Object.fromEntries(Object.entries(providers).map(([name, layer]) => [name, { ...layer }])),
      profiles: Object.entries(profiles).map(([name, each]) => ({ name, ...each })),
      groups: Object.entries(groups).map(([name, each]) => ({ name, ...each })),
      skills: Object.entries(skills).map(([name, each]) => ({ name, ...each })),
      rules: rules.map(({ verdict, mustMatch, mustNotMatch, approval: ruleApproval, ...rule }) => ({
        ...rule,
        decision: verdict,
        approval: { ...ruleApproval },
        must_match: mustMatch,
        must_not_match: mustNotMatch,
      })),
    }
  },
})
