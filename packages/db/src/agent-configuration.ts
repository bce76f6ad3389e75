// What an agent is: everything that a version of it holds, as one value. Drafts, published versions, the differences
// between two of them and the REST API all speak of this.
import { z } from 'zod'
import { approversShape } from './approvers.ts'
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import { agentPartShape } from './policy-shape.ts'
import { storableJson } from './storable.ts'

const dollars = z
  .number('Expected an amount of dollars.')
  .positive('Expected more than 0 dollars.')
  .max(1_000_000, 'Expected at most 1,000,000 dollars.')
  .optional()

const tokens = z
  .int('Expected a whole number of tokens.')
  .min(1, 'Expected at least 1 token.')
  .max(1_000_000_000_000, 'Expected at most 1,000,000,000,000 tokens.')
  .optional()

/** What is left out has no limit here. Tokens are those of input and output together. */
export const budgetsShape = z.strictObject({
  perRunUsd: dollars,
  perDayUsd: dollars,
  perPersonDayUsd: dollars,
  perRunTokens: tokens,
  perDayTokens: tokens,
  perPersonDayTokens: tokens,
  maxSteps: z
    .int('Expected a whole number of steps.')
    .min(1, 'Expected at least 1 step.')
    .max(1_000, 'Expected at most 1,000 steps.')
    .optional(),
})

const attachmentShape = z.strictObject({
  toolId: z.string().min(1),
  config: z.record(z.string(), z.unknown()).nullable(),
})

export const agentConfigurationShape = z.strictObject({
  /** A tier (`fast`, `balanced`, `deep`) or a model's own name. */
  model: z
    .string()
    .min(1, { error: 'Expected a model.', abort: true })
    .max(120, 'Expected at most 120 characters.')
    .regex(/^[\w.:/@-]+$/, 'Expected the name of a model: letters, digits and . _ : / @ -, without spaces.'),
  provider: z.string().min(1, 'Expected a provider.').max(80, 'Expected at most 80 characters.'),
  instructions: z
    .string()
    .max(limits.instructionsCharacters, `Expected at most ${limits.instructionsCharacters} characters.`),
  profile: z.string().min(1, 'Expected a profile.').max(80, 'Expected at most 80 characters.'),
  autonomy: agentPartShape.shape.autonomy,
  toolsAllow: agentPartShape.shape.allow,
  toolsDeny: agentPartShape.shape.deny,
  approvers: approversShape,
  /** How many of them must approve; null: as the workspace says. */
  approvalsRequired: z
    .int('Expected a whole number.')
    .min(1, 'Expected at least 1.')
    .max(20, 'Expected at most 20.')
    .nullable(),
  budgets: budgetsShape,
  attachments: z.array(attachmentShape).max(1_000, 'Expected at most 1,000 tools.'),
})

export type AgentConfiguration = z.infer<typeof agentConfigurationShape>
export type AgentAttachment = AgentConfiguration['attachments'][number]

/** What an agent begins with when nothing is said. */
export const blankConfiguration: AgentConfiguration = {
  model: 'balanced',
  provider: 'anthropic',
  instructions: '',
  profile: 'messaging',
  autonomy: 'standard',
  toolsAllow: [],
  toolsDeny: [],
  approvers: {},
  approvalsRequired: null,
  budgets: {},
  attachments: [],
}

/** A sentence for each thing that is wrong, by the path of the field. Empty: it can be saved. */
export interface ConfigurationProblem {
  /** `budgets.perRunUsd`; of a tool `attachments`. */
  path: string
  message: string
}

export function checkConfiguration(configuration: AgentConfiguration): ConfigurationProblem[] {
  const parsed = agentConfigurationShape.safeParse(configuration)
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  // What is stored must be what was shown: text that Postgres would change is refused.
  return Object.entries(configuration).flatMap(([path, value]) =>
    storableJson(value) === JSON.stringify(value)
      ? []
      : [{ path, message: 'Expected no characters that cannot be stored.' }],
  )
}

/** The columns of agent_versions `v` that hold a configuration, under its names. */
export const configurationColumns = `v.model, v.provider, v.instructions, v.profile, v.autonomy,
  v.tools_allow AS "toolsAllow", v.tools_deny AS "toolsDeny", v.approvers,
  v.approvals_required AS "approvalsRequired", v.budgets, v.attachments`

/** A configuration out of a row with those columns; what else the row has is left out. */
export function toConfiguration(row: AgentConfiguration): AgentConfiguration {
  const { model, provider, instructions, profile, autonomy, toolsAllow, toolsDeny } = row
  const { approvers, approvalsRequired, budgets, attachments } = row
  return {
    ...{ model, provider, instructions, profile, autonomy, toolsAllow, toolsDeny },
    ...{ approvers, approvalsRequired, budgets, attachments: inOrder(attachments) },
  }
}

/** The order of attachments means nothing; one order makes two equal sets equal texts. */
export const inOrder = (attachments: readonly AgentAttachment[]): AgentAttachment[] =>
  attachments
    .map(({ toolId, config }) => ({ toolId, config: config ?? null }))
    .sort((a, b) => (a.toolId < b.toolId ? -1 : a.toolId > b.toolId ? 1 : 0))

/** The same as columns and values of agent_versions, for a statement that writes them. */
export function configurationValues(configuration: AgentConfiguration): Record<string, unknown> {
  const { model, provider, instructions, profile, autonomy, toolsAllow, toolsDeny, approvalsRequired } = configuration
  return {
    ...{ model, provider, instructions, profile, autonomy },
    ...{ tools_allow: toolsAllow, tools_deny: toolsDeny, approvals_required: approvalsRequired },
    approvers: storableJson(configuration.approvers),
    budgets: storableJson(configuration.budgets),
    attachments: storableJson(inOrder(configuration.attachments)),
  }
}

/** What is attached now, as a configuration has it. A text that is no configuration counts as none. */
export async function readLiveAttachments(tx: Queryable, agentId: string): Promise<AgentAttachment[]> {
  const { rows } = await tx.query<{ toolId: string; config: string | null }>(
    'SELECT tool_id AS "toolId", config FROM agent_tools WHERE agent_id = $1 ORDER BY tool_id',
    [agentId],
  )
  return inOrder(rows.map(({ toolId, config }) => ({ toolId, config: parseConfig(config) })))
}

function parseConfig(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null
  } catch {
    return null // Written past attachTool: a run leaves such a tool out, and publishing sets it right.
  }
}
