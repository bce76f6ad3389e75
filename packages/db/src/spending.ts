// What was spent, next to a budget, and what people said when one was used up.
import { type Claim, heldRun } from './claim.ts'
import { type Database, inTransaction } from './client.ts'
import { enqueueDelivery } from './deliveries.ts'

export interface Spending {
  /** Millionths of a dollar since midnight UTC, this run included. */
  agentDayMicros: number
  personDayMicros: number
  /** Tokens of input and output: of this run, and since midnight UTC. */
  runTokens: number
  agentDayTokens: number
  personDayTokens: number
  /** Questions about budgets of this run, oldest first. `value` is what was chosen. */
  questions: { status: 'open' | 'answered' | 'expired' | 'withdrawn'; verdict: string | null; value: unknown }[]
}

const sums = 'coalesce(sum(cost_micros), 0) AS cost, coalesce(sum(input_tokens + output_tokens), 0) AS tokens'

/**
 * An agent's day is what its finished runs cost, which is added up by the hour, and what its unfinished ones cost so
 * far. A person's day is read from the runs of that day.
 */
export async function readSpending(
  db: Database,
  run: { runId: string; workspaceId: string; agentId: string; requestedBy: string | null },
): Promise<Spending> {
  const { rows } = await db.pool.query(
    `SELECT finished.cost + unfinished.cost AS agent_day, finished.tokens + unfinished.tokens AS agent_day_tokens,
       person.cost AS person_day, person.tokens AS person_day_tokens,
       (SELECT input_tokens + output_tokens FROM runs WHERE id = $1) AS run_tokens,
       (SELECT coalesce(json_agg(json_build_object('status', q.status, 'verdict', q.verdict, 'value',
           (SELECT a.value FROM answers a WHERE a.question_id = q.id AND a.verdict = q.verdict ORDER BY a.at DESC LIMIT 1)
         ) ORDER BY q.asked_at), '[]') FROM questions q WHERE q.run_id = $1 AND q.kind = 'budget') AS questions
     FROM (SELECT ${sums} FROM usage_hours
         WHERE workspace_id = $2 AND agent_id = $3 AND hour >= date_trunc('day', now(), 'UTC')) AS finished,
       (SELECT ${sums} FROM runs
         WHERE workspace_id = $2 AND agent_id = $3 AND status IN ('queued', 'running', 'waiting')) AS unfinished,
       (SELECT ${sums} FROM runs
         WHERE workspace_id = $2 AND requested_by = $4 AND queued_at >= date_trunc('day', now(), 'UTC')) AS person`,
    [run.runId, run.workspaceId, run.agentId, run.requestedBy],
  )
  const row = rows[0]
  return {
    agentDayMicros: Number(row.agent_day),
    personDayMicros: Number(row.person_day),
    runTokens: Number(row.run_tokens ?? 0),
    agentDayTokens: Number(row.agent_day_tokens),
    personDayTokens: Number(row.person_day_tokens),
    questions: row.questions,
  }
}

/** Says once in a run that most of a budget is used. False: it was said, or the claim is lost. */
export function noticeBudget(
  db: Database,
  claim: Claim,
  notice: { conversationId: string; text: string },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // The conversation's row comes before the run's (see runs.ts on locks).
    await tx.query('SELECT 1 FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [notice.conversationId])
    const { rowCount } = await tx.query(
      `WITH held AS (${heldRun.replace('FOR SHARE', 'FOR NO KEY UPDATE')})
       UPDATE runs r SET budget_notice_at = clock_timestamp() FROM held WHERE r.id = held.run_id AND r.budget_notice_at IS NULL`,
      [claim.runId, claim.claimNumber],
    )
    if (!rowCount) return false
    const payload = { kind: 'notice', text: notice.text }
    await enqueueDelivery({ pool: tx }, { conversationId: notice.conversationId, kind: 'notice', payload })
    return true
  })
}
