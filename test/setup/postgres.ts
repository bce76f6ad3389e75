// Once a test run: a real PostgreSQL in a folder of its own, and the migrated template that test databases are
// cloned from.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@quartermaster/db'
import { startEmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import { templateDatabase } from '@quartermaster/db/testing'
import pg from 'pg'

export default async function setup() {
  const dataDir = mkdtempSync(join(tmpdir(), 'qm-test-'))
  const server = await startEmbeddedPostgres({ dataDir, ephemeral: true })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`CREATE DATABASE ${templateDatabase}`)
  await client.end()
  await migrate(server.url.replace(/\/[^/]+$/, `/${templateDatabase}`))
  process.env.QM_TEST_POSTGRES = server.url
  return async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
