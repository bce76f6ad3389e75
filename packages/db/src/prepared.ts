import { hash } from 'node:crypto'
import type { QueryResult, QueryResultRow } from 'pg'
import type { Queryable } from './client.ts'

/** By text. The texts are constants of this package, so there is an end to them. */
const names = new Map<string, string>()

/**
 * A statement of the hot path, parsed and planned once a connection: a transition of a run is a long statement over
 * small tables, and planning it takes longer than doing it.
 */
// biome-ignore lint/suspicious/noExplicitAny: as pg itself types a row that nobody described.
export async function prepared<Row extends QueryResultRow = any>(
  tx: Queryable,
  text: string,
  values: unknown[],
): Promise<QueryResult<Row>> {
  let name = names.get(text)
  if (!name) {
    name = `qm_${hash('sha256', text, 'hex').slice(0, 24)}`
    names.set(text, name)
  }
  try {
    return await tx.query<Row>({ name, text, values })
  } catch (error) {
    // A migration changed a table beneath the plan ("cached plan must not change result type"); nothing was done yet.
    if ((error as { code?: string }).code !== '0A000') throw error
    return await tx.query<Row>(text, values)
  }
}
