// Everything that the card of a question shows, in one read. Slack, Telegram, the playground and the approvals page
// render from this and from nothing else, so that they say the same. It is read anew whenever a card is shown: what a
// copy of it said a minute ago does not count.
import { type Approvers, approversShape, mayAnswer } from './approvers.ts'
import type { Database } from './client.ts'
import { describeApprovers, describeClosed, describeReasons } from './describe-question.ts'
import type { ClosedQuestion } from './found-question.ts'
import { limits } from './limits.ts'
import { optionsOf, parsePrompt, type QuestionPrompt } from './question-prompt.ts'
import type { QuestionKind, QuestionStatus, Verdict } from './questions.ts'
import type { Role } from './roles.ts'
import { storableText } from './storable.ts'

/** What can be done on an open card. `options` are buttons, a `menu` has too many for that. */
export type QuestionButton =
  | 'approve'
  | 'approve-for-thread'
  | 'edit'
  | 'deny'
  | 'deny-with-reason'
  | 'options'
  | 'menu'
  | 'multi-select'
  | 'reply'
  | 'form'
  | 'decline'

export interface QuestionCard extends Omit<QuestionPrompt, 'tool' | 'effect'> {
  id: string
  kind: QuestionKind
  status: QuestionStatus
  runId: string
  conversationId: string
  agent: { id: string; name: string }
  requester: { memberId: string; name: string } | null
  toolCallId: string | null
  tool: string | null
  effect: string | null
  /** In full, for "show all"; null where it is not about a call's arguments. */
  arguments: unknown
  /** What an answer binds; a surface that can, sends it back with the answer. */
  argumentsDigest: string | null
  /** The tool's input schema, for the form behind "Edit…". */
  inputSchema: unknown
  /** Why it is asked, as sentences. */
  why: string[]
  whoMayAnswer: string
  /** Of the member who looks; null where nobody in particular does. */
  mayAnswer: boolean | null
  hasAnswered: boolean
  approvals: { given: number; required: number }
  askedAt: Date
  expiresAt: Date
  escalatedAt: Date | null
  /** Of an open question; empty once it is closed. */
  buttons: QuestionButton[]
  answers: {
    memberId: string
    name: string
    verdict: Verdict
    value: unknown
    reason: string | null
    surface: string
    at: Date
  }[]
  closed: (ClosedQuestion & { sentence: string }) | null
  /** Where it was sent, so that every copy can be changed. */
  copies: {
    deliveryId: string
    channelId: string
    channelKind: string
    conversationId: string
    status: string
    externalId: string | null
  }[]
}

/** Null when there is no such question in the workspace. With `memberId`, as that member meets it. */
export async function readQuestionCard(
  db: Database,
  question: { workspaceId: string; questionId: string; memberId?: string },
): Promise<QuestionCard | null> {
  const cards = await readCards(db, question, 'q.id = $3', storableText(question.questionId))
  return cards[0] ?? null
}

/** The cards of these runs (or these questions) in the order in which they were asked; of many, the newest. */
export function readQuestionCards(
  db: Database,
  questions: { workspaceId: string; memberId?: string } & (
    | { runIds: readonly string[] }
    | { questionIds: readonly string[] }
  ),
): Promise<QuestionCard[]> {
  return 'runIds' in questions
    ? readCards(db, questions, 'q.run_id = ANY($3)', questions.runIds)
    : readCards(db, questions, 'q.id = ANY($3)', questions.questionIds)
}

async function readCards(
  db: Database,
  viewer: { workspaceId: string; memberId?: string },
  condition: string,
  value: unknown,
): Promise<QuestionCard[]> {
  const { rows } = await db.pool.query<CardRow>(
    `SELECT q.*, r.conversation_id, t.tool_name, t.arguments, t.effect, t.error AS call_error, tool.parameters_schema,
       json_build_object('id', a.id, 'name', a.name) AS agent, m.role AS viewer_role, m.disabled_at IS NOT NULL AS viewer_disabled,
       CASE WHEN by.id IS NOT NULL THEN json_build_object('memberId', by.id, 'name', by.name) END AS requester,
       ARRAY(SELECT w.member_id FROM messages w WHERE w.conversation_id = r.conversation_id AND w.run_id = r.id
         AND w.member_id IS NOT NULL) AS writers,
       (SELECT coalesce(json_object_agg(n.id, n.name), '{}') FROM members n WHERE n.workspace_id = q.workspace_id
         AND n.id IN (SELECT named #>> '{}' FROM jsonb_path_query(q.approvers, '$.**.memberIds[*]') AS named)) AS named,
       (SELECT coalesce(json_agg(json_build_object('memberId', g.member_id, 'name', d.name, 'verdict', g.verdict, 'value', g.value,
         'reason', g.reason, 'surface', g.surface, 'at', g.at) ORDER BY g.at, g.member_id), '[]')
         FROM answers g JOIN members d ON d.id = g.member_id WHERE g.question_id = q.id) AS answers,
       (SELECT coalesce(json_agg(json_build_object('deliveryId', y.id, 'channelId', y.channel_id, 'channelKind', c.kind,
         'conversationId', y.conversation_id, 'status', y.status, 'externalId', y.external_id) ORDER BY y.created_at, y.id), '[]')
         FROM deliveries y JOIN channels c ON c.id = y.channel_id WHERE y.question_id = q.id AND y.kind = 'question') AS copies
     FROM questions q JOIN runs r ON r.id = q.run_id JOIN agents a ON a.id = r.agent_id
     LEFT JOIN members by ON by.id = r.requested_by
     LEFT JOIN members m ON m.id = $2 AND m.workspace_id = q.workspace_id
     LEFT JOIN tool_calls t ON t.id = q.tool_call_id
     LEFT JOIN tools tool ON tool.id = t.tool_name
     WHERE q.workspace_id = $1 AND ${condition} ORDER BY q.asked_at DESC, q.id DESC LIMIT ${limits.pageRows}`,
    [viewer.workspaceId, viewer.memberId ?? null, value],
  )
  return rows.reverse().map((row) => cardFrom(row, viewer.memberId))
}

