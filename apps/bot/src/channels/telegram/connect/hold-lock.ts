import type { Database, Queryable } from '@quartermaster/db'
import type { Log } from '../../../log.ts'

export interface HeldLock {
  /** Aborts when the lock may be somebody else's: its connection was lost. */
  lost: AbortSignal
  release(): void
}

/**
 * Takes a lock that one process of the fleet has at a time, on a connection of its own: PostgreSQL gives it to the next
 * one as soon as that connection ends, however the process did. Null while somebody else has it.
 */
export async function holdLock(
  db: Pick<Database, 'pool'>,
  name: string,
  options: { checkMs: number; log: Log },
): Promise<HeldLock | null> {
  const client = await db.pool.connect()
  let taken = false
  try {
    taken = await tryLock(client, name)
  } catch (error) {
    client.release(true)
    throw error
  }
  if (!taken) {
    client.release()
    return null
  }
  const lost = new AbortController()
  const lose = (error?: Error) => {
    if (lost.signal.aborted) return
    clearInterval(checks)
    options.log.warn({ error }, 'the connection that held the lock is lost')
    lost.abort(error)
    client.release(true)
  }
  // Two checks that got no answer in time mean a connection that is gone, whatever TCP still believes.
  let waiting = false
  const checks = setInterval(() => {
    if (waiting) return lose(new Error('the database does not answer'))
    waiting = true
    client.query('SELECT 1').then(() => {
      waiting = false
    }, lose)
  }, options.checkMs)
  client.on('error', lose)
  client.on('end', lose)
  return {
    lost: lost.signal,
    release() {
      if (lost.signal.aborted) return
      clearInterval(checks)
      client.off('error', lose)
      client.off('end', lose)
      lost.abort()
      // The connection ends, and with it everything that it holds.
      client.release(true)
    },
  }
}

async function tryLock(client: Queryable, name: string): Promise<boolean> {
  // A host that vanished without a word is noticed by the server's own probes, not after two hours.
  await client.query('SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3')
  const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken', [name])
  return rows[0].taken
}
