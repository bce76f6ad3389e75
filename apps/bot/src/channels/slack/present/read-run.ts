import type { Database } from '@quartermaster/db'

/** Whom Slack is told that a stream is for: whoever asked for the run, as they are known on Slack. */
export async function findRecipient(
  db: Pick<Database, 'pool'>,
  runId: string,
): Promise<{ recipient_team_id: string; recipient_user_id: string } | null> {
  const { rows } = await db.pool.query<{ external_id: string }>(
    `SELECT i.external_id FROM runs r
     JOIN identities i ON i.workspace_id = r.workspace_id AND i.member_id = r.requested_by AND i.kind = 'slack'
     JOIN conversations c ON c.id = r.conversation_id JOIN channels ch ON ch.id = c.channel_id
     WHERE r.id = $1 ORDER BY starts_with(i.external_id, ch.external_id || ':') DESC, i.created_at LIMIT 1`,
    [runId],
  )
  const [team, user] = (rows[0]?.external_id ?? '').split(':')
  return team && user ? { recipient_team_id: team, recipient_user_id: user } : null
}

export async function hasOpenQuestion(db: Pick<Database, 'pool'>, runId: string): Promise<boolean> {
  const { rowCount } = await db.pool.query(`SELECT 1 FROM questions WHERE run_id = $1 AND status = 'open' LIMIT 1`, [
    runId,
  ])
  return (rowCount ?? 0) > 0
}

/** Whether the text of a step is on its way already, or there: then it is not shown as being written any more. */
export async function isStepSent(
  db: Pick<Database, 'pool'>,
  { conversationId, runId, step }: { conversationId: string; runId: string; step: number },
): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `SELECT 1 FROM deliveries WHERE conversation_id = $1 AND run_id = $2 AND kind = 'text' AND payload ->> 'step' = $3
     LIMIT 1`,
    [conversationId, runId, String(step)],
  )
  return (rowCount ?? 0) > 0
}
