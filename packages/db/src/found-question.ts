// A question as the member who answers it meets it: what answerQuestion decides by, in one read.
import type { Queryable } from './client.ts'
import type { QuestionKind, QuestionStatus, Verdict } from './questions.ts'
import type { Role } from './roles.ts'

/** What stale buttons say; describeClosed puts it into words. */
export interface ClosedQuestion {
  kind: QuestionKind
  status: Exclude<QuestionStatus, 'open'>
  verdict: Verdict | null
  at: Date
  /** Who decided; null when it expired or was withdrawn. */
  by: { memberId: string; name: string } | null
  /** What they chose or wrote. */
  value: unknown
  /** Why they denied it, or why it was withdrawn. */
  reason: string | null
}

export interface FoundQuestion {
  workspace_id: string
  run_id: string
  conversation_id: string
  tool_call_id: string | null
  tool_name: string | null
  tool_version: string | null
  kind: QuestionKind
  prompt: unknown
  status: QuestionStatus
  verdict: Verdict | null
  closed_at: Date
  approvers: unknown
  required_answers: number
  arguments_digest: string | null
  call_digest: string | null
  call_error: string | null
  is_over: boolean
  approvals: number
  has_answered: boolean
  member_name: string
  member_role: Role
  member_disabled: boolean
  requester_id: string | null
  requester_ids: string[]
  decider: { memberId: string; name: string; value: unknown; reason: string | null } | null
}

/** The question as the member meets it; null when the member is not one of its workspace. */
export async function readQuestion(
  tx: Queryable,
  given: { questionId: string; memberId: string },
): Promise<FoundQuestion | null> {
  const { rows } = await tx.query<FoundQuestion>(
    `SELECT q.workspace_id, q.run_id, r.conversation_id, q.tool_call_id, t.tool_name, t.tool_version, q.kind, q.prompt, q.status, q.verdict, q.closed_at, q.approvers, q.required_answers,
       q.arguments_digest, t.arguments_digest AS call_digest, t.error AS call_error, q.expires_at <= clock_timestamp() AS is_over,
       (SELECT count(*) FROM answers a WHERE a.question_id = q.id AND a.verdict = 'approve')::int AS approvals,
       EXISTS (SELECT 1 FROM answers a WHERE a.question_id = q.id AND a.member_id = m.id) AS has_answered,
       m.name AS member_name, m.role AS member_role, m.disabled_at IS NOT NULL AS member_disabled,
       r.requested_by AS requester_id,
       -- Whoever wrote into the run has asked for something in it, not only the one who started it.
       ARRAY(SELECT r.requested_by WHERE r.requested_by IS NOT NULL UNION
         SELECT w.member_id FROM messages w WHERE w.conversation_id = r.conversation_id AND w.run_id = r.id
           AND w.member_id IS NOT NULL) AS requester_ids,
       (SELECT json_build_object('memberId', a.member_id, 'name', d.name, 'value', a.value, 'reason', a.reason) FROM answers a JOIN members d ON d.id = a.member_id
         WHERE a.question_id = q.id AND a.verdict = q.verdict AND q.status = 'answered' ORDER BY a.at DESC LIMIT 1) AS decider
     FROM questions q JOIN runs r ON r.id = q.run_id
     JOIN members m ON m.id = $2 AND m.workspace_id = q.workspace_id
     LEFT JOIN tool_calls t ON t.id = q.tool_call_id
     WHERE q.id = $1`,
    [given.questionId, given.memberId],
  )
  return rows[0] ?? null
}

export function closedFrom({
  kind,
  status,
  verdict,
  closed_at: at,
  decider,
  call_error: error,
}: FoundQuestion): ClosedQuestion {
  return {
    kind,
    status: status as ClosedQuestion['status'],
    verdict,
    at,
    by: decider && { memberId: decider.memberId, name: decider.name },
    value: decider?.value ?? null,
    reason: decider ? decider.reason : status === 'withdrawn' ? error : null,
  }
}