interface CardRow {
  id: string
  kind: QuestionKind
  status: QuestionStatus
  verdict: Verdict | null
  run_id: string
  conversation_id: string
  tool_call_id: string | null
  prompt: unknown
  reasons: unknown
  arguments_digest: string | null
  approvers: unknown
  required_answers: number
  asked_at: Date
  expires_at: Date
  escalated_at: Date | null
  closed_at: Date | null
  tool_name: string | null
  arguments: unknown
  effect: string | null
  call_error: string | null
  parameters_schema: string | null
  agent: QuestionCard['agent']
  requester: QuestionCard['requester']
  viewer_role: Role | null
  viewer_disabled: boolean
  writers: string[]
  named: Record<string, string>
  answers: (Omit<QuestionCard['answers'][number], 'at'> & { at: string })[]
  copies: QuestionCard['copies']
}

function cardFrom(row: CardRow, memberId: string | undefined): QuestionCard {
  const prompt = parsePrompt(row.prompt)
  const rule = approversShape.safeParse(row.approvers)
  const answers = row.answers.map((answer) => ({ ...answer, at: new Date(answer.at) }))
  const names = { requester: row.requester?.name ?? null, members: new Map(Object.entries(row.named)) }
  const mayEdit = prompt.mayEdit && row.kind === 'confirmation'
  const lease = row.required_answers > 1 || row.tool_call_id === null ? null : prompt.lease
  return {
    ...prompt,
    options: [...optionsOf(row.kind, prompt)],
    lease,
    mayEdit,
    id: row.id,
    kind: row.kind,
    status: row.status,
    runId: row.run_id,
    conversationId: row.conversation_id,
    agent: row.agent,
    requester: row.requester,
    toolCallId: row.tool_call_id,
    tool: row.tool_name ?? prompt.tool,
    effect: row.effect ?? prompt.effect,
    arguments: row.kind === 'confirmation' ? row.arguments : null,
    argumentsDigest: row.arguments_digest,
    inputSchema: mayEdit ? parseSchema(row.parameters_schema) : null,
    why: describeReasons(row.reasons),
    whoMayAnswer: rule.success
      ? describeApprovers(rule.data, names, row.required_answers)
      : 'nobody: the rule about who may cannot be read',
    mayAnswer: memberId === undefined ? null : rule.success && entitles(rule.data, row, memberId),
    hasAnswered: answers.some((answer) => answer.memberId === memberId),
    approvals: { given: answers.filter(({ verdict }) => verdict === 'approve').length, required: row.required_answers },
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
    escalatedAt: row.escalated_at,
    buttons: row.status === 'open' ? buttonsOf(row.kind, prompt, lease !== null, mayEdit) : [],
    answers,
    closed: closedOf(row, answers),
    copies: row.copies,
  }
}

/** As answerQuestion decides it, which decides it again. */
function entitles(rule: Approvers, row: CardRow, memberId: string): boolean {
  if (row.viewer_role === null) return false
  const member = { id: memberId, role: row.viewer_role, disabled: row.viewer_disabled }
  const requesterId = row.requester?.memberId ?? null
  return mayAnswer(rule, member, requesterId === null ? row.writers : [...row.writers, requesterId], requesterId)
}

/** More options than this are a menu: a row of six buttons is not read any more. */
export const mostOptionButtons = 5

function buttonsOf(kind: QuestionKind, prompt: QuestionPrompt, lease: boolean, mayEdit: boolean): QuestionButton[] {
  switch (kind) {
    case 'confirmation':
      return [
        'approve',
        ...(lease ? (['approve-for-thread'] as const) : []),
        ...(mayEdit ? (['edit'] as const) : []),
        'deny',
        'deny-with-reason',
      ]
    case 'plan':
      return ['approve', 'deny', 'deny-with-reason']
    case 'choice':
      return [prompt.options.length > mostOptionButtons ? 'menu' : 'options', 'decline']
    case 'budget':
      return ['options']
    case 'multi_choice':
      return ['multi-select', 'decline']
    case 'text':
      return ['reply', 'decline']
    case 'form':
      return ['form', 'decline']
  }
}

function closedOf(row: CardRow, answers: QuestionCard['answers']): QuestionCard['closed'] {
  if (row.status === 'open' || !row.closed_at) return null
  const decider = row.status === 'answered' ? answers.findLast(({ verdict }) => verdict === row.verdict) : undefined
  const closed: ClosedQuestion = {
    kind: row.kind,
    status: row.status,
    verdict: row.verdict,
    at: row.closed_at,
    by: decider ? { memberId: decider.memberId, name: decider.name } : null,
    value: decider?.value ?? null,
    reason: decider ? decider.reason : row.status === 'withdrawn' ? row.call_error : null,
  }
  return { ...closed, sentence: describeClosed(closed) }
}

function parseSchema(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    // The column is text, as in the document it comes from. Without a schema the form shows the arguments as JSON.
    return null
  }
}
