// LISTEN on a connection of its own. PostgreSQL keeps no notices for somebody who is away, so after every break the
// listener is told that it may have missed something, and reads again what it follows.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export type Notice =
  | { kind: 'notice'; channel: string; payload: string }
  /** The connection was lost and is back: notices in between are gone. */
  | { kind: 'gap' }

/** How long to wait before the first and at most before any later try to connect again. */
const backoffMs = { first: 100, most: 5_000 }
/** How often the connection is tried out; one that does not answer within the same time counts as lost. */
const checkMs = 15_000

/**
 * Calls `onNotice` for every notice on `channels` until the signal aborts. Resolves when it listens for the first
 * time, and rejects when the database cannot be reached then; later breaks are mended in the background.
 */
export async function listen(
  url: string,
  channels: readonly string[],
  onNotice: (notice: Notice) => void,
  options: { signal: AbortSignal; name?: string },
): Promise<void> {
  const { signal, name = 'qm-listen' } = options
  signal.throwIfAborted()
  let connection = await connect(url, channels, onNotice, name)
  const keep = async () => {
    while (await untilLostOrAborted(connection, signal)) {
      const next = await reconnect(() => connect(url, channels, onNotice, name), signal)
      if (!next) return
      connection = next
      onNotice({ kind: 'gap' })
    }
  }
  void keep()
}

interface Connection {
  client: pg.Client
  lost: Promise<void>
}

async function connect(
  url: string,
  channels: readonly string[],
  onNotice: (notice: Notice) => void,
  name: string,
): Promise<Connection> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: 5_000,
    query_timeout: checkMs,
    keepAlive: true,
  })
  const lost = new Promise<void>((done) => {
    client.on('error', () => done())
    client.on('end', () => done())
  })
  client.on('notification', ({ channel, payload }) => onNotice({ kind: 'notice', channel, payload: payload ?? '' }))
  try {
    await client.connect()
    for (const channel of channels) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
  } catch (error) {
    await close(client)
    throw error
  }
  return { client, lost }
}

/** True when the connection broke, false when the listener is done with it. It is closed either way. */
async function untilLostOrAborted({ client, lost }: Connection, signal: AbortSignal): Promise<boolean> {
  // A peer that vanished without a word (a cut cable, a frozen host) is noticed only by asking it something.
  const checks = setInterval(() => client.query('SELECT 1').catch(() => close(client)), checkMs)
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) resolve()
  await Promise.race([lost, aborted])
  // A listener lives as long as its process and may reconnect any number of times: nothing of this round stays behind.
  signal.removeEventListener('abort', onAbort)
  clearInterval(checks)
  await close(client)
  return !signal.aborted
}

async function reconnect(connectAgain: () => Promise<Connection>, signal: AbortSignal): Promise<Connection | null> {
  for (let wait = backoffMs.first; !signal.aborted; wait = Math.min(wait * 2, backoffMs.most)) {
    try {
      return await connectAgain()
    } catch {
      // The server is still away; it is tried until it is back or the listener is done.
      await sleep(wait, undefined, { signal }).catch(() => {}) // Aborted: the loop ends.
    }
  }
  return null
}

/** A connection that is already broken cannot say goodbye, and does not have to. */
async function close(client: pg.Client): Promise<void> {
  await client.end().catch(() => {})
}
