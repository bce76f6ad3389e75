// What a run began with, or came to by some step, as the beginning of a playground session of somebody's own: to run it
// again, or to go on from there in another way. The run itself and its conversation stay as they are.
//
// - The transcript is copied up to the cut, results of tools included: no tool is run again. The copies belong to no
//   run, so nobody settles their calls. A call that had no result by then gets one that says so, because the model's API
//   wants each use of a tool answered.
// - What strangers wrote comes along in the transcript, so the fork is tainted by it from its first step.
// - No approval comes along: a lease was given for another conversation. Nor do the tools' own notes and virtual files.
// - Recordings that were sent by then are copied; a reference that was never followed becomes a line that says so.
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { ensureWebChannel } from './playground.ts'
import { Problem } from './problem.ts'
import { appendEvent } from './run-events.ts'
import { announceQueued, currentVersion } from './runs.ts'
import { storableJson, storableText } from './storable.ts'

export interface Fork {
  workspaceId: string
  runId: string
  /** Whose session it becomes. */
  memberId: string
  /** Left out: up to what the run was asked, which runs it again. */
  cut?: { step: number; side: 'before' | 'after' }
  /** What the member says after it, as content blocks. */
  content?: unknown
}

/**
 * `runId` is null where there is nothing to go on with: the transcript ends with the agent's last words, and nobody has
 * said anything after them. Null when there is no such run in the workspace, or the member is not one of it.
 */
export async function forkRun(
  db: Database,
  fork: Fork,
): Promise<{ conversationId: string; runId: string | null } | null> {
  const channelId = await ensureWebChannel(db, fork.workspaceId)
  return inTransaction(db, async (tx) => {
    const origin = await findOrigin(tx, fork)
    if (!origin) return null
    const upTo = await findCut(tx, origin, fork)
    const conversationId = newId('cnv')
    const prefix = fork.cut ? 'Fork' : 'Again'
    const title = storableText(`${prefix}: ${origin.title}`)
    await tx.query(
      `INSERT INTO conversations (id, workspace_id, channel_id, agent_id, external_key, title, opened_by, forked_from,
         next_message, taint)
       VALUES ($1, $2, $3, $4, $1, $5, $6, $7, $8, ARRAY(${taintBefore}))`,
      [
        conversationId,
        fork.workspaceId,
        channelId,
        origin.agentId,
        title,
        fork.memberId,
        fork.runId,
        upTo + 1,
        origin.conversationId,
        // Whatever the run read after the cut is not in the copy.
        fork.cut ? fork.cut.step - (fork.cut.side === 'before' ? 1 : 0) : 0,
        limits.pageRows,
      ],
    )
    await copyMessages(tx, { from: origin.conversationId, to: conversationId, upTo })
    await copyRecordings(tx, { from: origin.conversationId, to: conversationId, upTo })
    const last = await answerOpenUses(tx, conversationId)
    const goesOn = fork.content !== undefined || last !== 'assistant'
    const runId = goesOn ? await queue(tx, { ...fork, conversationId, title }) : null
    await recordAudit(tx, {
      workspaceId: fork.workspaceId,
      actor: { kind: 'member', id: fork.memberId },
      action: fork.cut ? 'run.fork' : 'run.repeat',
      subject: { kind: 'run', id: fork.runId },
      data: { conversationId, runId, upToMessage: upTo, ...(fork.cut ?? {}) },
    })
    return { conversationId, runId }
  })
}

interface Origin {
  conversationId: string
  agentId: string
  title: string
}

