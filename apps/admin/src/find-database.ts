import { Problem } from '@quartermaster/db'
import type { ConsoleEnv } from './env.ts'

export interface FoundDatabase {
  url: string
  /** Whether it is the one on our data folder; `npm start` hands its address to us as DATABASE_URL. */
  embedded: boolean
}

/** The database that was set, or the embedded one that runs on the data folder. */
export async function findDatabase(env: Pick<ConsoleEnv, 'databaseUrl' | 'dataDir'>): Promise<FoundDatabase> {
  const embedded = await findEmbedded(env.dataDir)
  const url = env.databaseUrl ?? embedded
  if (url) return { url, embedded: url === embedded }
  throw new Problem(
    `No database: DATABASE_URL is not set and the embedded one in ${env.dataDir} is not running.`,
    'Start everything with "npm start", or set DATABASE_URL.',
  )
}

async function findEmbedded(dataDir: string): Promise<string | null> {
  // Typed by hand: next's global types demand NODE_ENV of every environment, and that module makes one without it.
  const name: string = '@quartermaster/db/embedded-postgres'
  const module = (await import(name)) as { findRunningPostgres(dataDir: string): string | null }
  return module.findRunningPostgres(dataDir)
}
