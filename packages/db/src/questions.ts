// Something a person must answer. The buttons are only a view of this row.
//
//   askQuestion ──▶ open ── answerQuestion: enough approved, or one denied ──▶ answered
//                    ├───── expireQuestions: nobody answered in time ────────▶ expired     (counts as deny)
//                    │        or, once, if it says whom to ask next: stays open for them, for as long again
//                    └───── withdrawQuestions, or the run ends ──────────────▶ withdrawn   (its call is denied)
//
// A question closes once, and closing it settles its tool call and wakes its run in the same transaction. Every change
// holds the run's row, taken first (see runs.ts on locks), so a parking run and an answer never miss each other.
import { type Approvers, approversShape } from './approvers.ts'
import { type Actor, recordAudit } from './audit.ts'
import { type Claim, heldRun } from './claim.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { appendEvent } from './run-events.ts'
import { wakeRun } from './runs.ts'
import { storableJson, storableText } from './storable.ts'

export type QuestionKind = 'confirmation' | 'choice' | 'multi_choice' | 'text' | 'form' | 'plan' | 'budget'
export type QuestionStatus = 'open' | 'answered' | 'expired' | 'withdrawn'
/** To a question that is not a yes or no, an answer approves and its value says what was chosen or written. */
export type Verdict = 'approve' | 'deny'

export interface NewQuestion {
  /** The call that waits for it; a question about the run itself (a budget) has none. */
  toolCallId?: string
  kind: QuestionKind
  /** What the card shows. */
  prompt: unknown
  /** The policy's trail: why it is asked. */
  reasons?: unknown[]
  approvers?: Approvers
  /** How many must approve; one denial is enough to deny. */
  requiredAnswers?: number
  /** Otherwise the workspace's setting questionExpiryHours. */
  expiresInMs?: number
  /** Who is asked when nobody answered in time; they get as long as the first ones had. Then silence denies. */
  escalateTo?: Approvers
}

/**
 * Opens a question; its call, if it has one, goes from requested (policy asks) or running (the tool itself asks) to
 * asking. The question binds the digest that stands in the call. Null: the call is in neither state or has an open
 * question already, or the claim is lost.
 */
export async function askQuestion(db: Database, claim: Claim, question: NewQuestion): Promise<string | null> {
  const { rows } = await db.pool.query(
    `WITH held AS (${heldRun}), call AS (
       UPDATE tool_calls t SET status = 'asking', claimed_by = NULL,
         decision = CASE t.status WHEN 'requested' THEN 'ask' ELSE t.decision END,
         trail = CASE t.status WHEN 'requested' THEN $7::jsonb ELSE t.trail END
       FROM held WHERE t.id = $4 AND t.run_id = held.run_id
         AND (t.status = 'requested' OR (t.status = 'running' AND t.claimed_by = held.claim_name))
       RETURNING t.id, t.arguments_digest
     ), question AS (
       INSERT INTO questions (id, workspace_id, run_id, tool_call_id, kind, prompt, reasons, arguments_digest, approvers,
         required_answers, on_expiry, escalate_to, expires_at)
       SELECT $3, held.workspace_id, held.run_id, call.id, $5::question_kind, $6::jsonb, $7::jsonb, call.arguments_digest,
         $8::jsonb, $9, CASE WHEN $12::jsonb IS NULL THEN 'deny' ELSE 'escalate' END, $12::jsonb, clock_timestamp() + interval '1 millisecond' * coalesce($10::float8, (
           SELECT (s.value #>> '{}')::float8 * 3600000 FROM settings s WHERE s.workspace_id = held.workspace_id
             AND s.key = 'questionExpiryHours' AND jsonb_typeof(s.value) = 'number'), $11)
       FROM held LEFT JOIN call ON true WHERE $4::text IS NULL OR call.id IS NOT NULL
       RETURNING id, run_id, workspace_id, tool_call_id, kind
     ), event AS (${appendEvent(
       'question',
       'question-ask',
       `jsonb_build_object('questionId', id, 'toolCallId', tool_call_id, 'kind', kind)`,
     )})
     SELECT id FROM question`,
    [
      claim.runId,
      claim.claimNumber,
      newId('q'),
      question.toolCallId ?? null,
      question.kind,
      storableJson(question.prompt),
      storableJson(question.reasons ?? []),
      JSON.stringify(approversShape.parse(question.approvers ?? {})),
      question.requiredAnswers ?? 1,
      question.expiresInMs ?? null,
      limits.questionExpiryMs,
      question.escalateTo ? JSON.stringify(approversShape.parse(question.escalateTo)) : null,
    ],
  )
  return rows[0]?.id ?? null
}

