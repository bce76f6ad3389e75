// One person's answer to a question: one transaction that either counts it or leaves everything as it was. The state
// machine is in questions.ts.
import { approversShape, mayAnswer } from './approvers.ts'
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { closeQuestion, lockRunOf, type QuestionStatus, type Verdict } from './questions.ts'
import type { Role } from './roles.ts'
import { appendEvent } from './run-events.ts'
import { storableJson, storableText } from './storable.ts'

export interface AnswerGiven {
  questionId: string
  /** The member whom the platform or the session vouches for; never what a payload claims. */
  memberId: string
  verdict: Verdict
  /** What was chosen or written. */
  value?: unknown
  reason?: string
  /** Where it was said: `slack`, `telegram`, `console`, `web`. */
  surface: string
  /** The digest that the person's card showed, where it carries one. */
  argumentsDigest?: string
}

export type AnswerResult =
  /** It counts. `remaining`: how many more must approve before the question closes. */
  | { ok: true; closed: boolean; verdict: Verdict; remaining: number }
  | { ok: false; reason: 'closed'; closed: ClosedQuestion }
  | { ok: false; reason: 'not-found' | 'expired' | 'not-entitled' | 'changed' | 'already-answered' }

/** What stale buttons say. */
export interface ClosedQuestion {
  status: Exclude<QuestionStatus, 'open'>
  verdict: Verdict | null
  at: Date
  /** Who decided; null when it expired or was withdrawn. */
  by: { memberId: string; name: string } | null
}

/** Counts an answer if it may count; a refused one consumes nothing, and the question stays open for the right person. */
export function answerQuestion(db: Database, given: AnswerGiven): Promise<AnswerResult> {
  return inTransaction(db, async (tx) => {
    if (!(await lockRunOf(tx, given.questionId))) return { ok: false, reason: 'not-found' }
    const found = await readQuestion(tx, given)
    if (!found) return { ok: false, reason: 'not-found' }
    const refusal = refuse(found, given)
    if (refusal) return refusal

    await insertAnswer(tx, found, given)
    const remaining = given.verdict === 'deny' ? 0 : Math.max(found.required_answers - found.approvals - 1, 0)
    if (remaining === 0)
      await closeQuestion(tx, {
        questionId: given.questionId,
        status: 'answered',
        verdict: given.verdict,
        error: `${found.member_name} denied this${given.reason ? `: ${given.reason}` : '.'}`,
      })
    await recordAudit(tx, {
      workspaceId: found.workspace_id,
      actor: { kind: 'member', id: given.memberId },
      action: 'question.answer',
      subject: { kind: 'question', id: given.questionId },
      data: {
        verdict: given.verdict,
        surface: given.surface,
        closed: remaining === 0,
        runId: found.run_id,
        toolCallId: found.tool_call_id,
        argumentsDigest: found.arguments_digest,
      },
    })
    return { ok: true, closed: remaining === 0, verdict: given.verdict, remaining }
  })
}

interface FoundQuestion {
  workspace_id: string
  run_id: string
  tool_call_id: string | null
  status: QuestionStatus
  verdict: Verdict | null
  closed_at: Date
  approvers: unknown
  required_answers: number
  arguments_digest: string | null
  call_digest: string | null
  is_over: boolean
  approvals: number
  has_answered: boolean
  member_name: string
  member_role: Role
  member_disabled: boolean
  requester_id: string | null
  requester_ids: string[]
  decider: { memberId: string; name: string } | null
}

/** The question as the member meets it; null when the member is not one of its workspace. */
async function readQuestion(tx: Queryable, given: AnswerGiven): Promise<FoundQuestion | null> {
  const { rows } = await tx.query<FoundQuestion>(
    `SELECT q.workspace_id, q.run_id, q.tool_call_id, q.status, q.verdict, q.closed_at, q.approvers, q.required_answers,
       q.arguments_digest, t.arguments_digest AS call_digest, q.expires_at <= clock_timestamp() AS is_over,
       (SELECT count(*) FROM answers a WHERE a.question_id = q.id AND a.verdict = 'approve')::int AS approvals,
       EXISTS (SELECT 1 FROM answers a WHERE a.question_id = q.id AND a.member_id = m.id) AS has_answered,
       m.name AS member_name, m.role AS member_role, m.disabled_at IS NOT NULL AS member_disabled,
       r.requested_by AS requester_id,
       -- Whoever wrote into the run has asked for something in it, not only the one who started it.
       ARRAY(SELECT r.requested_by WHERE r.requested_by IS NOT NULL UNION
         SELECT w.member_id FROM messages w WHERE w.conversation_id = r.conversation_id AND w.run_id = r.id
           AND w.member_id IS NOT NULL) AS requester_ids,
       (SELECT json_build_object('memberId', a.member_id, 'name', d.name) FROM answers a JOIN members d ON d.id = a.member_id
         WHERE a.question_id = q.id AND a.verdict = q.verdict AND q.status = 'answered' ORDER BY a.at DESC LIMIT 1) AS decider
     FROM questions q JOIN runs r ON r.id = q.run_id
     JOIN members m ON m.id = $2 AND m.workspace_id = q.workspace_id
     LEFT JOIN tool_calls t ON t.id = q.tool_call_id
     WHERE q.id = $1`,
    [given.questionId, given.memberId],
  )
  return rows[0] ?? null
}

function refuse(found: FoundQuestion, given: AnswerGiven): Extract<AnswerResult, { ok: false }> | null {
  if (found.status !== 'open')
    return {
      ok: false,
      reason: 'closed',
      closed: { status: found.status, verdict: found.verdict, at: found.closed_at, by: found.decider },
    }
  if (found.is_over) return { ok: false, reason: 'expired' }
  const rule = approversShape.safeParse(found.approvers)
  const member = { id: given.memberId, role: found.member_role, disabled: found.member_disabled }
  // A rule that cannot be read entitles nobody.
  if (!rule.success || !mayAnswer(rule.data, member, found.requester_ids, found.requester_id))
    return { ok: false, reason: 'not-entitled' }
  const shown = given.argumentsDigest ?? found.arguments_digest
  if (shown !== found.arguments_digest || found.call_digest !== found.arguments_digest)
    return { ok: false, reason: 'changed' }
  return found.has_answered ? { ok: false, reason: 'already-answered' } : null
}

async function insertAnswer(tx: Queryable, found: FoundQuestion, given: AnswerGiven): Promise<void> {
  await tx.query(
    `WITH answer AS (
       INSERT INTO answers (question_id, member_id, workspace_id, verdict, value, reason, surface)
       VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7) RETURNING question_id, member_id, verdict, surface, workspace_id
     ), event AS (${appendEvent(
       '(SELECT answer.*, $8::text AS run_id FROM answer) AS answer',
       'question-answer',
       `jsonb_build_object('questionId', question_id, 'memberId', member_id, 'verdict', verdict, 'surface', surface)`,
     )})
     SELECT 1 FROM answer`,
    [
      given.questionId,
      given.memberId,
      found.workspace_id,
      given.verdict,
      given.value === undefined ? null : storableJson(given.value),
      given.reason === undefined ? null : storableText(given.reason),
      given.surface,
      found.run_id,
    ],
  )
}
