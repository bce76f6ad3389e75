import { data } from '../../../data.ts'
import { pageOf, parsePageKey, writePageKey } from '../../../paging.ts'
import { type FoundCard, readCardsOf } from '../../../question-card/read-cards.ts'
import { runtime } from '../../../runtime.ts'

export const shelves = ['mine', 'open', 'history'] as const
/** Which questions: those that wait for this member, all that are open, or those that are over. */
export type Shelf = (typeof shelves)[number]

export const parseShelf = (text: unknown): Shelf => shelves.find((shelf) => shelf === text) ?? 'mine'

export interface QuestionPage {
  found: FoundCard[]
  /** Where the next page begins, for the address. */
  next: string | null
}

interface Whose {
  workspaceId: string
  memberId: string
}

const pageRows = 20

export async function listQuestions(whose: Whose, shelf: Shelf, after: unknown): Promise<QuestionPage> {
  const { ids, next } = shelf === 'history' ? await listOver(whose, after) : await listOpen(whose, shelf, after)
  return { found: await readCardsOf(whose, ids), next }
}

async function listOpen({ workspaceId, memberId }: Whose, shelf: Shelf, after: unknown) {
  const cursor = parsePageKey(after)
  const { questions, next } = await data.listOpenQuestions(runtime().db, {
    workspaceId,
    limit: pageRows,
    ...(shelf === 'mine' ? { memberId } : {}),
    ...(cursor ? { after: { askedAt: cursor.at, id: cursor.id } } : {}),
  })
  return { ids: questions.map(({ id }) => id), next: next && writePageKey({ at: next.askedAt, id: next.id }) }
}

/** Each way to be over has its own stretch of the index: none of them is read further than a page. */
async function listOver({ workspaceId }: Whose, after: unknown) {
  const cursor = parsePageKey(after)
  const stretch = (status: string) => `(SELECT q.id, q.asked_at FROM questions q
    WHERE q.workspace_id = $1 AND q.status = '${status}'
      AND ($2::timestamptz IS NULL OR (q.asked_at, q.id) < ($2, $3::text))
    ORDER BY q.asked_at DESC, q.id DESC LIMIT $4)`
  const { rows } = await runtime().db.pool.query<{ id: string; asked_at: Date }>(
    `SELECT id, asked_at FROM (${['answered', 'expired', 'withdrawn'].map(stretch).join(' UNION ALL ')}) AS over
     ORDER BY asked_at DESC, id DESC LIMIT $4`,
    [workspaceId, cursor?.at ?? null, cursor?.id ?? null, pageRows + 1],
  )
  const page = pageOf(rows, pageRows, (row) => ({ at: row.asked_at, id: row.id }))
  return { ids: page.rows.map(({ id }) => id), next: page.next }
}