/**
 * Locks the run of a question, before anything about the question is read. Null when there is no such question. Before it
 * the conversations in which the question is shown, in the order of their ids: its copies will be shown anew there.
 */
export async function lockRunOf(tx: Queryable, questionId: string): Promise<string | null> {
  await tx.query(
    `SELECT 1 FROM conversations WHERE id IN (SELECT conversation_id FROM deliveries
       WHERE question_id = $1 AND kind = 'question') ORDER BY id FOR NO KEY UPDATE`,
    [storableText(questionId)],
  )
  const { rows } = await tx.query(
    'SELECT id FROM runs WHERE id = (SELECT run_id FROM questions WHERE id = $1) FOR NO KEY UPDATE',
    // It comes out of a button, and a platform's client can put anything there.
    [storableText(questionId)],
  )
  return rows[0]?.id ?? null
}

/** The conversations in which a run's open questions are shown: before the run itself is locked (see runs.ts on locks). */
export async function lockPlacesOf(tx: Queryable, runId: string): Promise<void> {
  await tx.query(
    `SELECT 1 FROM conversations WHERE id IN (SELECT d.conversation_id FROM deliveries d
       JOIN questions q ON q.id = d.question_id WHERE q.run_id = $1 AND q.status = 'open' AND d.kind = 'question')
     ORDER BY id FOR NO KEY UPDATE`,
    [runId],
  )
}

/** open → closed: settles the tool call, tells the log and wakes the run. The caller holds the run's row. */
export async function closeQuestion(
  tx: Queryable,
  close: { questionId: string; status: Exclude<QuestionStatus, 'open'>; verdict: Verdict | null; error: string },
): Promise<{ workspaceId: string; runId: string; toolCallId: string | null } | null> {
  const { rows } = await tx.query(
    `WITH question AS (
       UPDATE questions SET status = $2::question_status, verdict = $3, closed_at = clock_timestamp()
       WHERE id = $1 AND status = 'open' RETURNING id, run_id, workspace_id, tool_call_id
     ), call AS (
       UPDATE tool_calls t SET
         status = CASE WHEN $3 = 'approve' THEN 'approved' ELSE 'denied' END::tool_call_status,
         finished_at = CASE WHEN $3 = 'approve' THEN NULL ELSE clock_timestamp() END,
         error = CASE WHEN $3 = 'approve' THEN NULL ELSE $4 END
       FROM question q WHERE t.id = q.tool_call_id AND t.status = 'asking'
     ), event AS (${appendEvent(
       'question',
       'question-close',
       `jsonb_build_object('questionId', id, 'status', $2::text, 'verdict', $3::text)`,
     )})
     SELECT workspace_id, run_id, tool_call_id FROM question`,
    [close.questionId, close.status, close.verdict, storableText(close.error)],
  )
  const row = rows[0]
  if (!row) return null
  await wakeRun({ pool: tx }, { runId: row.run_id, reason: 'answer' })
  return { workspaceId: row.workspace_id, runId: row.run_id, toolCallId: row.tool_call_id }
}

export interface ExpiredQuestion {
  questionId: string
  runId: string
  /** `escalated`: it is open again, for other people. */
  outcome: 'expired' | 'escalated'
}

/**
 * Closes questions whose time is over, as denied, or puts them to whom they escalate, and names them, so that their
 * cards can be changed. Every process may call it at any time; each question is expired by one of them.
 */
