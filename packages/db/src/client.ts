import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { type Combiner, createCombiner } from './combine.ts'
import { PrismaClient } from './generated/client.ts'
import { limits } from './limits.ts'

/**
 * The database as the rest of the house sees it: Prisma where its calls read better, and the pool for transitions on
 * the hot path, where one statement is one round trip. Both draw on the same connections.
 */
export interface Database {
  prisma: PrismaClient
  pool: pg.Pool
  /** For the transitions of which many wait at once. */
  combiner: Combiner
  url: string
  close(): Promise<void>
}

/** What a statement can be run on: the pool, or one client in a transaction. */
export type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>

export function openDatabase(url: string, options: { name: string; maxConnections?: number }): Database {
  const connection = {
    connectionString: url,
    application_name: options.name,
    connectionTimeoutMillis: limits.connectionMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleTransactionMs,
    keepAlive: true,
  }
  const pool = new pg.Pool({ ...connection, max: options.maxConnections ?? 10 })
  // A connection may break when the server restarts. While it is idle, the pool drops it and opens another for the next
  // query. While a transaction has it, that transaction's next query fails; without a listener of its own the error
  // would end the whole process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const combiner = createCombiner(pool, connection)
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  let closing: Promise<void> | null = null
  const close = async () => {
    await prisma.$disconnect()
    await combiner.close()
    await pool.end()
  }
  return {
    prisma,
    pool,
    combiner,
    url,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** Runs `work` in one transaction on one connection: all of it holds, or none of it. */
export async function inTransaction<T>(db: Database, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await db.pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // A connection that cannot even roll back is broken: it must not go back to the pool.
    const broken = await client.query('ROLLBACK').then(
      () => undefined,
      (cause: Error) => cause,
    )
    client.release(broken)
    throw error
  }
}
