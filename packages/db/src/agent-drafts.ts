// The draft of an agent: a version that nobody published, of which a run knows nothing. There is at most one, it begins
// as what holds now, and everybody works on the same one. A draft that says what holds anyway is none.
import {
  type AgentAttachment,
  type AgentConfiguration,
  blankConfiguration,
  type ConfigurationProblem,
  checkConfiguration,
  configurationValues,
  inOrder,
} from './agent-configuration.ts'
import { type AgentRefusal, type AgentState, lockAgent, refuse, type SeenAgent, seenOf } from './agent-state.ts'
import { type Config, configProblems, describeUnavailable } from './attachments.ts'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { diffConfigurations, summarizeChanges } from './diff-configurations.ts'
import { newId } from './ids.ts'
import { findTool } from './tools.ts'

export interface AgentDraftChange {
  workspaceId: string
  agentId: string
  actor: Actor
  /** What the person saw. Left out by what does not depend on it: attaching one tool, detaching one. */
  seen?: SeenAgent
}

export type AgentDraftResult =
  /** How it is now. `draft`: false where nothing is left to publish. */
  | { ok: true; seen: SeenAgent; draft: boolean }
  | AgentRefusal
  | { ok: false; reason: 'invalid'; problems: ConfigurationProblem[] }

/** What the tool's own schema says about an attachment's configuration. `name` is canonical. */
export type ValidateConfig = (name: string, config: Config) => readonly string[]

/** Puts `change` into the draft; where there is none, it begins one. */
export function saveDraft(
  db: Database,
  input: AgentDraftChange & { change: Partial<AgentConfiguration>; validate: ValidateConfig },
): Promise<AgentDraftResult> {
  return changeDraft(db, input, async (tx, before) => {
    const after = { ...before, ...input.change }
    return { after, problems: await checkDraft(tx, input, before.attachments, after) }
  })
}

/** The draft of an agent that was just made, in its transaction. What is wrong with it; empty: it is written. */
export async function beginDraft(
  tx: Queryable,
  input: AgentDraftChange & { validate: ValidateConfig },
  configuration: AgentConfiguration,
): Promise<ConfigurationProblem[]> {
  const problems = await checkDraft(tx, input, [], configuration)
  if (problems.length) return problems
  await writeDraft(tx, input, { agentId: input.agentId, published: null, draft: null }, configuration)
  return []
}

async function checkDraft(
  tx: Queryable,
  input: AgentDraftChange & { validate: ValidateConfig },
  before: readonly AgentAttachment[],
  after: AgentConfiguration,
): Promise<ConfigurationProblem[]> {
  const problems = checkConfiguration(after)
  // What has another shape than it should have cannot be looked at further.
  if (problems.length) return problems
  return [
    ...(await checkMembers(tx, input.workspaceId, after)),
    ...(await checkAttachments(tx, input, before, after.attachments)),
  ]
}

/** Attaches a tool in the draft, or gives an attached one another configuration. `toolId` may be a name or an alias. */
export function attachInDraft(
  db: Database,
  input: AgentDraftChange & { toolId: string; config?: Config | null; validate: ValidateConfig },
): Promise<AgentDraftResult> {
  return changeDraft(db, input, async (tx, before) => {
    const tool = await findTool({ pool: tx }, input.toolId, input)
    if (!tool) return { problems: [{ path: 'toolId', message: 'There is no such tool in this workspace.' }] }
    const others = before.attachments.filter(({ toolId }) => toolId !== tool.id)
    const attachments = inOrder([...others, { toolId: tool.id, config: input.config ?? null }])
    return {
      after: { ...before, attachments },
      problems: await checkAttachments(tx, input, before.attachments, attachments),
    }
  })
}

export function detachInDraft(db: Database, input: AgentDraftChange & { toolId: string }): Promise<AgentDraftResult> {
  return changeDraft(db, input, async (_tx, before) => ({
    after: { ...before, attachments: before.attachments.filter(({ toolId }) => toolId !== input.toolId) },
    problems: [],
  }))
}

/** What it said is gone; the audit says that there was one. */
export function discardDraft(db: Database, input: AgentDraftChange & { seen: SeenAgent }): Promise<AgentDraftResult> {
  return inTransaction(db, async (tx): Promise<AgentDraftResult> => {
    const state = await lockAgent(tx, input)
    const refusal = refuse(state, input.seen)
    if (refusal || !state) return refusal as AgentRefusal
    if (!state.draft) return { ok: true, seen: seenOf(state), draft: false }
    if (!state.published)
      return {
        ok: false,
        reason: 'invalid',
        problems: [{ path: '', message: 'This draft is all there is of the agent. Publish it, or archive the agent.' }],
      }
    await tx.query('DELETE FROM agent_versions WHERE id = $1', [state.draft.id])
    const changes = diffConfigurations(state.published.configuration, state.draft.configuration)
    await auditDraft(tx, input, 'agent.discard-draft', { ...summarizeChanges(changes) })
    return { ok: true, seen: seenOf({ ...state, draft: null }), draft: false }
  })
}

