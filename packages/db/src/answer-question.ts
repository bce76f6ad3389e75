// One person's answer to a question: one transaction that either counts it or leaves everything as it was. The state
// machine is in questions.ts, what an edit does in edit-call.ts.

import { problemOfValue } from './answer-value.ts'
import { type Approvers, approversShape, mayAnswer } from './approvers.ts'
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import {
  type AcceptedEdit,
  applyEdit,
  approversAfter,
  type CheckEdit,
  type CheckedEdit,
  type ProposedEdit,
  readProposal,
} from './edit-call.ts'
import { type ClosedQuestion, closedFrom, type FoundQuestion, readQuestion } from './found-question.ts'
import { insertLease } from './leases.ts'
import { limits } from './limits.ts'
import { updateCopies } from './question-copies.ts'
import { parsePrompt } from './question-prompt.ts'
import { closeQuestion, lockRunOf, type Verdict } from './questions.ts'
import { appendEvent } from './run-events.ts'
import { storableJson, storableText } from './storable.ts'

export interface AnswerGiven {
  questionId: string
  /** The member whom the platform or the session vouches for; never what a payload claims. */
  memberId: string
  /** `deny` to a question that is not a yes or no: they do not want to answer it. */
  verdict: Verdict
  /** What was chosen or written: an option, several, a text, or one entry a tab of a form. */
  value?: unknown
  /** Of a denial; the model reads it. */
  reason?: string
  /** Where it was said: `slack`, `telegram`, `web`, `api`. */
  surface: string
  /** The digest that the person's card showed, where it carries one. */
  argumentsDigest?: string
  /** "Approve for this thread": grants the lease that the question offers. */
  lease?: boolean
  /** "Edit…": approves the call with these arguments instead of its own. Needs `checkEdit`. */
  editedArguments?: unknown
}

export type AnswerResult =
  /** It counts. `remaining`: how many more must approve before the question closes. */
  { ok: true; closed: boolean; verdict: Verdict; remaining: number; edited?: true; leaseId?: string } | AnswerRefusal

/** It does not count, and consumed nothing. */
export type AnswerRefusal =
  | { ok: false; reason: 'closed'; closed: ClosedQuestion }
  | { ok: false; reason: 'not-found' | 'expired' | 'not-entitled' | 'changed' | 'already-answered' }
  /** The value is none of the options, or the lease or the edit was not offered, or what was edited is not valid. */
  | { ok: false; reason: 'not-offered' | 'invalid-edit'; problems: readonly string[] }

/**
 * Counts an answer if it may count; a refused one consumes nothing, and the question stays open for the right person.
 * `checkEdit` says whether edited arguments may run; without one no edit counts.
 */
export async function answerQuestion(
  db: Database,
  answer: AnswerGiven,
  { checkEdit }: { checkEdit?: CheckEdit } = {},
): Promise<AnswerResult> {
  // Before the transaction: a check reads the policy, and must not hold a run while it waits for a connection.
  const proposal = await checkProposal(db, answer, checkEdit)
  return inTransaction(db, (tx) => countAnswer(tx, answer, proposal))
}

/** The same, in a transaction of which it is a part. */
export async function countAnswer(
  tx: Queryable,
  answer: AnswerGiven,
  proposal: Proposal | null = null,
): Promise<AnswerResult> {
  const given = { ...answer, ...(answer.reason && { reason: answer.reason.slice(0, limits.reasonCharacters) }) }
  if (!(await lockRunOf(tx, given.questionId))) return { ok: false, reason: 'not-found' }
  const found = await readQuestion(tx, given)
  if (!found) return { ok: false, reason: 'not-found' }
  const counted = weigh(found, given, proposal)
  if (!counted.ok) return counted

  const { edit, approvers, required, approvals } = counted
  if (edit && proposal)
    await applyEdit(
      tx,
      { ...given, workspaceId: found.workspace_id, toolCallId: proposal.toolCallId, approvers },
      proposal.proposed,
      edit,
    )
  await insertAnswer(tx, found, given, edit !== null)
  const remaining = given.verdict === 'deny' ? 0 : Math.max(required - approvals - 1, 0)
  if (remaining === 0)
    await closeQuestion(tx, {
      questionId: given.questionId,
      status: 'answered',
      verdict: given.verdict,
      error: describeDenial(found, given),
    })
  else await updateCopies(tx, given.questionId)
  const leaseId = given.lease ? await grant(tx, found, given, edit) : null
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
      argumentsDigest: edit?.argumentsDigest ?? found.arguments_digest,
      ...(given.reason && { reason: given.reason }),
      ...(leaseId && { leaseId }),
    },
  })
  return {
    ok: true,
    closed: remaining === 0,
    verdict: given.verdict,
    remaining,
    ...(edit && { edited: true as const }),
    ...(leaseId && { leaseId }),
  }
}

interface Proposal {
  toolCallId: string
  proposed: ProposedEdit
  checked: CheckedEdit
}

/** Null: nothing is edited, or nobody here can check it. */
async function checkProposal(db: Database, given: AnswerGiven, check?: CheckEdit): Promise<Proposal | null> {
  if (given.editedArguments === undefined || !check) return null
  const read = await readProposal(db, { ...given, editedArguments: given.editedArguments })
  return read && { ...read, checked: await check(read.proposed) }
}

