// What a workspace pays its model's provider, where that is not the usual price. It stands among the settings.
import { z } from 'zod'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { Problem } from './problem.ts'

const amount = z.number('Expected a number.').min(0, 'Expected at least 0.').max(100_000, 'Expected at most 100000.')

/** US dollars per million tokens; per thousand for the searches. What is left out follows from the price of input. */
export const pricesShape = z.record(
  z.string().trim().min(1, 'Expected the name of a model.').max(200, 'Expected at most 200 characters.'),
  z.strictObject({
    input: amount,
    output: amount,
    cacheWrite5m: amount.optional(),
    cacheWrite1h: amount.optional(),
    cacheRead: amount.optional(),
    thousandWebSearches: amount.optional(),
  }),
)

export type StoredPrices = z.infer<typeof pricesShape>

/** By model; empty where the workspace has no prices of its own, or has some that cannot be read. */
export async function readPrices(db: { pool: Queryable }, workspaceId: string): Promise<StoredPrices> {
  const { rows } = await db.pool.query(`SELECT value FROM settings WHERE workspace_id = $1 AND key = 'prices'`, [
    workspaceId,
  ])
  const parsed = pricesShape.safeParse(rows[0]?.value ?? {})
  return parsed.success ? parsed.data : {}
}

/** Replaces the workspace's own prices. Throws a Problem when one of them cannot be one. */
export async function writePrices(
  db: Database,
  workspaceId: string,
  prices: StoredPrices,
  actor: Actor,
): Promise<StoredPrices> {
  const parsed = pricesShape.safeParse(prices)
  if (!parsed.success)
    throw new Problem(
      parsed.error.issues.map((issue) => `${issue.path.join('.') || 'prices'}: ${issue.message}`).join(' '),
      'Correct the price and save again.',
    )
  return inTransaction(db, async (tx) => {
    // The workspace's row puts two people who save at once in order, so that "before" in the log is true.
    await tx.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId])
    const before = await readPrices({ pool: tx }, workspaceId)
    await tx.query(
      `INSERT INTO settings (workspace_id, key, value) VALUES ($1, 'prices', $2)
       ON CONFLICT (workspace_id, key) DO UPDATE SET value = excluded.value, updated_at = now()`,
      [workspaceId, JSON.stringify(parsed.data)],
    )
    await recordAudit(tx, {
      workspaceId,
      actor,
      action: 'prices.change',
      subject: { kind: 'workspace', id: workspaceId },
      data: { before, after: parsed.data },
    })
    return parsed.data
  })
}
