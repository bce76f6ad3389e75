// An agent itself: that it is there, what it is called, and that it is put away. What it is made of are its versions
// (agent-drafts.ts, publish-agent.ts).
import { z } from 'zod'
import { type AgentConfiguration, blankConfiguration, type ConfigurationProblem } from './agent-configuration.ts'
import { beginDraft, type ValidateConfig } from './agent-drafts.ts'
import { lockAgent } from './agent-state.ts'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { type AgentPlace, listPlacesOfAgent } from './places-of-agent.ts'
import { storableText } from './storable.ts'

export const agentNameShape = z
  .string('Expected a name.')
  .trim()
  .min(1, 'Expected a name.')
  .max(80, 'Expected at most 80 characters.')
  .refine((name) => storableText(name) === name, 'Expected no characters that cannot be stored.')
export const agentDescriptionShape = z.string().trim().max(500, 'Expected at most 500 characters.')

export interface NewAgent {
  workspaceId: string
  name: string
  description?: string
  /** What is not said is as in blankConfiguration. A copy is the configuration of another agent. */
  configuration?: Partial<AgentConfiguration>
  actor: Actor
  validate: ValidateConfig
}

export type CreateAgentResult =
  | { ok: true; agentId: string; slug: string }
  | { ok: false; reason: 'not_found' }
  | { ok: false; reason: 'name_taken' }
  | { ok: false; reason: 'invalid'; problems: ConfigurationProblem[] }

/** A new agent, with a draft and nothing else: it answers nobody until somebody publishes it. */
export async function createAgent(db: Database, input: NewAgent): Promise<CreateAgentResult> {
  const wrong = checkNames(input)
  if (wrong.length) return { ok: false, reason: 'invalid', problems: wrong }
  const [name, description] = [input.name.trim(), (input.description ?? '').trim()]
  return undone(db, async (tx) => {
    const taken = await isTaken(tx, input.workspaceId, name, null)
    if (taken !== false) throw new Undo({ ok: false, reason: taken === null ? 'not_found' : 'name_taken' })
    const agentId = newId('agt')
    const slug = await findFreeSlug(tx, input.workspaceId, name)
    await tx.query('INSERT INTO agents (id, workspace_id, slug, name, description) VALUES ($1, $2, $3, $4, $5)', [
      ...[agentId, input.workspaceId, slug, name, description],
    ])
    const configuration = { ...blankConfiguration, ...input.configuration }
    const problems = await beginDraft(tx, { ...input, agentId }, configuration)
    if (problems.length) throw new Undo({ ok: false, reason: 'invalid', problems })
    await auditAgent(tx, { ...input, agentId }, 'agent.create', { name, slug })
    return { ok: true, agentId, slug }
  })
}

export type ChangeAgentResult =
  /** `changed`: false where it was so already. */
  | { ok: true; changed: boolean }
  | { ok: false; reason: 'not_found' }
  | { ok: false; reason: 'name_taken' }
  | { ok: false; reason: 'invalid'; problems: ConfigurationProblem[] }

interface AgentChange {
  workspaceId: string
  agentId: string
  actor: Actor
}

/** What people know it by. It counts at once, in every place. */
export async function renameAgent(
  db: Database,
  input: AgentChange & { name: string; description: string },
): Promise<ChangeAgentResult> {
  const wrong = checkNames(input)
  if (wrong.length) return { ok: false, reason: 'invalid', problems: wrong }
  const [name, description] = [input.name.trim(), input.description.trim()]
  return undone<ChangeAgentResult>(db, async (tx) => {
    const taken = await isTaken(tx, input.workspaceId, name, input.agentId)
    if (taken) throw new Undo({ ok: false, reason: 'name_taken' })
    const state = await lockAgent(tx, input)
    if (!state) throw new Undo({ ok: false, reason: 'not_found' })
    const { rows } = await tx.query('SELECT name, description FROM agents WHERE id = $1', [input.agentId])
    const before = rows[0]
    if (before.name === name && before.description === description) return { ok: true, changed: false }
    await tx.query('UPDATE agents SET name = $2, description = $3 WHERE id = $1', [input.agentId, name, description])
    await auditAgent(tx, input, 'agent.rename', { before, after: { name, description } })
    return { ok: true, changed: true }
  })
}

