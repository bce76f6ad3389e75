// How often something was tried in a window of time, counted in the database and so for all processes together.
import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Database } from './client.ts'

export interface Attempts {
  /** With these. */
  count: number
  /** Until the window ends and counting starts anew. */
  secondsLeft: number
}

const hashOf = (key: string) => createHash('sha256').update(key).digest()

/**
 * Counts one attempt, or several that are taken together. One statement, before the thing itself is done: parallel
 * attempts are all counted.
 */
export async function countAttempt(
  db: Pick<Database, 'pool'>,
  key: string,
  windowMs: number,
  times = 1,
): Promise<Attempts> {
  const { rows } = await db.pool.query<{ count: number; seconds_left: number }>(
    `INSERT INTO attempts (key_hash, window_start, count)
     VALUES ($1, to_timestamp(floor(extract(epoch FROM now()) / $2::float8) * $2::float8), $3::int)
     ON CONFLICT (key_hash, window_start) DO UPDATE SET count = attempts.count + excluded.count
     RETURNING count, greatest(1, ceil(extract(epoch FROM window_start - now()) + $2::float8))::int AS seconds_left`,
    [hashOf(key), windowMs / 1000, times],
  )
  const row = rows[0] as { count: number; seconds_left: number }
  return { count: row.count, secondsLeft: row.seconds_left }
}

export async function forgetAttempts(db: Pick<Database, 'pool'>, key: string): Promise<void> {
  await db.pool.query('DELETE FROM attempts WHERE key_hash = $1', [hashOf(key)])
}

/** For the maintenance job: windows that are over count no more. Returns how many rows went. */
export async function deleteOldAttempts(db: Pick<Database, 'pool'>, olderThanMs: number): Promise<number> {
  const { rowCount } = await db.pool.query(
    `DELETE FROM attempts WHERE window_start < now() - $1::float8 * interval '1 millisecond'`,
    [olderThanMs],
  )
  return rowCount ?? 0
}

/** What counts as one address: an IPv4 address; of IPv6 the first 64 bits, because one customer has all the rest. */
export function addressGroup(address: string): string {
  const bare = address.replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)
  if (mapped) return mapped[1] as string
  if (!isIPv6(bare)) return bare
  const [before = '', after] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::')
  const left = before ? before.split(':') : []
  const right = after ? after.split(':') : []
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}
