import type { Queryable } from '../client.ts'

export type Row = Record<string, unknown>

/** Rows that are to be inserted, by table. */
export class Rows {
  readonly tables = new Map<string, Row[]>()

  add(table: string, row: Row): void {
    const rows = this.tables.get(table)
    if (rows) rows.push(row)
    else this.tables.set(table, [row])
  }

  of(table: string): Row[] {
    return this.tables.get(table) ?? []
  }

  addAll(other: Rows): void {
    for (const [table, rows] of other.tables) for (const row of rows) this.add(table, row)
  }
}

const chunk = 2_000

/** Many rows a statement. Every row of a table has the columns of its first one; Postgres reads them from JSON. */
export async function insertRows(tx: Queryable, table: string, rows: readonly Row[]): Promise<void> {
  if (!rows[0]) return
  const columns = Object.keys(rows[0]).join(', ')
  for (let from = 0; from < rows.length; from += chunk)
    await tx.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`,
      [JSON.stringify(rows.slice(from, from + chunk))],
    )
}

export const bytes = (content: Buffer) => `\\x${content.toString('hex')}`
