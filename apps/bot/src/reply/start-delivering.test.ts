import { setTimeout as sleep } from 'node:timers/promises'
import { claimDelivery, enqueueDelivery, newId, openDatabase } from '@quartermaster/db'
import {
  createTestWorkspace,
  oneByOne,
  race,
  say,
  type TestWorkspace,
  useTestDatabase,
} from '@quartermaster/db/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Channel, DeliveryFailure } from '../channels/channel.ts'
import { limits } from '../limits.ts'
import { createLog } from '../log.ts'
import { resolveBackoff } from './send-delivery.ts'
import { type Delivering, startDelivering } from './start-delivering.ts'
import { createTestPlatform, type TestPlatform } from './testing-platform.ts'

const database = useTestDatabase()
const log = createLog({ level: 'silent', secrets: [] })
const senders: Delivering[] = []
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
})

afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.stop()))
  await database.db.pool.query('DELETE FROM deliveries')
})

async function start(channels: Channel[], options: { pollMs?: number; drainMs?: number } = {}): Promise<Delivering> {
  const sender = await startDelivering({ db: database.db, channels, log, processId: newId('prc'), ...options })
  senders.push(sender)
  return sender
}

const newConversation = async () => (await say(database.db, workspace)).conversationId

async function enqueue(conversationId: string, text = 'hello'): Promise<string> {
  const payload = { markdown: text, step: 1 }
  const enqueued = await enqueueDelivery(database.db, { conversationId, kind: 'text', payload })
  if (!enqueued) throw new Error('expected a delivery')
  return enqueued.id
}

const read = (id: string) => database.db.prisma.delivery.findUniqueOrThrow({ where: { id } })
const expireClaim = (id: string) =>
  database.db.pool.query(`UPDATE deliveries SET claim_until = now() - interval '1 second' WHERE id = $1`, [id])
const numbersOf = (platform: TestPlatform, conversationId: string) =>
  platform.arrivals.filter((arrival) => arrival.conversationId === conversationId).map((arrival) => arrival.number)

async function untilSettled(): Promise<Record<string, number>> {
  const count = async () => {
    const { rows } = await database.db.pool.query('SELECT status, count(*)::int FROM deliveries GROUP BY status')
    return Object.fromEntries(rows.map((row) => [row.status, row.count])) as Record<string, number>
  }
  return vi.waitFor(
    async () => {
      const counts = await count()
      if (counts.pending || counts.sending) throw new Error(`not settled yet: ${JSON.stringify(counts)}`)
      return counts
    },
    { timeout: 15_000, interval: 20 },
  )
}

test('what is enqueued is sent at once and confirmed with the platform’s id', async () => {
  const platform = createTestPlatform()
  await start([platform.channel], { pollMs: 60_000 })
  const started = Date.now()
  const id = await enqueue(await newConversation())
  await untilSettled()
  expect(Date.now() - started).toBeLessThan(2_000)
  expect(await read(id)).toMatchObject({ status: 'sent', externalId: `sent-${id}`, attempts: 1 })
})

test('what was enqueued while nobody listened is sent at the start', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, async () => enqueue(await newConversation())))
  const platform = createTestPlatform()
  await start([platform.channel], { pollMs: 60_000 })
  expect(await untilSettled()).toEqual({ sent: 20 })
  expect(platform.arrivals.map((arrival) => arrival.deliveryId).sort()).toEqual(ids.sort())
})

test('a thousand deliveries of fifty conversations through two senders: none lost, none twice, each in order', async () => {
  const conversations = await Promise.all(Array.from({ length: 50 }, newConversation))
  const platform = createTestPlatform({
    before({ attempt, number }) {
      if (attempt === 1 && number % 7 === 0) throw new DeliveryFailure('slow down', 20)
    },
  })
  await start([platform.channel])
  await start([platform.channel])
  await race(10, async (index) => {
    for (let number = 0; number < 20; number++)
      for (const conversation of conversations.slice(index * 5, index * 5 + 5)) await enqueue(conversation)
  })
  expect(await untilSettled()).toEqual({ sent: 1_000 })
  expect(platform.arrivals).toHaveLength(1_000)
  expect(new Set(platform.arrivals.map((arrival) => arrival.deliveryId)).size).toBe(1_000)
  const inOrder = Array.from({ length: 20 }, (_, index) => index + 1)
  for (const conversation of conversations) expect(numbersOf(platform, conversation)).toEqual(inOrder)
  expect(platform.mostAtOnce).toBeLessThanOrEqual(2 * limits.deliveryConcurrency)
}, 40_000)

