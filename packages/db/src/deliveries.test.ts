import { beforeAll, expect, test } from 'vitest'
import { inTransaction } from './client.ts'
import { oneByOne } from './combine.ts'
import {
  type ClaimedDelivery,
  claimDelivery,
  confirmDelivery,
  enqueueDelivery,
  failDelivery,
  retryDelivery,
} from './deliveries.ts'
import { limits } from './limits.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  eventKinds,
  loseClaim,
  race,
  say,
  startRun,
  type TestWorkspace,
} from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const enqueue = (conversationId: string, text = '') =>
  enqueueDelivery(database.db, { conversationId, kind: 'text', payload: { text } })
const take = (conversationId: string, processId = 'sender') => claimDelivery(database.db, { processId, conversationId })
const read = (id: string) => database.db.prisma.delivery.findUniqueOrThrow({ where: { id } })
const makeDue = (conversationId: string) =>
  database.db.pool.query('UPDATE deliveries SET next_attempt_at = now() WHERE conversation_id = $1', [conversationId])

async function newConversation(): Promise<string> {
  return (await say(database.db, workspace)).conversationId
}

async function taken(conversationId: string): Promise<ClaimedDelivery> {
  const delivery = await take(conversationId)
  if (!delivery) throw new Error('expected a delivery')
  return delivery
}

test('deliveries that are enqueued at once are numbered without gaps', async () => {
  const conversationId = await newConversation()
  const enqueued = await race(60, () => enqueue(conversationId))
  expect(enqueued.map((delivery) => delivery!.number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 60 }, (_, index) => index + 1),
  )
})

test('of a hundred senders, one claims a conversation’s delivery', async () => {
  const conversationId = await newConversation()
  await enqueue(conversationId)
  await enqueue(conversationId)
  const claims = await race(100, (index) => take(conversationId, `sender-${index}`))
  expect(claims.filter((each) => each !== null)).toHaveLength(1)
  expect(claims.find((each) => each !== null)).toMatchObject({ number: 1, attempt: 1, takenOver: false })
})

