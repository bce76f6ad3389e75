// The calls of one step as they stand, with what people said about them: what a run goes on from.
import type { Database } from './client.ts'
import { prepared } from './prepared.ts'
import type { Verdict } from './questions.ts'
import type { ToolCallStatus } from './tool-calls.ts'

export interface StepCall {
  id: string
  toolUseId: string
  toolName: string
  /** What would run, and what its approval binds. */
  arguments: unknown
  argumentsDigest: string
  status: ToolCallStatus
  output: string | null
  error: string | null
  /** The newest question about it that was answered. */
  answer: StepAnswer | null
  /** Who changed the arguments before approving it, by name: they are not the ones that the model asked for. */
  editedBy: string | null
  /** The newest question about it that is still open. */
  openQuestionId: string | null
}

export interface StepAnswer {
  /** The tool asked it, after it was started; otherwise the policy did, before. */
  byTool: boolean
  verdict: Verdict
  value: unknown
  reason: string | null
  memberId: string | null
}

/** The calls of a run among these tool uses. One that nobody has recorded yet is not among them. */
export async function readStepCalls(db: Database, runId: string, toolUseIds: readonly string[]): Promise<StepCall[]> {
  const { rows } = await prepared(
    db.pool,
    `SELECT t.id, t.tool_use_id, t.tool_name, t.arguments, t.arguments_digest, t.status, t.output, t.error,
       q.verdict, q.by_tool, a.value, a.reason, a.member_id,
       (SELECT m.name FROM questions c JOIN audit_events e ON e.workspace_id = t.workspace_id AND e.subject_kind = 'question'
          AND e.subject_id = c.id AND e.action = 'question.edit' JOIN members m ON m.id = e.actor_id
        WHERE c.tool_call_id = t.id ORDER BY e.number DESC LIMIT 1) AS edited_by,
       (SELECT o.id FROM questions o WHERE o.tool_call_id = t.id AND o.status = 'open' LIMIT 1) AS open_question_id
     FROM tool_calls t
     LEFT JOIN LATERAL (
       -- A call that the policy asks about has that question first; every other one is the tool's own.
       SELECT q.id, q.verdict, t.decision <> 'ask' OR EXISTS (
         SELECT 1 FROM questions e WHERE e.tool_call_id = t.id AND e.id <> q.id AND e.asked_at < q.asked_at) AS by_tool
       FROM questions q WHERE q.tool_call_id = t.id AND q.status = 'answered' ORDER BY q.asked_at DESC LIMIT 1
     ) q ON true
     LEFT JOIN LATERAL (
       SELECT value, reason, member_id FROM answers a WHERE a.question_id = q.id AND a.verdict = q.verdict
       ORDER BY a.at DESC LIMIT 1
     ) a ON true
     WHERE t.run_id = $1 AND t.tool_use_id = ANY($2)`,
    [runId, toolUseIds],
  )
  return rows.map((row) => ({
    id: row.id,
    toolUseId: row.tool_use_id,
    toolName: row.tool_name,
    arguments: row.arguments,
    argumentsDigest: row.arguments_digest,
    status: row.status,
    output: row.output,
    error: row.error,
    editedBy: row.edited_by,
    openQuestionId: row.open_question_id,
    answer: row.verdict
      ? { byTool: row.by_tool, verdict: row.verdict, value: row.value, reason: row.reason, memberId: row.member_id }
      : null,
  }))
}
