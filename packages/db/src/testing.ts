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

export async function createTestDatabase(): Promise<TestDatabase> {
  const server = testServerUrl()
  const name = `qm_test_${randomBytes(6).toString('hex')}`
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${templateDatabase}`))
  const url = server.replace(/\/[^/]+$/, `/${name}`)
  const db = openDatabase(url, { name: 'test', maxConnections: 40 })
  return {
    db,
    url,
    async dispose() {
      await db.close()
      const leaks = await onServer(server, async (client) => {
        // A closed connection's backend needs a moment to leave.
        let open: string[] = []
        for (let round = 0; round < 50; round++) {
          // The server's own vacuum may be at work in it as well, and leaves by itself.
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
