// The open questions of a workspace, the newest first, a page at a time by key. Their cards are readQuestionCards.
import { approversShape, mayAnswer } from './approvers.ts'
import type { Database } from './client.ts'
import { limits } from './limits.ts'
import type { QuestionKind } from './questions.ts'
import type { Role } from './roles.ts'

export interface OpenQuestion {
  id: string
  kind: QuestionKind
  title: string
  tool: string | null
  agentName: string
  runId: string
  conversationId: string
  askedAt: Date
  expiresAt: Date
}

/** Where the next page begins: after this one. */
export interface QuestionKey {
  askedAt: Date
  id: string
}

export interface OpenQuestions {
  questions: OpenQuestion[]
  /** Null on the last page. */
  next: QuestionKey | null
}

/**
 * With `memberId`, those that this member may answer and has not answered yet. What has expired is left out, even where
 * nobody has closed it yet.
 */
export async function listOpenQuestions(
  db: Database,
  list: { workspaceId: string; memberId?: string; conversationId?: string; after?: QuestionKey; limit?: number },
): Promise<OpenQuestions> {
  const limit = Math.min(list.limit ?? limits.pageRows, limits.pageRows)
  const questions: OpenQuestion[] = []
  let after = list.after ?? null
  // Who may answer is a rule that no index knows, so pages are read until one is full; each read is bounded.
  for (;;) {
    const rows = await readPage(db, list, after)
    for (const row of rows) {
      after = { askedAt: row.asked_at, id: row.id }
      if (list.memberId !== undefined && !isFor(row, list.memberId)) continue
      questions.push(questionFrom(row))
      if (questions.length === limit) return { questions, next: after }
    }
    if (rows.length < limits.pageRows) return { questions, next: null }
  }
}

/**
 * How many open questions wait for a member, for a badge: counted up to `most`, among the newest open ones of the
 * workspace.
 */
export async function countQuestionsFor(
  db: Database,
  { workspaceId, memberId, most }: { workspaceId: string; memberId: string; most: number },
): Promise<number> {
  let count = 0
  let after: QuestionKey | null = null
  for (let page = 0; page < limits.countedQuestionPages; page++) {
    const rows = await readPage(db, { workspaceId, memberId }, after)
    count += rows.filter((row) => isFor(row, memberId)).length
    const last = rows.at(-1)
    if (!last || count >= most || rows.length < limits.pageRows) break
    after = { askedAt: last.asked_at, id: last.id }
  }
  return Math.min(count, most)
}

interface OpenRow {
  id: string
  kind: QuestionKind
  title: string | null
  tool: string | null
  agent_name: string
  run_id: string
  conversation_id: string
  asked_at: Date
  expires_at: Date
  approvers: unknown
  requester_id: string | null
  requester_ids: string[]
  role: Role | null
  disabled: boolean
  has_answered: boolean
}

async function readPage(
  db: Database,
  list: { workspaceId: string; memberId?: string; conversationId?: string },
  after: QuestionKey | null,
): Promise<OpenRow[]> {
  const { rows } = await db.pool.query<OpenRow>(
    `SELECT q.id, q.kind, q.prompt ->> 'title' AS title, coalesce(t.tool_name, q.prompt ->> 'tool') AS tool, a.name AS agent_name,
       q.run_id, r.conversation_id, q.asked_at, q.expires_at, q.approvers, r.requested_by AS requester_id,
       CASE WHEN m.id IS NULL THEN '{}' ELSE ARRAY(SELECT w.member_id FROM messages w
         WHERE w.conversation_id = r.conversation_id AND w.run_id = r.id AND w.member_id IS NOT NULL) END AS requester_ids,
       m.role, m.disabled_at IS NOT NULL AS disabled,
       EXISTS (SELECT 1 FROM answers g WHERE g.question_id = q.id AND g.member_id = m.id) AS has_answered
     FROM questions q JOIN runs r ON r.id = q.run_id JOIN agents a ON a.id = r.agent_id
     LEFT JOIN tool_calls t ON t.id = q.tool_call_id
     LEFT JOIN members m ON m.id = $2 AND m.workspace_id = q.workspace_id
     WHERE q.workspace_id = $1 AND q.status = 'open' AND q.expires_at > clock_timestamp()
       AND ($3::text IS NULL OR r.conversation_id = $3)
       AND ($4::timestamptz IS NULL OR (q.asked_at, q.id) < ($4, $5::text))
     ORDER BY q.asked_at DESC, q.id DESC LIMIT $6`,
    [
      list.workspaceId,
      list.memberId ?? null,
      list.conversationId ?? null,
      after?.askedAt ?? null,
      after?.id ?? null,
      limits.pageRows,
    ],
  )
  return rows
}

function isFor(row: OpenRow, memberId: string): boolean {
  const rule = approversShape.safeParse(row.approvers)
  if (!rule.success || row.role === null || row.has_answered) return false
  const member = { id: memberId, role: row.role, disabled: row.disabled }
  return mayAnswer(rule.data, member, row.requester_ids, row.requester_id)
}

const questionFrom = (row: OpenRow): OpenQuestion => ({
  id: row.id,
  kind: row.kind,
  title: row.title ?? 'Something needs an answer',
  tool: row.tool,
  agentName: row.agent_name,
  runId: row.run_id,
  conversationId: row.conversation_id,
  askedAt: row.asked_at,
  expiresAt: row.expires_at,
})
