import type { ListedProcess } from '@quartermaster/db'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'

export interface Installation {
  version: string
  node: string
  database: { embedded: boolean; where: string; version: string; size: string }
  migrations: { applied: number; newest: string; pending: string[] }
  key: { fingerprint: string; previous: string | null; from: string }
  processes: ListedProcess[]
}

export async function readInstallation(): Promise<Installation> {
  const { env, db, embedded, keys, version } = runtime()
  const { hostname, port, pathname } = new URL(db.url)
  const [server, migrations, pending, processes] = await Promise.all([
    db.pool.query(
      `SELECT current_setting('server_version') AS version, pg_size_pretty(pg_database_size(current_database())) AS size`,
    ),
    db.pool.query(
      `SELECT count(*)::int AS applied, max(migration_name) AS newest FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
    ),
    data.pendingMigrations(db.url),
    data.listProcesses(db),
  ])
  return {
    version,
    node: process.version,
    database: {
      embedded,
      where: `${hostname}:${port || 5432}${pathname}`,
      version: String(server.rows[0].version).split(' ')[0] as string,
      size: server.rows[0].size,
    },
    migrations: { applied: migrations.rows[0].applied, newest: migrations.rows[0].newest ?? '', pending },
    key: {
      fingerprint: keys.current.id,
      previous: keys.previous?.id ?? null,
      from: env.masterKey ? 'QM_MASTER_KEY' : 'the file master.key in the data folder',
    },
    processes,
  }
}
