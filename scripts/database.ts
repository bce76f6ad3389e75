// The database for a script: the one of DATABASE_URL, or the embedded one that `npm start` has up, or, when nothing
// runs, the embedded one started for as long as the script needs it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkMasterKey,
  type Database,
  loadMasterKeys,
  type MasterKeys,
  migrate,
  openDatabase,
  Problem,
  pendingMigrations,
} from '@quartermaster/db'
import { findRunningPostgres, startEmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import type { readScriptEnvironment } from './environment.ts'
import { lockInstance } from './start/instance-lock.ts'
import { listenForStop, unlessStopped } from './stop-signal.ts'

export type ScriptEnvironment = Pick<
  ReturnType<typeof readScriptEnvironment>,
  'DATABASE_URL' | 'QM_DATA_DIR' | 'QM_MASTER_KEY' | 'QM_MASTER_KEY_PREVIOUS'
>

/** Runs `work` with the database and leaves everything as it found it: what was up stays up, what was not is stopped. */
export async function withDatabase<T>(env: ScriptEnvironment, work: (db: Database) => Promise<T>): Promise<T> {
  const stop = listenForStop()
  const running = env.DATABASE_URL ?? findRunningPostgres(env.QM_DATA_DIR)
  if (running) {
    // Somebody else's server may belong to another version: a script does not migrate it.
    const pending = await pendingMigrations(running)
    if (pending.length)
      throw new Problem(
        `The database is not at this version's schema: ${pending.length} migrations are missing.`,
        'Run "npm start" (or "npm run db:migrate" with DATABASE_URL) first.',
      )
    return await unlessStopped(stop, withOpen(running, work))
  }
  const unlock = lockInstance(env.QM_DATA_DIR)
  try {
    const server = await startEmbeddedPostgres({ dataDir: env.QM_DATA_DIR })
    try {
      return await unlessStopped(
        stop,
        migrate(server.url).then(() => withOpen(server.url, work)),
      )
    } finally {
      await server.stop()
    }
  } finally {
    unlock()
  }
}

/** Runs `work` with an empty server of its own, which is gone afterwards, whatever happens meanwhile. */
export async function withScratchPostgres<T>(work: (url: string) => Promise<T>): Promise<T> {
  const stop = listenForStop()
  const scratch = mkdtempSync(join(tmpdir(), 'qm-scratch-'))
  try {
    const server = await startEmbeddedPostgres({ dataDir: scratch, ephemeral: true })
    try {
      return await unlessStopped(stop, work(server.url))
    } finally {
      await server.stop()
    }
  } catch (error) {
    // Ctrl-C reaches what makes the cluster as well, and that it fails then is no failure.
    stop.throwIfAborted()
    throw error
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function withOpen<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { name: 'qm-script', maxConnections: 4 })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** The master keys, checked against this database. A script never makes a key. */
export async function loadCheckedKeys(env: ScriptEnvironment, db: Database): Promise<MasterKeys> {
  const keys = loadMasterKeys({
    key: env.QM_MASTER_KEY,
    previous: env.QM_MASTER_KEY_PREVIOUS,
    dataDir: env.QM_DATA_DIR,
    mayCreate: false,
  })
  await checkMasterKey(db, keys)
  return keys
}