async function findOrigin(tx: Queryable, fork: Fork): Promise<Origin | null> {
  const { rows } = await tx.query(
    `SELECT r.conversation_id, r.agent_id, coalesce(nullif(r.title, ''), nullif(c.title, ''), 'Untitled') AS title,
       c.deleted_at IS NOT NULL AS deleted, a.archived_at IS NOT NULL AS archived, a.name
     FROM runs r JOIN conversations c ON c.id = r.conversation_id JOIN agents a ON a.id = r.agent_id
     JOIN members m ON m.workspace_id = r.workspace_id AND m.id = $3 AND m.disabled_at IS NULL
     WHERE r.id = $1 AND r.workspace_id = $2 FOR SHARE OF c`,
    [fork.runId, fork.workspaceId, fork.memberId],
  )
  const row = rows[0]
  if (!row) return null
  if (row.deleted)
    throw new Problem('The conversation of this run was deleted.', 'What was said in it is gone; start a new session.')
  if (row.archived) throw new Problem(`${row.name} is archived and answers no more.`, 'Ask another agent.')
  return { conversationId: row.conversation_id, agentId: row.agent_id, title: row.title }
}

/** The number of the last message that is copied. */
async function findCut(tx: Queryable, origin: Origin, { runId, cut }: Fork): Promise<number> {
  const { rows } = await tx.query<{ number: number; seen: number | null; results: number | null }>(
    `SELECT a.number, (a.turn ->> 'seen')::int AS seen, (
       SELECT min(t.number) FROM messages t WHERE t.conversation_id = a.conversation_id AND t.number > a.number
         AND t.role = 'tool' AND t.run_id = $2 AND t.number < coalesce((
           SELECT min(n.number) FROM messages n WHERE n.conversation_id = a.conversation_id AND n.number > a.number
             AND n.role = 'assistant'), 2147483647)) AS results
     FROM messages a WHERE a.conversation_id = $1 AND a.run_id = $2 AND a.role = 'assistant'
     ORDER BY a.number OFFSET $3 LIMIT 1`,
    [origin.conversationId, runId, (cut?.step ?? 1) - 1],
  )
  const step = rows[0]
  if (step && cut?.side === 'after') return step.results ?? step.number
  // As far as the model had read when it took the step.
  if (step) return Math.min(step.seen ?? step.number - 1, step.number - 1)
  if (cut && !(cut.step === 1 && cut.side === 'before'))
    throw new Problem(`This run has no step ${cut.step}.`, 'Choose one of the steps that it took.')
  const asked = await tx.query(
    // A fork that was begun without a word has only what was copied.
    `SELECT coalesce(max(number) FILTER (WHERE run_id = $2 AND role = 'user'), max(number) FILTER (WHERE run_id IS NULL)) AS number
     FROM messages WHERE conversation_id = $1`,
    [origin.conversationId, runId],
  )
  const number: number | null = asked.rows[0].number
  if (number === null)
    throw new Problem('Nobody said anything to begin this run with.', 'Write to its agent in the playground instead.')
  return number
}

/** $9 the conversation, $10 the last step that is copied, $11 the most sources. Other runs' reading counts as a whole. */
const taintBefore = `
  SELECT DISTINCT source FROM (
    SELECT unnest(t.taint) AS source FROM tool_calls t
    WHERE t.conversation_id = $9 AND t.taint <> '{}' AND NOT (t.run_id = $7 AND t.step > $10)
    UNION ALL SELECT unnest(c.taint) FROM conversations c WHERE c.id = $9
  ) AS read ORDER BY source LIMIT $11`

async function copyMessages(tx: Queryable, copy: { from: string; to: string; upTo: number }): Promise<void> {
  await tx.query(
    `INSERT INTO messages (conversation_id, number, workspace_id, role, content, turn, member_id, created_at)
     SELECT $2, number, workspace_id, role, CASE
         WHEN jsonb_path_exists(content, '$[*] ? (@.type == "reference")') THEN (
           SELECT jsonb_agg(CASE block ->> 'type' WHEN 'reference' THEN $4::jsonb ELSE block END ORDER BY nth)
           FROM jsonb_array_elements(content) WITH ORDINALITY AS b (block, nth))
         ELSE content END, turn, member_id, created_at
     FROM (SELECT * FROM messages WHERE conversation_id = $1 AND number <= $3 ORDER BY number DESC LIMIT $5) AS copied`,
    [
      copy.from,
      copy.to,
      copy.upTo,
      storableJson({ type: 'text', text: '[Something that was sent here and never read; it did not come along.]' }),
      limits.transcriptMessages,
    ],
  )
}

