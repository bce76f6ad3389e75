import type { Queryable } from './client.ts'

/**
 * A member whose last identity has gone to another one was that person all along: what is still open goes with them, and
 * the member is disabled. What is over keeps the name under which it was done. False where identities are left.
 *
 * Answers and words go along as well: one person must not approve twice, or approve what they asked for themselves.
 */
export async function mergeMember(
  tx: Queryable,
  { workspaceId, from, to }: { workspaceId: string; from: string; to: string },
): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT 1 FROM identities WHERE member_id = $1 LIMIT 1', [from])
  if (rowCount) return false
  const unfinished = `status IN ('queued', 'running', 'waiting')`
  const ids = [workspaceId, from, to]
  await tx.query('UPDATE conversations SET opened_by = $3 WHERE workspace_id = $1 AND opened_by = $2', ids)
  await tx.query(
    `UPDATE messages m SET member_id = $3 FROM runs r WHERE r.workspace_id = $1 AND r.${unfinished}
       AND m.conversation_id = r.conversation_id AND m.run_id = r.id AND m.member_id = $2`,
    ids,
  )
  await tx.query(
    `UPDATE runs SET requested_by = $3 WHERE workspace_id = $1 AND requested_by = $2 AND ${unfinished}`,
    ids,
  )
  // Whoever answered under both names has answered once.
  await tx.query(
    `DELETE FROM answers a USING questions q WHERE q.id = a.question_id AND q.workspace_id = $1 AND q.status = 'open'
       AND a.member_id = $2 AND EXISTS (SELECT 1 FROM answers b WHERE b.question_id = q.id AND b.member_id = $3)`,
    ids,
  )
  await tx.query(
    `UPDATE answers a SET member_id = $3 FROM questions q
     WHERE q.id = a.question_id AND q.workspace_id = $1 AND q.status = 'open' AND a.member_id = $2`,
    ids,
  )
  // Ids have no character that JSON would escape, so as a quoted text each is found wherever a rule names it.
  await tx.query(
    `UPDATE questions SET approvers = replace(approvers::text, to_json($2::text)::text, to_json($3::text)::text)::jsonb
     WHERE workspace_id = $1 AND status = 'open' AND position(to_json($2::text)::text IN approvers::text) > 0`,
    ids,
  )
  await tx.query('UPDATE members SET disabled_at = now() WHERE workspace_id = $1 AND id = $2 AND disabled_at IS NULL', [
    workspaceId,
    from,
  ])
  return true
}
