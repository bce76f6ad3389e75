import { type Database, describeFailure, openDatabase, Problem, pendingMigrations } from '@quartermaster/db'
import { findRunningPostgres } from '@quartermaster/db/embedded-postgres'
import type { BotEnv } from '../../apps/bot/src/env.ts'
import { type Check, ok, problem, warning } from './check.ts'

const oldestVersion = 15

/** The database and its migrations. It is only looked at: a server that is down stays down. */
export async function checkDatabase(data: BotEnv['data']): Promise<{ checks: Check[]; db: Database | null }> {
  const embedded = data.databaseUrl ? null : findRunningPostgres(data.dir)
  const url = data.databaseUrl ?? embedded
  if (!url) {
    const down = warning('Database', 'The embedded PostgreSQL is not running.', 'Run "npm start"; it starts with it.')
    return { checks: [down, notLookedAt('Migrations')], db: null }
  }
  let pending: string[] = []
  let migrations: Check
  try {
    pending = await pendingMigrations(url)
    migrations = pending.length
      ? problem(
          'Migrations',
          `${pending.length} not applied yet: ${pending.join(', ')}.`,
          'Run "npm run db:migrate" (npm start does it by itself).',
        )
      : ok('Migrations', 'All are applied.')
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // A Problem with a cause is about the connection, one without about what is in the database.
    if (error.cause)
      return { checks: [problem('Database', error.message, error.fix), notLookedAt('Migrations')], db: null }
    migrations = problem('Migrations', error.message, error.fix)
  }
  const db = openDatabase(url, { name: 'qm-doctor', maxConnections: 2 })
  const version = await db.prisma.$queryRaw<{ server_version: string }[]>`SHOW server_version`.then(
    (rows) => rows[0]?.server_version.split(' ')[0] ?? '',
  )
  const what = embedded
    ? `The embedded PostgreSQL ${version} answers.`
    : `PostgreSQL ${version} at ${hostOf(url)} answers.`
  const database =
    Number.parseInt(version, 10) >= oldestVersion
      ? ok('Database', what)
      : problem('Database', `${what} It is too old.`, `Use PostgreSQL ${oldestVersion} or newer.`)
  return { checks: [database, migrations], db: pending.length ? await closed(db) : db }
}

export const notLookedAt = (name: string): Check =>
  warning(name, 'Not looked at, because the database could not be asked.', 'See "Database".')

const hostOf = (url: string) => new URL(url).host

async function closed(db: Database): Promise<null> {
  await db.close()
  return null
}

export const sentenceOf = (error: unknown): string => describeFailure(error).split('\n')[0] ?? ''
