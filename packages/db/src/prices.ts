// What a workspace pays its model's provider, where that is not the usual price. It stands among the settings.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { limits } from './limits.ts'
import { Problem } from './problem.ts'

const amount = z.number('Expected a number.').min(0, 'Expected at least 0.').max(100_000, 'Expected at most 100000.')

/** As providers write the names of their models. */
export const modelNameShape = z
  .string('Expected the name of a model.')
  .trim()
  .min(1, 'Expected the name of a model.')
  .max(200, 'Expected at most 200 characters.')
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/,
    'Expected a name like claude-sonnet-5-5: letters, digits and . _ : / @ - only.',
  )

/** US dollars per million tokens; per thousand for the searches. What is left out follows from the price of input. */
export const priceShape = z.strictObject({
  input: amount,
  output: amount,
  cacheWrite5m: amount.optional(),
  cacheWrite1h: amount.optional(),
  cacheRead: amount.optional(),
  thousandWebSearches: amount.optional(),
})

export type StoredPrice = z.infer<typeof priceShape>

const pricesShape = z.record(modelNameShape, priceShape)

export type StoredPrices = z.infer<typeof pricesShape>

/** By model; empty where the workspace has no prices of its own, or has some that cannot be read. */
export async function readPrices(db: { pool: Queryable }, workspaceId: string): Promise<StoredPrices> {
  const { rows } = await db.pool.query(`SELECT value FROM settings WHERE workspace_id = $1 AND key = 'prices'`, [
    workspaceId,
  ])
  const parsed = pricesShape.safeParse(rows[0]?.value ?? {})
  return parsed.success ? parsed.data : {}
}

/** What the workspace pays for a model from now on. False: it is so already. Throws a Problem where it can be no price. */
export async function setPrice(
  db: Database,
  change: { workspaceId: string; model: string; price: StoredPrice; actor: Actor },
): Promise<boolean> {
  const model = parse(modelNameShape, change.model, 'The name of the model')
  const price = parse(priceShape, change.price, model)
  return changePrice(db, { ...change, model }, price)
}

/** The usual price holds again, where the model has one. False: it has no price of the workspace's own. */
export function removePrice(
  db: Database,
  change: { workspaceId: string; model: string; actor: Actor },
): Promise<boolean> {
  return changePrice(db, change, null)
}

function changePrice(
  db: Database,
  { workspaceId, model, actor }: { workspaceId: string; model: string; actor: Actor },
  after: StoredPrice | null,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // The workspace's row puts two people who save at once in order: neither undoes what the other one set.
    await tx.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId])
    const { [model]: before = null, ...others } = await readPrices({ pool: tx }, workspaceId)
    if (isDeepStrictEqual(before, after)) return false
    if (after && Object.keys(others).length >= limits.ownPrices)
      throw new Problem(
        `A workspace has at most ${limits.ownPrices} prices of its own.`,
        'Remove those of models that nobody uses any more.',
      )
    await tx.query(
      `INSERT INTO settings (workspace_id, key, value) VALUES ($1, 'prices', $2)
       ON CONFLICT (workspace_id, key) DO UPDATE SET value = excluded.value, updated_at = now()`,
      [workspaceId, JSON.stringify(after ? { ...others, [model]: after } : others)],
    )
    await recordAudit(tx, {
      workspaceId,
      actor,
      action: 'prices.change',
      subject: { kind: 'workspace', id: workspaceId },
      data: { model, before, after },
    })
    return true
  })
}

function parse<T>(shape: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Problem(
    parsed.error.issues.map(({ path, message }) => `${[what, ...path].join('.')}: ${message}`).join(' '),
    'Correct the price and save again.',
  )
}
