// What a member has chosen so far, where a platform's card takes several clicks. It is no answer and binds nobody; it
// goes when the question closes (trigger questions_update_copies).
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import { Problem } from './problem.ts'
import { storableJson, storableText } from './storable.ts'

export interface DraftOf {
  questionId: string
  memberId: string
}

/** Null where there is none. */
export async function readAnswerDraft(db: { pool: Queryable }, { questionId, memberId }: DraftOf): Promise<unknown> {
  const { rows } = await db.pool.query('SELECT value FROM answer_drafts WHERE question_id = $1 AND member_id = $2', [
    storableText(questionId),
    memberId,
  ])
  return rows[0]?.value ?? null
}

/** False where the question is not open, or not one of the member's workspace. */
export async function saveAnswerDraft(
  db: { pool: Queryable },
  { questionId, memberId, value }: DraftOf & { value: unknown },
): Promise<boolean> {
  const json = storableJson(value)
  if (Buffer.byteLength(json) > limits.answerDraftBytes)
    throw new Problem('What you have chosen so far is too long to be kept.', 'Choose less, or answer in the console.')
  const { rowCount } = await db.pool.query(
    `INSERT INTO answer_drafts (question_id, member_id, workspace_id, value)
     SELECT q.id, m.id, q.workspace_id, $3::jsonb FROM questions q JOIN members m ON m.workspace_id = q.workspace_id
     -- A question that is just being closed is waited for, so that no draft stays behind.
     WHERE q.id = $1 AND m.id = $2 AND q.status = 'open' FOR SHARE OF q
     ON CONFLICT (question_id, member_id) DO UPDATE SET value = excluded.value, updated_at = now()`,
    [storableText(questionId), memberId, json],
  )
  return rowCount === 1
}
