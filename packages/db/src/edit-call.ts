// "Edit…": a person approves a call with arguments of their own. What they wrote is a new call in all but name: it is
// checked like one (by `CheckEdit`, which knows the tool's schema and the policy), gets a digest of its own, and the
// question binds that one from then on.
//
// Where several must approve, an edit restarts the count: what the others approved is not what would run. Their
// approvals stay in the audit, and they may approve again; the editor's own is the first. A rule that the edited
// arguments fall under holds as well: whoever edits must be entitled by it, and as many must approve as it says.
import { type Approvers, approversShape } from './approvers.ts'
import { recordAudit } from './audit.ts'
import type { Database, Queryable } from './client.ts'
import { limits } from './limits.ts'
import type { LeaseScope } from './question-prompt.ts'
import type { Trigger } from './runs.ts'
import { storableJson, storableText } from './storable.ts'

/** What a check gets: the call as it was asked about, and what somebody would make of it. */
export interface ProposedEdit {
  workspaceId: string
  conversationId: string
  runId: string
  agentId: string
  requestedBy: string | null
  trigger: Trigger
  toolName: string
  toolVersion: string
  arguments: unknown
  argumentsDigest: string
  editedArguments: unknown
}

export type CheckedEdit =
  | {
      ok: true
      /** What would run: valid by the tool's schema, with configuration and defaults applied. */
      arguments: unknown
      /** As the executor computes it for them. */
      argumentsDigest: string
      /** What the card says of them: title, facts, diff, recipients. */
      summary: { title: string }
      /** The policy's words on them. */
      reasons: readonly unknown[]
      /** Who must approve them by the policy; nobody in particular where it would allow them anyway. */
      approval: { approvers: Approvers; required: number } | null
      /** Which calls a lease that is granted with them speaks for; null: none can be granted. */
      leaseScope: LeaseScope | null
    }
  /** What is wrong with them, as sentences: they do not fit the schema, or the policy denies them. */
  | { ok: false; problems: readonly string[] }

export type CheckEdit = (proposed: ProposedEdit) => Promise<CheckedEdit> | CheckedEdit

export type AcceptedEdit = Extract<CheckedEdit, { ok: true }>

/** The call of an open question, for a check; null when there is none, or the member is not of its workspace. */
export async function readProposal(
  db: Database,
  given: { questionId: string; memberId: string; editedArguments: unknown },
): Promise<{ toolCallId: string; proposed: ProposedEdit } | null> {
  const { rows } = await db.pool.query(
    `SELECT t.id, t.workspace_id AS "workspaceId", t.conversation_id AS "conversationId", t.run_id AS "runId",
       t.agent_id AS "agentId", r.requested_by AS "requestedBy", r.trigger, t.tool_name AS "toolName", t.tool_version AS "toolVersion", t.arguments,
       t.arguments_digest AS "argumentsDigest"
     FROM questions q JOIN tool_calls t ON t.id = q.tool_call_id JOIN runs r ON r.id = t.run_id
     JOIN members m ON m.id = $2 AND m.workspace_id = q.workspace_id
     WHERE q.id = $1 AND q.status = 'open'`,
    [storableText(given.questionId), given.memberId],
  )
  if (!rows[0]) return null
  const { id: toolCallId, ...call } = rows[0]
  return { toolCallId, proposed: { ...call, editedArguments: given.editedArguments } }
}

/** The approvers of an edited call: those of the question, as far as the policy of the new arguments has them too. */
export function approversAfter(edit: AcceptedEdit, before: Approvers): Approvers {
  if (!edit.approval) return before
  const { allOf = [], ...rest } = before
  return { ...rest, allOf: [...allOf, approversShape.parse(edit.approval.approvers)] }
}

/** Writes an edit that may count. The caller holds the run's row, and has seen that the call is the one that was checked. */
export async function applyEdit(
  tx: Queryable,
  question: { questionId: string; memberId: string; workspaceId: string; toolCallId: string; approvers: Approvers },
  proposed: ProposedEdit,
  edit: AcceptedEdit,
): Promise<void> {
  const { questionId, toolCallId } = question
  await tx.query('UPDATE tool_calls SET arguments = $2::jsonb, arguments_digest = $3 WHERE id = $1', [
    toolCallId,
    storableJson(edit.arguments),
    edit.argumentsDigest,
  ])
  await tx.query(
    `UPDATE questions SET arguments_digest = $2, approvers = $3::jsonb, required_answers = greatest(required_answers, $4),
       reasons = $6::jsonb, prompt = (prompt - '{title,facts,diff,recipients,leaseScope}'::text[]) || $5::jsonb WHERE id = $1`,
    [
      questionId,
      edit.argumentsDigest,
      JSON.stringify(question.approvers),
      edit.approval?.required ?? 1,
      storableJson({ ...edit.summary, ...(edit.leaseScope ? { leaseScope: edit.leaseScope } : { lease: false }) }),
      storableJson(edit.reasons),
    ],
  )
  await tx.query('DELETE FROM answers WHERE question_id = $1', [questionId])
  await recordAudit(tx, {
    workspaceId: question.workspaceId,
    actor: { kind: 'member', id: question.memberId },
    action: 'question.edit',
    subject: { kind: 'question', id: questionId },
    data: {
      runId: proposed.runId,
      toolCallId,
      before: { arguments: kept(proposed.arguments), digest: proposed.argumentsDigest },
      after: { arguments: kept(edit.arguments), digest: edit.argumentsDigest },
    },
  })
}

/** The audit is kept for ever: large arguments are in it by their digest only. */
function kept(args: unknown): unknown {
  return Buffer.byteLength(storableJson(args)) <= limits.auditArgumentsBytes ? args : '(too large to keep here)'
}