test('conversations go side by side, and a slow one holds up no other', async () => {
  const slow = await newConversation()
  const gate = Promise.withResolvers<void>()
  const platform = createTestPlatform({
    before: (delivery) => (delivery.conversationId === slow ? gate.promise : undefined),
  })
  await start([platform.channel])
  await enqueue(slow)
  await enqueue(slow)
  const quick = await Promise.all(Array.from({ length: 30 }, newConversation))
  await Promise.all(quick.map((conversation) => enqueue(conversation)))
  await vi.waitFor(() => expect(platform.arrivals).toHaveLength(30), { timeout: 10_000 })
  gate.resolve()
  expect(await untilSettled()).toEqual({ sent: 32 })
  expect(numbersOf(platform, slow)).toEqual([1, 2])
})

test('"come back later" is obeyed to the millisecond, and holds back what comes behind', async () => {
  const conversationId = await newConversation()
  const platform = createTestPlatform({
    before({ attempt, number }) {
      if (number === 1 && attempt === 1) throw new DeliveryFailure('slow down', 400)
    },
  })
  await start([platform.channel])
  await enqueue(conversationId)
  await enqueue(conversationId)
  await untilSettled()
  const [refused, again] = platform.calls
  expect(again!.at - refused!.at).toBeGreaterThanOrEqual(400)
  expect(again!.at - refused!.at).toBeLessThan(2_000)
  expect(numbersOf(platform, conversationId)).toEqual([1, 2])
})

test('a storm of "come back later" loses nothing, however often a delivery is put off', async () => {
  const conversations = await Promise.all(Array.from({ length: 10 }, newConversation))
  let lastTaken = 0
  const platform = createTestPlatform({
    // One message every 30 ms for all conversations together, like a Slack channel with many threads.
    before() {
      if (Date.now() - lastTaken < 30) throw new DeliveryFailure('ratelimited', 30)
      lastTaken = Date.now()
    },
  })
  await start([platform.channel])
  await Promise.all(conversations.flatMap((conversation) => [1, 2, 3, 4].map(() => enqueue(conversation))))
  expect(await untilSettled()).toEqual({ sent: 40 })
  expect(platform.looks).toBe(0)
  const { rows } = await database.db.pool.query('SELECT max(attempts) AS most FROM deliveries')
  expect(rows[0].most).toBeGreaterThan(12)
}, 30_000)

test('a refusal for good fails the delivery at once, says why, and lets the next one go', async () => {
  const conversationId = await newConversation()
  const platform = createTestPlatform({
    before({ number }) {
      if (number === 1) throw new DeliveryFailure('channel_not_found', null)
    },
  })
  await start([platform.channel])
  const first = await enqueue(conversationId)
  const second = await enqueue(conversationId)
  await untilSettled()
  expect(await read(first)).toMatchObject({ status: 'failed', error: 'channel_not_found', attempts: 1 })
  expect(await read(second)).toMatchObject({ status: 'sent' })
})

test('a delivery whose sender was lost between sending and confirming is found on the platform and not sent twice', async () => {
  const conversationId = await newConversation()
  const id = await enqueue(conversationId)
  const platform = createTestPlatform()
  const lost = await claimDelivery(database.db, { processId: 'lost', conversationId })
  await platform.channel.deliver(lost!, new AbortController().signal)
  await start([platform.channel], { pollMs: 50 })
  await sleep(200)
  expect(platform.calls, 'the claim still holds').toHaveLength(1)
  await expireClaim(id)
  await untilSettled()
  expect(platform).toMatchObject({ looks: 1, arrivals: [{ deliveryId: id }] })
  expect(await read(id)).toMatchObject({ status: 'sent', externalId: `found-${id}` })
})

test('one that was lost before it was sent is sent by the next', async () => {
  const conversationId = await newConversation()
  const id = await enqueue(conversationId)
  await claimDelivery(database.db, { processId: 'lost', conversationId })
  await expireClaim(id)
  const platform = createTestPlatform()
  await start([platform.channel])
  await untilSettled()
  expect(platform).toMatchObject({ looks: 1, arrivals: [{ deliveryId: id }] })
})

test('after an answer that was lost on the way, or a look that was refused, it looks before it sends again', async () => {
  const conversationId = await newConversation()
  const platform = createTestPlatform({
    after({ attempt }) {
      if (attempt === 1) throw new Error('socket hang up')
    },
  })
  const inner = platform.channel.deliver
  const channel: Channel = {
    ...platform.channel,
    deliver: (delivery, signal) => {
      if (delivery.attempt === 2) throw new DeliveryFailure('the search is rate limited', 10)
      return inner(delivery, signal)
    },
  }
  await start([channel])
  const id = await enqueue(conversationId)
  await untilSettled()
  expect(platform).toMatchObject({ looks: 1, arrivals: [{ deliveryId: id }] })
  expect(await read(id)).toMatchObject({ status: 'sent', attempts: 3, waits: 1 })
})

