import { type PageKey, pageOf } from '../paging.ts'
import { runtime } from '../runtime.ts'

/**
 * The questions of a workspace that are over, the newest first. Each way to be over has its own stretch of the index:
 * none of them is read further than a page.
 */
export async function listClosedQuestions(
  workspaceId: string,
  { after, limit }: { after: PageKey | null; limit: number },
): Promise<{ ids: string[]; next: string | null }> {
  const stretch = (status: string) => `(SELECT q.id, q.asked_at FROM questions q
    WHERE q.workspace_id = $1 AND q.status = '${status}'
      AND ($2::timestamptz IS NULL OR (q.asked_at, q.id) < ($2, $3::text))
    ORDER BY q.asked_at DESC, q.id DESC LIMIT $4)`
  const { rows } = await runtime().db.pool.query<{ id: string; asked_at: Date }>(
    `SELECT id, asked_at FROM (${['answered', 'expired', 'withdrawn'].map(stretch).join(' UNION ALL ')}) AS over
     ORDER BY asked_at DESC, id DESC LIMIT $4`,
    [workspaceId, after?.at ?? null, after?.id ?? null, limit + 1],
  )
  const page = pageOf(rows, limit, (row) => ({ at: row.asked_at, id: row.id }))
  return { ids: page.rows.map(({ id }) => id), next: page.next }
}