export type ArchiveResult =
  | Extract<ChangeAgentResult, { ok: true } | { reason: 'not_found' }>
  /** It answers in places that the person did not know of: these are all of them. */
  | { ok: false; reason: 'in_use'; places: AgentPlace[] }

/**
 * Puts the agent away: it answers nobody any more, its history stays, and it can be restored. A place that is bound to it
 * falls to the channel's default; where it is the default itself, nobody answers. So whoever does this names the places
 * that they were told of (`knownPlaces`, keys of AgentPlace).
 */
export function archiveAgent(db: Database, input: AgentChange & { knownPlaces: string[] }): Promise<ArchiveResult> {
  return inTransaction(db, async (tx): Promise<ArchiveResult> => {
    const state = await lockAgent(tx, input)
    if (!state) return { ok: false, reason: 'not_found' }
    if (state.archived) return { ok: true, changed: false }
    const places = await listPlacesOfAgent({ pool: tx }, input)
    if (places.some(({ key }) => !input.knownPlaces.includes(key))) return { ok: false, reason: 'in_use', places }
    await tx.query('UPDATE agents SET archived_at = clock_timestamp() WHERE id = $1', [state.agentId])
    await auditAgent(tx, input, 'agent.archive', { name: state.name, places: places.map(({ key }) => key) })
    return { ok: true, changed: true }
  })
}

/** As it was when it was archived; it answers again wherever it is still bound. */
export function restoreAgent(db: Database, input: AgentChange): Promise<ArchiveResult> {
  return inTransaction(db, async (tx): Promise<ArchiveResult> => {
    const state = await lockAgent(tx, input)
    if (!state) return { ok: false, reason: 'not_found' }
    if (!state.archived) return { ok: true, changed: false }
    await tx.query('UPDATE agents SET archived_at = NULL WHERE id = $1', [state.agentId])
    await auditAgent(tx, input, 'agent.restore', { name: state.name })
    return { ok: true, changed: true }
  })
}

/** Undoes the transaction and becomes its result. */
class Undo extends Error {
  readonly result: unknown

  constructor(result: Exclude<CreateAgentResult | ChangeAgentResult, { ok: true }>) {
    super(result.reason)
    this.result = result
  }
}

async function undone<Result>(db: Database, work: (tx: Queryable) => Promise<Result>): Promise<Result> {
  try {
    return await inTransaction(db, work)
  } catch (error) {
    if (error instanceof Undo) return error.result as Result
    throw error
  }
}

function checkNames({ name, description }: { name: string; description?: string }): ConfigurationProblem[] {
  const parsed = z.object({ name: agentNameShape, description: agentDescriptionShape }).safeParse({
    name,
    description: description ?? '',
  })
  if (parsed.success) return []
  return parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
}

/** Null: no such workspace, whose row puts those who name agents in order. Two of one name nobody could tell apart. */
async function isTaken(
  tx: Queryable,
  workspaceId: string,
  name: string,
  exceptId: string | null,
): Promise<boolean | null> {
  const locked = await tx.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId])
  if (!locked.rowCount) return null
  const { rowCount } = await tx.query(
    'SELECT 1 FROM agents WHERE workspace_id = $1 AND lower(name) = lower($2) AND id IS DISTINCT FROM $3 LIMIT 1',
    [workspaceId, name, exceptId],
  )
  return rowCount === 1
}

/** What people type after `/agent`: out of the name, with a number where it is taken. */
async function findFreeSlug(tx: Queryable, workspaceId: string, name: string): Promise<string> {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  const slug = plain.slice(0, 40).replace(/^-|-$/g, '') || 'agent'
  const { rows } = await tx.query('SELECT slug FROM agents WHERE workspace_id = $1', [workspaceId])
  const taken = new Set(rows.map((row) => row.slug))
  if (!taken.has(slug)) return slug
  for (let number = 2; ; number++) if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`
}

const auditAgent = (tx: Queryable, input: AgentChange, action: string, data: Record<string, unknown>) =>
  recordAudit(tx, {
    workspaceId: input.workspaceId,
    actor: input.actor,
    action,
    subject: { kind: 'agent', id: input.agentId },
    data,
  })
