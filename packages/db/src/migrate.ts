// Applies the migrations of prisma/migrations in order, each in ONE transaction with its row in Prisma's ordinary
// `_prisma_migrations` table. Prisma's own deploy marks a migration as started, runs it, and marks it as finished,
// in three steps: a process killed between them leaves a database that needs a person. Here a kill at any line
// leaves a migration applied and recorded, or neither (docs/decisions/0002-migrations-in-one-transaction.md).
import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { Problem } from './problem.ts'

/** Any number; all processes that migrate one database wait for one another on it. */
const migrationLock = 7_305_114_281

const migrationsDir = join(import.meta.dirname, '../../../prisma/migrations')

interface Migration {
  name: string
  sql: string
  checksum: string
}

function readMigrations(): Migration[] {
  return readdirSync(migrationsDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(migrationsDir, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

/** Brings the database to the newest schema and names what it applied. Safe to call from several processes at once. */
export async function migrate(url: string, onProgress?: (name: string) => void): Promise<string[]> {
  const client = await connect(url)
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
    await client.query(`CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
      "id" VARCHAR(36) PRIMARY KEY NOT NULL, "checksum" VARCHAR(64) NOT NULL, "finished_at" TIMESTAMPTZ,
      "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT, "rolled_back_at" TIMESTAMPTZ,
      "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(), "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`)
    const applied: string[] = []
    for (const migration of findPending(await readApplied(client))) {
      onProgress?.(migration.name)
      await apply(client, migration)
      applied.push(migration.name)
    }
    // The queue's own schema; graphile-worker keeps it current in transactions of its own, under the same lock of ours.
    await runMigrations({ connectionString: url, logger: silentLogger as never })
    return applied
  } finally {
    await client.end()
  }
}

/** What the database lacks; empty when it is current. Throws a Problem when it is newer than this program. */
export async function pendingMigrations(url: string): Promise<string[]> {
  const client = await connect(url)
  try {
    const { rows } = await client.query(
      `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS tracked, to_regclass('graphile_worker.migrations') IS NOT NULL AS queue`,
    )
    if (!rows[0].tracked) return readMigrations().map((migration) => migration.name)
    const pending = findPending(await readApplied(client)).map((migration) => migration.name)
    return rows[0].queue ? pending : [...pending, 'graphile_worker']
  } finally {
    await client.end()
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('BEGIN')
    await client.query(migration.sql)
    await client.query(
      `INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name", "applied_steps_count")
       VALUES ($1, $2, now(), $3, 1)`,
      [randomUUID(), migration.checksum, migration.name],
    )
    await client.query('COMMIT')
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => {}) // The first error is the one to report.
    throw new Problem(
      `The migration ${migration.name} failed and nothing of it was applied: ${(cause as Error).message}`,
      'Look at the database for something that contradicts it, then start again; what was applied before it stays.',
      { cause },
    )
  }
}

type Applied = { name: string; checksum: string; finished: boolean }

async function readApplied(client: pg.Client): Promise<Applied[]> {
  const { rows } = await client.query(
    `SELECT "migration_name" AS name, "checksum", "finished_at" IS NOT NULL AS finished
     FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY "started_at"`,
  )
  return rows
}

function findPending(applied: Applied[]): Migration[] {
  const known = readMigrations()
  for (const row of applied) {
    const migration = known.find((candidate) => candidate.name === row.name)
    if (!migration)
      throw new Problem(
        `The database has the migration ${row.name}, which this version of Quartermaster does not know.`,
        'Start the newer version that made it; an older one must not write to this database.',
      )
    if (!row.finished)
      throw new Problem(
        `The migration ${row.name} was started by Prisma's own tool and never finished.`,
        'Finish or roll it back with "prisma migrate resolve", then start again.',
      )
    if (migration.checksum !== row.checksum)
      throw new Problem(
        `The migration ${row.name} was changed after it was applied to this database.`,
        'Restore the file as it was (git checkout prisma/migrations) and write the change as a migration of its own.',
      )
  }
  const names = new Set(applied.map((row) => row.name))
  return known.filter((migration) => !names.has(migration.name))
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'qm-migrate',
    connectionTimeoutMillis: 10_000,
  })
  try {
    await client.connect()
    return client
  } catch (cause) {
    throw unreachable(url, cause)
  }
}

/** The sentence for a database that does not answer; it never repeats the password of the address. */
export function unreachable(url: string, cause: unknown): Problem {
  let where = 'the address in DATABASE_URL'
  try {
    const { hostname, port, pathname } = new URL(url)
    where = `${hostname}:${port || 5432}${pathname}`
  } catch {
    // Not an address at all: the sentence below says where it came from.
  }
  const message = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : String(cause)
  return new Problem(
    `The database at ${where} cannot be reached: ${message}.`,
    'Check DATABASE_URL (postgresql://user:password@host:5432/name) and that the server is up; without DATABASE_URL the embedded one is used.',
    { cause },
  )
}

const silentLogger = {
  scope: () => silentLogger,
  error() {},
  warn() {},
  info() {},
  debug() {},
}
