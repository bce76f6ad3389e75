import { data } from '../../../data.ts'
import { parsePageKey, writePageKey } from '../../../paging.ts'
import { listClosedQuestions } from '../../../question-card/list-closed-questions.ts'
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
  const { ids, next } =
    shelf === 'history'
      ? await listClosedQuestions(whose.workspaceId, { after: parsePageKey(after), limit: pageRows })
      : await listOpen(whose, shelf, after)
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