/** The state that a draft begins with. */
export const baseOf = (state: AgentState): AgentConfiguration =>
  state.published?.configuration ?? { ...blankConfiguration, attachments: state.liveAttachments }

type Changed = { after?: AgentConfiguration; problems: ConfigurationProblem[] }

function changeDraft(
  db: Database,
  input: AgentDraftChange,
  change: (tx: Queryable, before: AgentConfiguration) => Promise<Changed>,
): Promise<AgentDraftResult> {
  return inTransaction(db, async (tx): Promise<AgentDraftResult> => {
    const state = await lockAgent(tx, input)
    const refusal = refuse(state, input.seen)
    if (refusal || !state) return refusal as AgentRefusal
    const before = state.draft?.configuration ?? baseOf(state)
    const { after, problems } = await change(tx, before)
    if (problems.length || !after) return { ok: false, reason: 'invalid', problems }
    const changes = diffConfigurations(before, after)
    if (!changes.length) return { ok: true, seen: seenOf(state), draft: state.draft !== null }
    const isNeeded = !state.published || diffConfigurations(state.published.configuration, after).length > 0
    const updatedAt = isNeeded ? await writeDraft(tx, input, state, after) : await dropDraft(tx, state)
    await auditDraft(tx, input, 'agent.save-draft', summarizeChanges(changes))
    return { ok: true, seen: { version: state.published?.number ?? 0, draftUpdatedAt: updatedAt }, draft: isNeeded }
  })
}

async function dropDraft(tx: Queryable, { draft }: AgentState): Promise<null> {
  if (draft) await tx.query('DELETE FROM agent_versions WHERE id = $1', [draft.id])
  return null
}

async function writeDraft(
  tx: Queryable,
  { workspaceId, actor }: AgentDraftChange,
  { agentId, published, draft }: Pick<AgentState, 'agentId' | 'published' | 'draft'>,
  configuration: AgentConfiguration,
): Promise<Date> {
  const draftedBy = actor.kind === 'member' ? actor.id : null
  const values = { ...configurationValues(configuration), drafted_by: draftedBy }
  const names = Object.keys(values)
  const { rows } = draft
    ? await tx.query(
        `UPDATE agent_versions SET ${names.map((name, index) => `${name} = $${index + 2}`)},
           updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
         WHERE id = $1 AND published_at IS NULL RETURNING updated_at`,
        [draft.id, ...Object.values(values)],
      )
    : await tx.query(
        `INSERT INTO agent_versions (id, workspace_id, agent_id, number, updated_at, ${names})
         VALUES ($1, $2, $3, $4, clock_timestamp(), ${names.map((_, index) => `$${index + 5}`)}) RETURNING updated_at`,
        [newId('agv'), workspaceId, agentId, (published?.number ?? 0) + 1, ...Object.values(values)],
      )
  return rows[0].updated_at
}

/** Whom an approver rule names has to be somebody of the workspace: else nobody could answer. */
async function checkMembers(
  tx: Queryable,
  workspaceId: string,
  { approvers }: AgentConfiguration,
): Promise<ConfigurationProblem[]> {
  const ids = approvers.memberIds ?? []
  if (!ids.length) return []
  const { rows } = await tx.query('SELECT id FROM members WHERE workspace_id = $1 AND id = ANY($2)', [workspaceId, ids])
  const known = new Set(rows.map(({ id }) => id))
  return ids
    .filter((id) => !known.has(id))
    .map((id) => ({ path: 'approvers', message: `There is no member ${id} in this workspace.` }))
}

/** Only what is new or changed is looked at: what is attached already stays, also where it cannot be used now. */
async function checkAttachments(
  tx: Queryable,
  { workspaceId, validate }: { workspaceId: string; validate: ValidateConfig },
  before: readonly AgentAttachment[],
  after: readonly AgentAttachment[],
): Promise<ConfigurationProblem[]> {
  const problems: ConfigurationProblem[] = []
  const ids = after.map(({ toolId }) => toolId)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice) problems.push({ path: 'attachments', message: `${twice} is attached twice.` })
  for (const { toolId, config } of after) {
    const was = before.find((each) => each.toolId === toolId)
    if (was && JSON.stringify(was.config) === JSON.stringify(config)) continue
    const tool = await findTool({ pool: tx }, toolId, { workspaceId })
    if (tool?.id !== toolId)
      problems.push({ path: 'attachments', message: `There is no tool ${toolId} in this workspace.` })
    else if (tool.unavailable && !was)
      problems.push({
        path: 'attachments',
        message: `${tool.name} cannot be attached: ${describeUnavailable(tool.unavailable)}.`,
      })
    else
      problems.push(
        ...configProblems(config, (checked) => validate(tool.name, checked)).map((message) => ({
          path: 'attachments',
          message: `${tool.name}: ${message}`,
        })),
      )
  }
  return problems
}

const auditDraft = (tx: Queryable, input: AgentDraftChange, action: string, data: Record<string, unknown>) =>
  recordAudit(tx, {
    workspaceId: input.workspaceId,
    actor: input.actor,
    action,
    subject: { kind: 'agent', id: input.agentId },
    data,
  })
