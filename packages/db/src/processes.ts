import { z } from 'zod'
import type { Database } from './client.ts'
import { limits } from './limits.ts'

const partHealth = z.object({
  state: z.enum(['ok', 'off', 'warning', 'problem']),
  /** One sentence about how it stands. */
  detail: z.string(),
  /** The one next thing to do; null when there is none. */
  next: z.string().nullable(),
})

/** What a process found when it looked around; the console's health panel shows it. */
export const processHealth = z.object({
  sandbox: partHealth,
  model: partHealth,
  slack: partHealth,
  telegram: partHealth,
})

export type PartHealth = z.infer<typeof partHealth>
export type ProcessHealth = z.infer<typeof processHealth>

export interface ProcessBeat {
  id: string
  kind: 'bot' | 'console'
  version: string
  host: string
  pid: number
  roles: string[]
  /** The console looks at nothing and says nothing. */
  health: ProcessHealth | null
}

export interface ListedProcess extends ProcessBeat {
  startedAt: Date
  seenAt: Date
}

/** "I am alive": call it well within limits.processGoneMs. */
export async function beat(db: Pick<Database, 'pool'>, process: ProcessBeat): Promise<void> {
  await db.pool.query(
    `INSERT INTO processes (id, kind, version, host, pid, roles, health) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (id) DO UPDATE SET seen_at = now(), health = excluded.health, roles = excluded.roles`,
    [
      process.id,
      process.kind,
      process.version,
      process.host,
      process.pid,
      process.roles,
      JSON.stringify(process.health ?? {}),
    ],
  )
}

/** The processes that are alive, bots first, the longest-running first. */
export async function listProcesses(db: Pick<Database, 'pool'>): Promise<ListedProcess[]> {
  const { rows } = await db.pool.query(
    `SELECT id, kind, version, host, pid, roles, health, started_at, seen_at FROM processes
     WHERE seen_at > now() - $1::float8 * interval '1 millisecond' ORDER BY kind, started_at, id LIMIT $2`,
    [limits.processGoneMs, limits.pageRows],
  )
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    version: row.version,
    host: row.host,
    pid: row.pid,
    roles: row.roles,
    // Another version may have said something else; then it says nothing here.
    health: processHealth.safeParse(row.health).data ?? null,
    startedAt: row.started_at,
    seenAt: row.seen_at,
  }))
}

/** A process that ends in order says so, and is not waited for. */
export async function endProcess(db: Pick<Database, 'pool'>, id: string): Promise<void> {
  await db.pool.query('DELETE FROM processes WHERE id = $1', [id])
}

/** For the maintenance job: processes that went without a word. Returns how many rows went. */
export async function deleteGoneProcesses(db: Pick<Database, 'pool'>): Promise<number> {
  const { rowCount } = await db.pool.query(
    `DELETE FROM processes WHERE seen_at < now() - $1::float8 * interval '1 millisecond'`,
    [limits.processGoneMs],
  )
  return rowCount ?? 0
}
