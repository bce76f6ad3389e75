// What makes an agent another one: publishing its draft, and going back to an older version, which becomes a new one so
// that history only grows. Runs that are queued or under way keep the instructions, model and budgets of the version
// that they began with; what the agent may do (policy and tools) counts for them at once (docs/decisions/0010).
import {
  type AgentConfiguration,
  checkConfiguration,
  configurationColumns,
  toConfiguration,
} from './agent-configuration.ts'
import { baseOf } from './agent-drafts.ts'
import { type AgentRefusal, type AgentState, lockAgent, refuse, type SeenAgent } from './agent-state.ts'
import { type Actor, recordAudit } from './audit.ts'
import { type CheckPolicy, checkWholePolicy } from './check-whole-policy.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { diffConfigurations, summarizeChanges } from './diff-configurations.ts'
import { attachAll, findMissingTools, insertVersion, publishDraftRow } from './publish-version.ts'
import { storableText } from './storable.ts'

export interface Publishing {
  workspaceId: string
  agentId: string
  actor: Actor
  /** Whoever publishes has seen the difference that this makes: it is refused where there is another one by now. */
  seen: SeenAgent
  note: string
  /** What is wrong with the workspace's policy as it would be: packages/tools knows. */
  check?: CheckPolicy
}

export type PublishResult =
  | { ok: true; number: number }
  | AgentRefusal
  /** There is nothing to publish: no draft, or none that differs; or the version is what holds already. */
  | { ok: false; reason: 'unchanged' }
  /** Tools that it names and that are not there any more. */
  | { ok: false; reason: 'missing_tools'; toolIds: string[] }
  | { ok: false; reason: 'invalid'; problems: string[] }

export function publishDraft(db: Database, input: Publishing): Promise<PublishResult> {
  return publishing(db, input, async (tx, state) => {
    const { draft } = state
    if (!draft) throw new Refused({ ok: false, reason: 'unchanged' })
    const { configuration } = draft
    if (state.published && !diffConfigurations(state.published.configuration, configuration).length)
      throw new Refused({ ok: false, reason: 'unchanged' })
    await refuseBroken(tx, input.workspaceId, configuration)
    const number = await publishDraftRow(tx, { ...state, draft }, { actor: input.actor, note: noteOf(input) })
    return { action: 'agent.publish', number, configuration, data: {} }
  })
}

export function rollBack(db: Database, input: Publishing & { to: number }): Promise<PublishResult> {
  return publishing(db, input, async (tx, state) => {
    const { rows } = await tx.query(
      `SELECT ${configurationColumns} FROM agent_versions v
       WHERE v.agent_id = $1 AND v.number = $2 AND v.published_at IS NOT NULL`,
      [state.agentId, input.to],
    )
    if (!rows[0]) throw new Refused({ ok: false, reason: 'not_found' })
    const configuration = toConfiguration(rows[0])
    if (!diffConfigurations(baseOf(state), configuration).length) throw new Refused({ ok: false, reason: 'unchanged' })
    await refuseBroken(tx, input.workspaceId, configuration)
    const number = await insertVersion(tx, input.workspaceId, state, {
      actor: input.actor,
      note: noteOf(input),
      configuration,
    })
    await attachAll(tx, state.agentId, configuration.attachments)
    return { action: 'agent.roll-back', number, configuration, data: { restores: input.to } }
  })
}

const noteOf = ({ note }: Publishing) => storableText(note.trim())

/** Undoes the transaction and becomes its result. */
class Refused extends Error {
  readonly result: Extract<PublishResult, { ok: false }>

  constructor(result: Extract<PublishResult, { ok: false }>) {
    super(result.reason)
    this.result = result
  }
}

interface Published {
  action: string
  number: number
  configuration: AgentConfiguration
  data: Record<string, unknown>
}

async function publishing(
  db: Database,
  input: Publishing,
  work: (tx: Queryable, state: AgentState) => Promise<Published>,
): Promise<PublishResult> {
  try {
    return await inTransaction(db, async (tx): Promise<PublishResult> => {
      // Whoever changes a workspace's policy takes its row first: a profile that this version names is not deleted in
      // the same moment.
      await tx.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [input.workspaceId])
      const state = await lockAgent(tx, input)
      const refusal = refuse(state, input.seen)
      if (refusal || !state) return refusal as AgentRefusal
      const { action, number, configuration, data } = await work(tx, state)
      const problems = await checkWholePolicy(tx, input.workspaceId, input.check)
      if (problems.length) throw new Refused({ ok: false, reason: 'invalid', problems: [...problems] })
      await recordAudit(tx, {
        workspaceId: input.workspaceId,
        actor: input.actor,
        action,
        subject: { kind: 'agent', id: state.agentId },
        data: {
          version: number,
          ...data,
          note: noteOf(input),
          ...summarizeChanges(diffConfigurations(baseOf(state), configuration)),
        },
      })
      return { ok: true, number }
    })
  } catch (error) {
    if (error instanceof Refused) return error.result
    throw error
  }
}

/** A version that could not be read, or that could not attach what it says, is not published. */
async function refuseBroken(tx: Queryable, workspaceId: string, configuration: AgentConfiguration): Promise<void> {
  const problems = checkConfiguration(configuration).map(({ path, message }) => `${path}: ${message}`)
  if (problems.length) throw new Refused({ ok: false, reason: 'invalid', problems })
  const toolIds = await findMissingTools(tx, workspaceId, configuration)
  if (toolIds.length) throw new Refused({ ok: false, reason: 'missing_tools', toolIds })
}
