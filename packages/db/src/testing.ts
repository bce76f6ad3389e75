// A fresh database for each test file, cloned from a migrated template on one server for the whole test run
// (test/setup/postgres.ts starts it). A file that leaves a connection open fails.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type Database, openDatabase } from './client.ts'

export { oneByOne } from './combine.ts'
export * from './testing-workspace.ts'

export const templateDatabase = 'qm_template'

export interface TestDatabase {
  name: string
  db: Database
  url: string
  /** Closes, checks that nobody else is connected, and drops it. */
  dispose(): Promise<void>
}

/** A database of this file's own: `const database = useTestDatabase()`, then `database.db` inside tests. */
export function useTestDatabase(): TestDatabase {
  const handle = {} as TestDatabase
  beforeAll(async () => {
    Object.assign(handle, await createTestDatabase())
  })
  afterAll(() => handle.dispose?.())
  return handle
}

export async function createTestDatabase(template = templateDatabase): Promise<TestDatabase> {
  const server = testServerUrl()
  const name = `qm_test_${randomBytes(6).toString('hex')}`
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`))
  const url = server.replace(/\/[^/]+$/, `/${name}`)
  const db = openDatabase(url, { name: 'test', maxConnections: 40 })
  return {
    name,
    db,
    url,
    async dispose() {
      await db.close()
      const leaks = await onServer(server, async (client) => {
        // A closed connection's backend needs a moment to leave.
        let open: string[] = []
        for (let round = 0; round < 50; round++) {
          // Postgres's own work on the tables (autovacuum) is nobody's connection.
          const { rows } = await client.query(
            `SELECT application_name FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
            [name],
          )
          open = rows.map((row) => row.application_name)
          if (!open.length) break
          await new Promise((done) => setTimeout(done, 20))
        }
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
        return open
      })
      if (leaks.length) throw new Error(`connections were left open by: ${leaks.join(', ')}`)
    },
  }
}

/**
 * A template with data that many files begin with, made by whichever of them comes first and copied by the others.
 * `make` says what to know of it, which is kept with it as JSON.
 */
export async function useTemplate<Known>(
  name: string,
  make: (db: Database) => Promise<Known>,
): Promise<{ template: string; known: Known }> {
  const server = testServerUrl()
  const template = `${templateDatabase}_${name}`
  return onServer(server, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [template])
    const { rows } = await client.query<{ known: string }>(
      `SELECT shobj_description(oid, 'pg_database') AS known FROM pg_database WHERE datname = $1`,
      [template],
    )
    if (rows[0]) return { template, known: JSON.parse(rows[0].known) as Known }
    // Under another name until it is whole: whoever fails leaves nothing that is taken for it.
    const unfinished = await createTestDatabase()
    const { name: made } = unfinished
    const known = await make(unfinished.db)
    await unfinished.db.close()
    await client.query(`COMMENT ON DATABASE ${made} IS ${client.escapeLiteral(JSON.stringify(known))}`)
    await client.query(`ALTER DATABASE ${made} RENAME TO ${template}`)
    return { template, known }
  })
}

/** The server of this test run, as its superuser, for what cannot be done inside one database. */
export function testServerUrl(): string {
  const url = process.env.QM_TEST_POSTGRES
  if (!url) throw new Error('QM_TEST_POSTGRES is not set: run the tests with npm test')
  return url
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
