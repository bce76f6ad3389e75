// Senders in real processes, killed with -9 while they send.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { enqueueDelivery } from '@quartermaster/db'
import { createTestWorkspace, say, useTestDatabase } from '@quartermaster/db/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const database = useTestDatabase()
const senders: ChildProcess[] = []
let server: Server
let platform: string
let arrivals: string[]
/** Called when a message has arrived, before the platform answers. */
let onArrival: (id: string) => Promise<void> | void

beforeEach(async () => {
  arrivals = []
  onArrival = () => {}
  server = createServer(async (request, response) => {
    const id = (request.url ?? '').slice(1)
    if (request.method === 'GET') return response.writeHead(arrivals.includes(id) ? 200 : 404).end()
    arrivals.push(id)
    await onArrival(id)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  platform = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  for (const sender of senders.splice(0)) await kill(sender)
  server.closeAllConnections()
  server.close()
})

async function startSender(): Promise<ChildProcess> {
  const sender = fork(join(import.meta.dirname, 'testing-sender.ts'), [database.url, platform], { execArgv: [] })
  senders.push(sender)
  await once(sender, 'message')
  return sender
}

async function kill(sender: ChildProcess): Promise<void> {
  if (sender.exitCode !== null || sender.signalCode !== null) return
  sender.kill('SIGKILL')
  await once(sender, 'exit')
  // What it had sent is on its way, and a platform has minutes to take it before another sender looks. Whoever connects
  // now is heard after it.
  if (server.listening) await fetch(`${platform}/nothing`, { headers: { connection: 'close' } })
}

async function enqueue(conversationId: string): Promise<string> {
  const payload = { markdown: 'hello', step: 1 }
  return (await enqueueDelivery(database.db, { conversationId, kind: 'text', payload }))!.id
}

/** As if the time of the dead processes' claims was over. */
const expireClaims = (alive: ChildProcess) =>
  database.db.pool.query(
    `UPDATE deliveries SET claim_until = now() - interval '1 s' WHERE status = 'sending' AND claimed_by <> $1`,
    [`sender-${alive.pid}`],
  )

async function untilAllSent(count: number): Promise<void> {
  const sent = async () => expect(await database.db.prisma.delivery.count({ where: { status: 'sent' } })).toBe(count)
  await vi.waitFor(sent, { timeout: 15_000, interval: 30 })
  await database.db.pool.query('DELETE FROM deliveries')
}

test('a sender that is killed after the platform took the message: the next one finds it and does not send it again', async () => {
  const workspace = await createTestWorkspace(database.db)
  const { conversationId } = await say(database.db, workspace)
  const first = await startSender()
  onArrival = () => new Promise(() => {}) // The platform has it, and its answer never comes.
  const ids = [await enqueue(conversationId), await enqueue(conversationId)]
  await vi.waitFor(() => expect(arrivals).toEqual([ids[0]]), { timeout: 5_000 })
  await kill(first)
  onArrival = () => {}
  await expireClaims(await startSender())
  await untilAllSent(2)
  expect(arrivals).toEqual(ids)
}, 30_000)

test('senders that are killed at any moment lose nothing, send nothing twice, and keep the order', async () => {
  const workspace = await createTestWorkspace(database.db)
  const conversations = await Promise.all(
    Array.from({ length: 6 }, async () => (await say(database.db, workspace)).conversationId),
  )
  const expected = new Map<string, string[]>(conversations.map((id) => [id, []]))
  for (let number = 0; number < 10; number++)
    for (const conversation of conversations) expected.get(conversation)?.push(await enqueue(conversation))
  let alive = await startSender()
  for (const killAt of [7, 19, 33, 48]) {
    const next = startSender()
    await vi.waitFor(() => expect(arrivals.length).toBeGreaterThanOrEqual(killAt), { timeout: 10_000 })
    await kill(alive)
    alive = await next
    await expireClaims(alive)
  }
  await untilAllSent(60)
  expect(arrivals).toHaveLength(60)
  for (const ids of expected.values()) expect(arrivals.filter((id) => ids.includes(id))).toEqual(ids)
}, 40_000)