test('a stop lets what is being sent end, and takes nothing new', async () => {
  const conversationId = await newConversation()
  const platform = createTestPlatform({ after: () => sleep(300) })
  const sender = await start([platform.channel])
  const [first, second] = [await enqueue(conversationId), await enqueue(conversationId)]
  await vi.waitFor(() => expect(platform.arrivals).toHaveLength(1), 15_000)
  await sender.stop()
  expect((await read(first)).status).toBe('sent')
  expect((await read(second)).status).toBe('pending')
})

test('a stop gives back what takes too long, at once due again and to be looked for first', async () => {
  const conversationId = await newConversation()
  const platform = createTestPlatform({ after: ({ attempt }) => (attempt === 1 ? new Promise(() => {}) : undefined) })
  const sender = await start([platform.channel], { drainMs: 100 })
  const id = await enqueue(conversationId)
  await vi.waitFor(() => expect(platform.arrivals).toHaveLength(1), 15_000)
  const stopped = Date.now()
  await sender.stop()
  expect(Date.now() - stopped).toBeLessThan(2_000)
  expect(await read(id)).toMatchObject({ status: 'pending', maybeSent: true, claimedBy: null })
  await start([platform.channel])
  await untilSettled()
  expect(platform).toMatchObject({ looks: 1, arrivals: [{ deliveryId: id }] })
})

test('a process leaves alone what goes to a platform that it is not connected to', async () => {
  const elsewhere = createTestPlatform({ kind: 'slack' })
  await start([elsewhere.channel], { pollMs: 30 })
  const id = await enqueue(await newConversation())
  await sleep(200)
  expect(await read(id)).toMatchObject({ status: 'pending', attempts: 0 })
  const web = createTestPlatform()
  await start([web.channel, elsewhere.channel])
  await untilSettled()
  expect(web.arrivals).toHaveLength(1)
  expect(elsewhere.calls).toHaveLength(0)
})

test('the wait after a failure doubles up to a limit, and half of it is chance', () => {
  expect([1, 2, 3, 9, 12, 99].map((attempt) => resolveBackoff(attempt, () => 1))).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ])
  expect(resolveBackoff(1, () => 0)).toBe(500)
})

test('what was sent is confirmed by its sender once the database answers again, not left to be looked for', async () => {
  const { db } = database
  let failures = 0
  const query = (statement: { name: string; text: string; values: unknown[] }) => {
    const confirms = statement.text.includes(`SET status = 'sent'`)
    if (confirms && ++failures <= 2) return Promise.reject(new Error('connection refused'))
    return db.pool.query(statement)
  }
  const platform = createTestPlatform()
  const pool = { query } as unknown as typeof db.pool
  const away = { ...db, pool, combiner: oneByOne(pool) }
  senders.push(await startDelivering({ db: away, channels: [platform.channel], log, processId: 'p' }))
  const id = await enqueue(await newConversation())
  await untilSettled()
  expect(failures).toBe(3)
  expect(await read(id)).toMatchObject({ status: 'sent', attempts: 1, externalId: `sent-${id}` })
  expect(platform.calls).toHaveLength(1)
})

test('connections that break in the middle lose nothing and double nothing', async () => {
  const conversations = await Promise.all(Array.from({ length: 5 }, newConversation))
  const platform = createTestPlatform({ before: () => sleep(10) })
  const db = openDatabase(database.url, { name: 'sender' })
  const sender = await startDelivering({ db, channels: [platform.channel], log, processId: 'p', pollMs: 200 })
  for (let number = 1; number <= 10; number++) {
    await Promise.all(conversations.map((conversation) => enqueue(conversation)))
    if (number % 3 === 0)
      await database.db.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
         AND application_name IN ('sender', 'qm-bot-deliveries')`,
      )
  }
  // A claim whose answer was lost on the way belongs to nobody; not to wait half a minute, its time is over sooner.
  await sleep(1_000)
  await database.db.pool.query(`UPDATE deliveries SET claim_until = now() - interval '1 s' WHERE status = 'sending'`)
  expect(await untilSettled()).toEqual({ sent: 50 })
  await sender.stop()
  await db.close()
  expect(platform.arrivals).toHaveLength(50)
  for (const conversation of conversations)
    expect(numbersOf(platform, conversation)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1))
}, 30_000)