export async function expireQuestions(db: Database): Promise<ExpiredQuestion[]> {
  const { rows } = await db.pool.query(
    `SELECT id FROM questions WHERE status = 'open' AND expires_at <= now() ORDER BY expires_at LIMIT $1`,
    [limits.pageRows],
  )
  const expired: ExpiredQuestion[] = []
  for (const { id: questionId } of rows) {
    const done = await inTransaction(db, async (tx): Promise<ExpiredQuestion | null> => {
      const runId = await lockRunOf(tx, questionId)
      // Whoever was faster may have put it to other people, and given them time. Only the lock makes this look final.
      if (!runId || !(await isOver(tx, questionId))) return null
      if (await escalateQuestion(tx, questionId)) return { questionId, runId, outcome: 'escalated' }
      const question = await closeQuestion(tx, {
        questionId,
        status: 'expired',
        verdict: 'deny',
        error: 'Nobody answered in time.',
      })
      if (question)
        await recordAudit(tx, {
          workspaceId: question.workspaceId,
          actor: { kind: 'system', id: 'questions' },
          action: 'question.expire',
          subject: { kind: 'question', id: questionId },
          data: { runId: question.runId, toolCallId: question.toolCallId },
        })
      return question && { questionId, runId, outcome: 'expired' }
    })
    if (done) expired.push(done)
  }
  return expired
}

async function isOver(tx: Queryable, questionId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM questions WHERE id = $1 AND status = 'open' AND expires_at <= clock_timestamp()`,
    [questionId],
  )
  return rowCount === 1
}

/** From now on the next people may answer, and the first ones no more. What was answered so far still counts. */
async function escalateQuestion(tx: Queryable, questionId: string): Promise<boolean> {
  const { rows } = await tx.query(
    `WITH question AS (
       UPDATE questions SET approvers = escalate_to, escalated_at = clock_timestamp(),
         expires_at = clock_timestamp() + greatest(expires_at - asked_at, $2 * interval '1 millisecond')
       WHERE id = $1 AND status = 'open' AND on_expiry = 'escalate' AND escalated_at IS NULL
       RETURNING id, run_id, workspace_id, tool_call_id, approvers
     ), event AS (${appendEvent(
       'question',
       'question-escalate',
       `jsonb_build_object('questionId', id, 'toolCallId', tool_call_id, 'approvers', approvers)`,
     )})
     SELECT run_id, workspace_id, tool_call_id, approvers FROM question`,
    [questionId, limits.questionEscalationMs],
  )
  const question = rows[0]
  if (!question) return false
  await recordAudit(tx, {
    workspaceId: question.workspace_id,
    actor: { kind: 'system', id: 'questions' },
    action: 'question.escalate',
    subject: { kind: 'question', id: questionId },
    data: { runId: question.run_id, toolCallId: question.tool_call_id, approvers: question.approvers },
  })
  return true
}

/** Takes back every open question of a run (a new message made them pointless) and names them. */
export function withdrawQuestions(
  db: Database,
  withdraw: { workspaceId: string; runId: string; reason: string; actor: Actor },
): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    await lockPlacesOf(tx, withdraw.runId)
    await tx.query('SELECT 1 FROM runs WHERE id = $1 AND workspace_id = $2 FOR NO KEY UPDATE', [
      withdraw.runId,
      withdraw.workspaceId,
    ])
    const { rows } = await tx.query(
      `SELECT id FROM questions WHERE run_id = $1 AND workspace_id = $2 AND status = 'open' ORDER BY id`,
      [withdraw.runId, withdraw.workspaceId],
    )
    const ids: string[] = rows.map((row) => row.id)
    for (const questionId of ids)
      await closeQuestion(tx, { questionId, status: 'withdrawn', verdict: null, error: withdraw.reason })
    if (ids.length)
      await recordAudit(tx, {
        workspaceId: withdraw.workspaceId,
        actor: withdraw.actor,
        action: 'question.withdraw',
        subject: { kind: 'run', id: withdraw.runId },
        data: { questionIds: ids, reason: withdraw.reason },
      })
    return ids
  })
}
