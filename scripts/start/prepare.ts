// The set-up that `npm start` and `npm run dev` share: database, migrations, master key, first data.
import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkMasterKey, loadMasterKeys, migrate, openDatabase, Problem } from '@quartermaster/db'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import type { readScriptEnvironment } from '../environment.ts'
import { unlessStopped } from '../stop-signal.ts'
import { ensureFirstOwner, type FirstOwner } from './owner.ts'

/** Below this the database would soon stop in the middle of something. */
const neededBytes = 200 * 1024 * 1024

export interface Prepared {
  databaseUrl: string
  postgres: EmbeddedPostgres | null
  owner: FirstOwner | null
}

export async function prepare(
  env: ReturnType<typeof readScriptEnvironment>,
  say: (what: string) => void,
  stop: AbortSignal,
): Promise<Prepared> {
  checkDisk(env.QM_DATA_DIR)
  const postgres = env.DATABASE_URL
    ? null
    : await startEmbeddedPostgres({ dataDir: env.QM_DATA_DIR, onProgress: (what) => say(`PostgreSQL: ${what}`) })
  try {
    const databaseUrl = env.DATABASE_URL ?? (postgres as EmbeddedPostgres).url
    // It may have to wait for another process that migrates. Cut off, a migration is applied wholly or not at all.
    await unlessStopped(
      stop,
      migrate(databaseUrl, (name) => say(`Migration ${name}`)),
    )
    const db = openDatabase(databaseUrl, { name: 'qm-start', maxConnections: 2 })
    try {
      const keys = loadMasterKeys({
        dataDir: env.QM_DATA_DIR,
        // A lost key file must not be replaced in silence: with data that it sealed, only the old one opens it.
        mayCreate: (await db.prisma.workspace.count()) === 0,
        ...(env.QM_MASTER_KEY ? { key: env.QM_MASTER_KEY } : {}),
        ...(env.QM_MASTER_KEY_PREVIOUS ? { previous: env.QM_MASTER_KEY_PREVIOUS } : {}),
      })
      await checkMasterKey(db, keys)
      const owner = await ensureFirstOwner(db, {
        dataDir: env.QM_DATA_DIR,
        email: env.QM_OWNER_EMAIL,
        password: env.QM_OWNER_PASSWORD,
      })
      stop.throwIfAborted()
      return { databaseUrl, postgres, owner }
    } finally {
      await db.close()
    }
  } catch (error) {
    await postgres?.stop()
    throw error
  }
}

function checkDisk(dataDir: string): void {
  let folder = dataDir
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < neededBytes)
    throw new Problem(
      `The disk is nearly full: ${Math.floor((bavail * bsize) / 1024 / 1024)} MB are free where ${dataDir} lies, and 200 MB are needed.`,
      'Free some space there, or set QM_DATA_DIR to a folder on a larger disk, then start again.',
    )
}