test('twenty senders keep the order of every conversation, also where a delivery is tried again', async () => {
  const conversations = await Promise.all(Array.from({ length: 5 }, newConversation))
  for (let number = 1; number <= 8; number++) await Promise.all(conversations.map((id) => enqueue(id)))
  const sent = new Map<string, number[]>(conversations.map((id) => [id, []]))
  let left = 40
  await race(20, async (index) => {
    while (left > 0) {
      const delivery = await claimDelivery(database.db, { processId: `sender-${index}` })
      if (!delivery) continue
      const first = delivery.attempt === 1 && delivery.number % 3 === 0
      if (first) await retryDelivery(database.db, delivery, { afterMs: 1, error: 'slow down' })
      else {
        sent.get(delivery.conversationId)?.push(delivery.number)
        if (!(await confirmDelivery(database.db, delivery, null))) throw new Error('lost a claim that was live')
        if (sent.has(delivery.conversationId)) left--
      }
    }
  })
  for (const numbers of sent.values()) expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('a sender that looks in the very instant in which a delivery is due finds it', async () => {
  // Within one transaction now() stands still, so nothing but the rounding of the stored time lies between the two.
  const { db } = database
  for (let round = 0; round < 20; round++) {
    const conversationId = await newConversation()
    await inTransaction(db, async (tx) => {
      const sender = { ...db, pool: tx as unknown as typeof db.pool, combiner: oneByOne(tx) }
      await enqueueDelivery(sender, { conversationId, kind: 'text', payload: {} })
      expect(await claimDelivery(sender, { processId: 'sender', conversationId })).not.toBeNull()
    })
  }
})

test('a delivery that waits for its next attempt holds back the ones behind it, and no other conversation', async () => {
  const conversationId = await newConversation()
  const other = await newConversation()
  await enqueue(conversationId)
  await enqueue(conversationId)
  await enqueue(other)
  expect(await retryDelivery(database.db, await taken(conversationId), { afterMs: 60_000, error: '429' })).toBe(
    'pending',
  )
  expect(await take(conversationId)).toBeNull()
  expect(await take(other)).not.toBeNull()
  await makeDue(conversationId)
  expect(await take(conversationId)).toMatchObject({ number: 1, attempt: 2 })
})

test('a delivery that fails for good lets the next one go', async () => {
  const conversationId = await newConversation()
  const first = await enqueue(conversationId)
  await enqueue(conversationId)
  expect(await failDelivery(database.db, await taken(conversationId), 'channel_not_found')).toBe(true)
  expect(await read(first!.id)).toMatchObject({ status: 'failed', error: 'channel_not_found' })
  expect(await take(conversationId)).toMatchObject({ number: 2 })
})

test('a delivery fails after its last attempt', async () => {
  const conversationId = await newConversation()
  for (let attempt = 1; attempt <= limits.deliveryAttempts; attempt++) {
    if (attempt === 1) await enqueue(conversationId)
    const outcome = await retryDelivery(database.db, await taken(conversationId), { afterMs: 0, error: 'again' })
    expect(outcome).toBe(attempt < limits.deliveryAttempts ? 'pending' : 'failed')
  }
  expect(await take(conversationId)).toBeNull()
})

test('a lost sender’s delivery is taken over once, says so, and the lost sender can report nothing', async () => {
  const conversationId = await newConversation()
  const enqueued = await enqueue(conversationId)
  const lost = await taken(conversationId)
  expect(await take(conversationId)).toBeNull()
  await database.db.pool.query(`UPDATE deliveries SET claim_until = now() - interval '1 second' WHERE id = $1`, [
    enqueued!.id,
  ])
  const claims = (await race(50, (index) => take(conversationId, `sender-${index}`))).filter((each) => each !== null)
  expect(claims).toHaveLength(1)
  expect(claims[0]).toMatchObject({ takenOver: true, attempt: 2 })
  expect(await confirmDelivery(database.db, lost, 'ts-1')).toBe(false)
  expect(await retryDelivery(database.db, lost, { afterMs: 0, error: '' })).toBeNull()
  expect(await failDelivery(database.db, lost, '')).toBe(false)
  expect(await confirmDelivery(database.db, claims[0]!, 'ts-2')).toBe(true)
  expect(await confirmDelivery(database.db, claims[0]!, 'ts-3')).toBe(false)
  expect(await read(enqueued!.id)).toMatchObject({ status: 'sent', externalId: 'ts-2' })
})

test('what became of a delivery is reported once', async () => {
  const conversationId = await newConversation()
  for (const report of [
    (delivery: ClaimedDelivery) => confirmDelivery(database.db, delivery, 'ts'),
    (delivery: ClaimedDelivery) => failDelivery(database.db, delivery, 'no'),
    (delivery: ClaimedDelivery) => retryDelivery(database.db, delivery, { afterMs: 0, error: 'again' }),
  ]) {
    const enqueued = await enqueue(conversationId)
    const delivery = await taken(conversationId)
    expect(await report(delivery)).toBeTruthy()
    const { status } = await read(enqueued!.id)
    expect(await confirmDelivery(database.db, delivery, 'other')).toBe(false)
    expect(await failDelivery(database.db, delivery, 'other')).toBe(false)
    expect(await retryDelivery(database.db, delivery, { afterMs: 0, error: 'other' })).toBeNull()
    expect((await read(enqueued!.id)).status).toBe(status)
  }
})

test('a delivery whose every sender was lost has failed after the last of them, and the next one goes', async () => {
  const run = await startRun(database.db, workspace)
  const { conversationId } = run
  const enqueued = await enqueueDelivery(database.db, { conversationId, kind: 'text', payload: {}, claim: run })
  const next = await enqueue(conversationId)
  for (let attempt = 1; attempt <= limits.deliveryAttempts; attempt++) {
    expect(await taken(conversationId)).toMatchObject({ deliveryId: enqueued!.id, attempt, takenOver: attempt > 1 })
    await database.db.pool.query(`UPDATE deliveries SET claim_until = now() - interval '1 second' WHERE id = $1`, [
      enqueued!.id,
    ])
  }
  await race(20, () => take(conversationId))
  expect(await read(enqueued!.id)).toMatchObject({ status: 'failed', claimedBy: null })
  expect((await eventKinds(database.db, run.runId)).filter((kind) => kind === 'delivery')).toHaveLength(1)
  expect(await read(next!.id)).toMatchObject({ status: 'sending' })
})

test('being put off by the platform is not held against a delivery, and has an end all the same', async () => {
  const conversationId = await newConversation()
  const enqueued = await enqueue(conversationId)
  const wait = async () =>
    retryDelivery(database.db, await taken(conversationId), { afterMs: 0, error: '429', wait: true })
  for (let count = 0; count < limits.deliveryAttempts * 2; count++) expect(await wait()).toBe('pending')
  const failure = { afterMs: 0, error: 'again' }
  for (let attempt = 1; attempt < limits.deliveryAttempts; attempt++)
    expect(await retryDelivery(database.db, await taken(conversationId), failure)).toBe('pending')
  // Of the attempts until now only a few were failures, so nothing but the number of waits can end it.
  await database.db.pool.query('UPDATE deliveries SET attempts = $2 + 3, waits = $2 WHERE id = $1', [
    enqueued!.id,
    limits.deliveryWaits - 2,
  ])
  expect(await wait()).toBe('pending')
  expect(await wait()).toBe('failed')
})

test('a delivery that may have been sent says so at every later attempt', async () => {
  const conversationId = await newConversation()
  await enqueue(conversationId)
  const again = async (maybeSent: boolean) => {
    const delivery = await taken(conversationId)
    await retryDelivery(database.db, delivery, { afterMs: 0, error: '', maybeSent })
    return delivery.takenOver
  }
  expect([await again(false), await again(true), await again(false), await again(false)]).toEqual([
    ...[false, false, true, true],
  ])
  const other = await newConversation()
  const enqueued = await enqueue(other)
  await taken(other)
  await database.db.pool.query(`UPDATE deliveries SET claim_until = now() - interval '1 second' WHERE id = $1`, [
    enqueued!.id,
  ])
  await retryDelivery(database.db, await taken(other), { afterMs: 0, error: 'the look failed', wait: true })
  expect(await taken(other)).toMatchObject({ takenOver: true, attempt: 3 })
})

test('a sender claims only what goes to the platforms that it can reach, a lost sender’s as well', async () => {
  const conversationId = await newConversation()
  const enqueued = await enqueue(conversationId)
  const claimBy = (kinds: ('web' | 'slack')[]) =>
    claimDelivery(database.db, { processId: 'sender', conversationId, kinds })
  expect(await claimBy(['slack'])).toBeNull()
  expect(await claimBy([])).toBeNull()
  expect(await claimBy(['slack', 'web'])).toMatchObject({ channelKind: 'web' })
  await database.db.pool.query(`UPDATE deliveries SET claim_until = now() - interval '1 second' WHERE id = $1`, [
    enqueued!.id,
  ])
  expect(await claimBy(['slack'])).toBeNull()
  expect(await claimBy(['web'])).toMatchObject({ takenOver: true })
})

test('a backlog of twenty thousand does not make claims slow, before the database has counted it either', async () => {
  const apart = await createTestWorkspace(database.db)
  const conversations = await race(100, async () => (await say(database.db, apart)).conversationId)
  await database.db.pool.query(
    `INSERT INTO deliveries (id, workspace_id, conversation_id, channel_id, number, kind, payload, next_attempt_at)
     SELECT 'backlog-' || c || '-' || n, $1, c, $2, n, 'text', '{}', now() - (1000 - n) * interval '1 second'
     FROM unnest($3::text[]) c, generate_series(1, 200) n`,
    [apart.workspaceId, apart.channelId, conversations],
  )
  const started = performance.now()
  for (let count = 0; count < 20; count++) {
    const delivery = await claimDelivery(database.db, { processId: 'sender', kinds: ['web'] })
    expect(await confirmDelivery(database.db, delivery!, null)).toBe(true)
  }
  expect(performance.now() - started).toBeLessThan(5_000)
  await database.db.pool.query('DELETE FROM deliveries WHERE workspace_id = $1', [apart.workspaceId])
})

test('a run speaks only under its claim, and what was sent is in its log', async () => {
  const old = await startRun(database.db, workspace)
  const speak = (by: typeof old) =>
    enqueueDelivery(database.db, { conversationId: by.conversationId, kind: 'text', payload: {}, claim: by })
  await loseClaim(database.db, old.runId)
  const run = await claim(database.db, old.runId)
  expect(await speak(old)).toBeNull()
  expect(await speak(run)).toMatchObject({ number: 1 })
  const elsewhere = await newConversation()
  expect(
    await enqueueDelivery(database.db, { conversationId: elsewhere, kind: 'text', payload: {}, claim: run }),
  ).toBeNull()
  await confirmDelivery(database.db, await taken(run.conversationId), null)
  expect(await eventKinds(database.db, run.runId)).toContain('delivery')
})
