// A run that works for another one: its parent waits for it like for a person, and reads its last words.
//
//   startChildRun ──▶ a conversation of its own, with the task as its message, and a queued run
//   its end wakes the parent (finish-run.ts); the parent's end, however it comes, stops its children
//
// A tool call that waits for children is `asking` without a question: delegateToolCall ──▶ resumeDelegatedCall.
import { type Claim, heldRun } from './claim.ts'
import { type Database, inTransaction } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { appendEvent } from './run-events.ts'
import { announceQueued, currentVersion, type RunStatus } from './runs.ts'
import { storableJson, storableText } from './storable.ts'
import { taintOf } from './taint.ts'

export interface NewChildRun {
  /** What makes it one and the same child when the step is replayed after a crash: the id of the tool call. */
  key: string
  /** Another agent of the workspace; by default the parent's own. */
  agentId?: string
  /** The task, as content blocks. */
  content: unknown
  title?: string
}

/**
 * Starts a child, or finds it where it was started before. Null: the claim is lost, the agent is not one of the
 * workspace or is archived, or there are too many children, or too many generations above it.
 */
export async function startChildRun(
  db: Database,
  claim: Claim,
  child: NewChildRun,
): Promise<{ runId: string; created: boolean } | null> {
  const externalKey = `run:${claim.runId}:${storableText(child.key)}`
  const { rows } = await db.pool.query(
    `WITH RECURSIVE held AS (${heldRun}), line AS (
       SELECT r.id, r.parent_run_id, 1 AS depth FROM runs r JOIN held ON r.id = held.run_id
       UNION ALL SELECT p.id, p.parent_run_id, line.depth + 1 FROM runs p JOIN line ON p.id = line.parent_run_id
     ), known AS (
       SELECT r.id AS run_id FROM conversations c JOIN held ON held.workspace_id = c.workspace_id
       JOIN runs r ON r.conversation_id = c.id AND r.parent_run_id = $1
       WHERE c.external_key = $3 AND c.channel_id = (SELECT channel_id FROM conversations WHERE id = held.conversation_id)
     ), agent AS (
       SELECT a.id AS agent_id, held.workspace_id, held.conversation_id FROM held
       JOIN agents a ON a.id = coalesce($4, held.agent_id) AND a.workspace_id = held.workspace_id AND a.archived_at IS NULL
       WHERE NOT EXISTS (SELECT 1 FROM known) AND (SELECT max(depth) FROM line) < $9
         AND (SELECT count(*) FROM runs c WHERE c.parent_run_id = $1) < $10
     ), conversation AS (
       INSERT INTO conversations (id, workspace_id, channel_id, agent_id, external_key, title, next_message)
       SELECT $5, agent.workspace_id, p.channel_id, agent.agent_id, $3, $6, 2
       FROM agent JOIN conversations p ON p.id = agent.conversation_id
       RETURNING id, workspace_id, agent_id
     ), run AS (
       INSERT INTO runs (id, workspace_id, conversation_id, agent_id, agent_version_id, trigger, requested_by, parent_run_id, title)
       SELECT $7, c.workspace_id, c.id, c.agent_id, ${currentVersion('c.agent_id')}, 'parent', parent.requested_by, $1, $6
       FROM conversation c JOIN runs parent ON parent.id = $1
       RETURNING id AS run_id, workspace_id, conversation_id
     ), message AS (
       INSERT INTO messages (conversation_id, number, workspace_id, run_id, role, content)
       SELECT conversation_id, 1, workspace_id, run_id, 'user', $8::jsonb FROM run
     ), event AS (${appendEvent('run', 'run-queue', `'{"reason": "parent"}'::jsonb`)})
     SELECT run_id, true AS created, ${announceQueued}::text FROM run
     UNION ALL SELECT run_id, false, NULL FROM known`,
    [
      claim.runId,
      claim.claimNumber,
      externalKey,
      child.agentId ?? null,
      newId('cnv'),
      storableText(child.title ?? ''),
      newId('run'),
      storableJson(child.content),
      limits.runGenerations,
      limits.childRuns,
    ],
  )
  return rows[0] ? { runId: rows[0].run_id, created: rows[0].created } : null
}

/**
 * running → asking, and a child for each of its tasks, together or not at all. `too-many`: nothing was written, because
 * one of them could not be started (see startChildRun). Null: the call does not run under this claim.
 */
export async function delegateToolCall(
  db: Database,
  claim: Claim,
  delegated: { toolCallId: string; children: readonly Omit<NewChildRun, 'key'>[] },
): Promise<'delegated' | 'too-many' | null> {
  const { toolCallId, children } = delegated
  const refused = new Error('a child could not be started')
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `WITH held AS (${heldRun})
       UPDATE tool_calls t SET status = 'asking', claimed_by = NULL FROM held
       WHERE t.id = $3 AND t.run_id = held.run_id AND t.status = 'running' AND t.claimed_by = held.claim_name`,
      [claim.runId, claim.claimNumber, toolCallId],
    )
    if (!rowCount) return null
    const inside = { ...db, pool: tx } as unknown as Database
    for (const [index, child] of children.entries())
      if (!(await startChildRun(inside, claim, { ...child, key: `${toolCallId}:${index}` }))) throw refused
    return 'delegated' as const
  }).catch((error) => {
    if (error === refused) return 'too-many' as const
    throw error
  })
}

/** The body of an EXISTS: runs that the call `t` started. */
const childrenOfCall = `SELECT 1 FROM runs c JOIN conversations k ON k.id = c.conversation_id
  WHERE c.parent_run_id = t.run_id AND starts_with(k.external_key, 'run:' || t.run_id || ':' || t.id || ':')`

/** asking → approved, once all that its children were to do is over. False: it is not, or somebody else did this. */
export async function resumeDelegatedCall(db: Database, claim: Claim, toolCallId: string): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `WITH held AS (${heldRun})
     UPDATE tool_calls t SET status = 'approved' FROM held
     WHERE t.id = $3 AND t.run_id = held.run_id AND t.status = 'asking' AND EXISTS (${childrenOfCall})
       AND NOT EXISTS (${childrenOfCall} AND c.status IN ('queued', 'running', 'waiting'))
       AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.tool_call_id = t.id AND q.status = 'open')`,
    [claim.runId, claim.claimNumber, toolCallId],
  )
  return rowCount === 1
}

export interface ChildRun {
  runId: string
  /** Of its NewChildRun; of one that a tool call started `<the call's id>:<the number of the task>`. */
  key: string
  status: RunStatus
  title: string
  errorMessage: string | null
  /** The content of the last thing it said; null while it has said nothing. */
  lastWords: unknown
  /** Where strangers' content that it read came from: what it says may be theirs. */
  taint: string[]
}

/** The children of a run, oldest first, with what each has to say. */
export async function readChildRuns(db: Database, parentRunId: string): Promise<ChildRun[]> {
  const { rows } = await db.pool.query(
    `SELECT r.id AS "runId", substr(k.external_key, length('run:' || $1::text || ':') + 1) AS key, r.status, r.title,
       r.error_message AS "errorMessage", (
       SELECT m.content FROM messages m WHERE m.conversation_id = r.conversation_id AND m.role = 'assistant'
       ORDER BY m.number DESC LIMIT 1) AS "lastWords", ARRAY(${taintOf('r.conversation_id', '$2')}) AS taint
     FROM runs r JOIN conversations k ON k.id = r.conversation_id
     WHERE r.parent_run_id = $1 ORDER BY r.queued_at, r.id LIMIT $2`,
    [parentRunId, limits.pageRows],
  )
  return rows
}