/** Those that came before the first message that is not copied. */
async function copyRecordings(tx: Queryable, copy: { from: string; to: string; upTo: number }): Promise<void> {
  await tx.query(
    `INSERT INTO chat_files (id, workspace_id, conversation_id, event_id, name, mime_type, content, received_at)
     SELECT 'file_' || md5($2 || f.id), f.workspace_id, $2, f.event_id, f.name, f.mime_type, f.content, f.received_at FROM chat_files f
     WHERE f.conversation_id = $1 AND f.received_at <= coalesce(
       (SELECT m.created_at FROM messages m WHERE m.conversation_id = $1 AND m.number > $3 ORDER BY m.number LIMIT 1), 'infinity')`,
    [copy.from, copy.to, copy.upTo],
  )
}

/** Whose word is the last one, once every use of a tool in the last answer has a result. */
async function answerOpenUses(tx: Queryable, conversationId: string): Promise<'user' | 'assistant' | 'tool' | null> {
  const { rows } = await tx.query<{ role: 'user' | 'assistant' | 'tool'; content: unknown }>(
    'SELECT role, content FROM messages WHERE conversation_id = $1 ORDER BY number DESC LIMIT 1',
    [conversationId],
  )
  const last = rows[0]
  if (last?.role !== 'assistant' || !Array.isArray(last.content)) return last?.role ?? null
  const results = last.content.flatMap((block: { type?: unknown; id?: unknown } | null) =>
    block?.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, is_error: true, content: notRun }] : [],
  )
  if (!results.length) return 'assistant'
  await tx.query(
    `WITH numbered AS (
       UPDATE conversations SET next_message = next_message + 1 WHERE id = $1 RETURNING id, workspace_id, next_message - 1 AS number
     )
     INSERT INTO messages (conversation_id, number, workspace_id, role, content)
     SELECT id, number, workspace_id, 'tool', $2::jsonb FROM numbered`,
    [conversationId, storableJson(results)],
  )
  return 'tool'
}

const notRun = 'This call has no result here: the conversation was forked before it had one. It may run elsewhere.'

async function queue(
  tx: Queryable,
  run: { conversationId: string; memberId: string; content?: unknown; title: string },
): Promise<string> {
  const { rows } = await tx.query(
    `WITH run AS (
       INSERT INTO runs (id, workspace_id, conversation_id, agent_id, agent_version_id, trigger, requested_by, title)
       SELECT $2, c.workspace_id, c.id, c.agent_id, ${currentVersion('c.agent_id')}, 'message', $3, $4
       FROM conversations c WHERE c.id = $1 RETURNING id AS run_id, workspace_id, conversation_id
     ), numbered AS (
       UPDATE conversations c SET next_message = c.next_message + 1 FROM run
       WHERE c.id = run.conversation_id AND $5::jsonb IS NOT NULL RETURNING c.next_message - 1 AS number, run.*
     ), message AS (
       INSERT INTO messages (conversation_id, number, workspace_id, run_id, role, content, member_id)
       SELECT conversation_id, number, workspace_id, run_id, 'user', $5::jsonb, $3 FROM numbered
     ), event AS (${appendEvent('run', 'run-queue', `'{"reason": "fork"}'::jsonb`)}
     ), said AS (${appendEvent('numbered', 'message', `jsonb_build_object('number', number, 'role', 'user')`)})
     SELECT run_id, ${announceQueued} FROM run`,
    [
      run.conversationId,
      newId('run'),
      run.memberId,
      run.title,
      run.content === undefined ? null : storableJson(run.content),
    ],
  )
  return rows[0].run_id
}