interface Counted {
  ok: true
  /** Null where nothing is edited, or nothing differs. */
  edit: AcceptedEdit | null
  approvers: Approvers
  required: number
  approvals: number
}

/** Whether the answer counts, and what it counts for. Pure. */
function weigh(found: FoundQuestion, given: AnswerGiven, proposal: Proposal | null): Counted | AnswerRefusal {
  const refusal = refuse(found, given)
  if (refusal) return refusal
  const notOffered = (problem: string): AnswerRefusal => ({ ok: false, reason: 'not-offered', problems: [problem] })
  const prompt = parsePrompt(found.prompt)
  const approves = given.verdict === 'approve'
  const problem = approves ? problemOfValue(found.kind, found.prompt, given.value) : null
  if (problem) return notOffered(problem)

  const before = approversShape.parse(found.approvers)
  let counted: Counted = {
    ok: true,
    edit: null,
    approvers: before,
    required: found.required_answers,
    approvals: found.approvals,
  }
  if (given.editedArguments !== undefined) {
    if (!approves || !prompt.mayEdit || found.kind !== 'confirmation') return notOffered('This cannot be edited.')
    if (!proposal) return notOffered('Edited arguments cannot be checked here.')
    const { checked, proposed } = proposal
    if (!checked.ok) return { ok: false, reason: 'invalid-edit', problems: checked.problems }
    if (proposed.argumentsDigest !== found.call_digest) return { ok: false, reason: 'changed' }
    if (checked.argumentsDigest !== found.arguments_digest) {
      const approvers = approversAfter(checked, before)
      if (!entitles(approvers, found, given)) return { ok: false, reason: 'not-entitled' }
      const required = Math.max(found.required_answers, checked.approval?.required ?? 1)
      counted = { ok: true, edit: checked, approvers, required, approvals: 0 }
    }
  }
  if (found.has_answered && !counted.edit) return { ok: false, reason: 'already-answered' }
  // Where several must approve each call, one of them does not approve the next calls alone.
  const hasScope = !counted.edit || counted.edit.leaseScope !== null
  if (given.lease && (!approves || !prompt.lease || !hasScope || !found.tool_call_id || counted.required > 1))
    return notOffered('This cannot be approved for the whole thread.')
  return counted
}

function describeDenial({ kind, member_name: name }: FoundQuestion, { reason }: AnswerGiven): string {
  const denied = kind === 'confirmation' || kind === 'plan' ? 'denied this' : 'did not want to answer'
  return `${name} ${denied}${reason ? `: ${reason}` : '.'}`
}

/** In the transaction of the answer: there is no lease without its answer, and no answer that promised one without it. */
async function grant(
  tx: Queryable,
  found: FoundQuestion,
  given: AnswerGiven,
  edit: AcceptedEdit | null,
): Promise<string | null> {
  const { lease } = parsePrompt(found.prompt)
  if (!lease || !found.tool_name || !found.tool_version) return null
  // It speaks for calls like the one that runs, and not like the one that was asked about.
  const scope = edit ? edit.leaseScope : lease.scope
  if (!scope) return null
  return insertLease(tx, {
    workspaceId: found.workspace_id,
    conversationId: found.conversation_id,
    toolName: found.tool_name,
    toolVersion: found.tool_version,
    questionId: given.questionId,
    grantedBy: given.memberId,
    maxUses: lease.maxUses,
    durationMs: lease.durationMs,
    scope: scope.key,
  })
}

function refuse(found: FoundQuestion, given: AnswerGiven): AnswerRefusal | null {
  if (found.status !== 'open') return { ok: false, reason: 'closed', closed: closedFrom(found) }
  if (found.is_over) return { ok: false, reason: 'expired' }
  const rule = approversShape.safeParse(found.approvers)
  // A rule that cannot be read entitles nobody.
  if (!rule.success || !entitles(rule.data, found, given)) return { ok: false, reason: 'not-entitled' }
  const shown = given.argumentsDigest ?? found.arguments_digest
  const same = shown === found.arguments_digest && found.call_digest === found.arguments_digest
  return same ? null : { ok: false, reason: 'changed' }
}

function entitles(rule: Approvers, found: FoundQuestion, { memberId }: AnswerGiven): boolean {
  const member = { id: memberId, role: found.member_role, disabled: found.member_disabled }
  return mayAnswer(rule, member, found.requester_ids, found.requester_id)
}

async function insertAnswer(tx: Queryable, found: FoundQuestion, given: AnswerGiven, edited: boolean): Promise<void> {
  await tx.query(
    `WITH answer AS (
       INSERT INTO answers (question_id, member_id, workspace_id, verdict, value, reason, surface)
       VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7) RETURNING question_id, member_id, verdict, surface, workspace_id
     ), event AS (${appendEvent(
       '(SELECT answer.*, $8::text AS run_id FROM answer) AS answer',
       'question-answer',
       `jsonb_build_object('questionId', question_id, 'memberId', member_id, 'verdict', verdict, 'surface', surface, 'edited', $9::boolean)`,
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
      edited,
    ],
  )
}
