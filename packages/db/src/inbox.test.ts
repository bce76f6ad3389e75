import { beforeAll, expect, test } from 'vitest'
import { oneByOne } from './combine.ts'
import { finishRun } from './finish-run.ts'
import { newId } from './ids.ts'
import { deleteOldInboundEvents, receiveEvent } from './inbox.ts'
import { limits } from './limits.ts'
import { askQuestion } from './questions.ts'
import { parkRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  eventKinds,
  isQueued,
  race,
  raceBehind,
  readRun,
  requestCall,
  say,
  startRun,
  type TestWorkspace,
} from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

test('a first message opens a conversation and queues one run', async () => {
  const received = await say(database.db, workspace)
  expect(received).toMatchObject({ messageNumber: 1, runCreated: true })
  expect(await isQueued(database.db, received.runId)).toBe(true)
  expect(await eventKinds(database.db, received.runId)).toEqual(expect.arrayContaining(['run-queue', 'message']))
  const run = await readRun(database.db, received.runId)
  expect(run).toMatchObject({ status: 'queued', requestedBy: workspace.members.member, agentId: workspace.agentId })
  expect(run.agentVersionId).not.toBeNull()
})

test('an event that comes a hundred times at once is one message and one run', async () => {
  const eventId = newId('event')
  const event = {
    channelId: workspace.channelId,
    eventId,
    place: 'here',
    conversationKey: newId('thread'),
    memberId: workspace.members.member,
    content: [{ type: 'text', text: 'once' }],
  }
  // The channel's row holds them all up between their first look and their first write.
  const lock = { sql: 'SELECT 1 FROM channels WHERE id = $1 FOR UPDATE', id: workspace.channelId, waiting: 30 }
  // Each by itself: together they would come two at a time, and the first would have written before the last one looks.
  const each = { ...database.db, combiner: oneByOne(database.db.pool) }
  const outcomes = await raceBehind(database.db, lock, () => race(100, () => receiveEvent(each, event)))
  const taken = outcomes.filter((received) => received.outcome === 'received')
  expect(taken).toHaveLength(1)
  expect(outcomes.filter((received) => received.outcome === 'duplicate')).toHaveLength(99)
  const first = taken[0]!
  for (const duplicate of outcomes)
    expect(duplicate).toMatchObject({ conversationId: first.conversationId, messageNumber: 1, runId: first.runId })
  const conversation = await database.db.prisma.conversation.findUniqueOrThrow({ where: { id: first.conversationId } })
  expect(conversation.nextMessage).toBe(2)
  expect(await database.db.prisma.run.count({ where: { conversationId: first.conversationId } })).toBe(1)
})

test('a hundred messages at once in a new conversation are numbered without gaps and share one run', async () => {
  const conversationKey = newId('thread')
  const received = await race(100, () => say(database.db, workspace, { conversationKey }))
  expect(new Set(received.map((each) => each.conversationId)).size).toBe(1)
  expect(new Set(received.map((each) => each.runId)).size).toBe(1)
  expect(received.filter((each) => each.runCreated)).toHaveLength(1)
  expect(received.map((each) => each.messageNumber).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 1),
  )
})

test('a message to a running or waiting run belongs to it and queues nothing', async () => {
  const conversationKey = newId('thread')
  const { runId } = await say(database.db, workspace, { conversationKey })
  const run = await claim(database.db, runId)
  expect(await say(database.db, workspace, { conversationKey })).toMatchObject({ runId, runCreated: false })
  expect(await isQueued(database.db, runId)).toBe(false)
  await askQuestion(database.db, run, {
    toolCallId: await requestCall(database.db, run),
    kind: 'confirmation',
    prompt: {},
  })
  expect(await parkRun(database.db, run)).toBe('parked')
  expect(await say(database.db, workspace, { conversationKey })).toMatchObject({ runId, runCreated: false })
  expect((await readRun(database.db, runId)).status).toBe('waiting')
})

test('a message after the end of a run queues the next one', async () => {
  const conversationKey = newId('thread')
  const first = await say(database.db, workspace, { conversationKey })
  await finishRun(database.db, await claim(database.db, first.runId), { status: 'succeeded', seenMessage: 1 })
  const second = await say(database.db, workspace, { conversationKey })
  expect(second).toMatchObject({ conversationId: first.conversationId, messageNumber: 2, runCreated: true })
})

test('the agent that is bound to a place answers there, and the channel’s own everywhere else', async () => {
  const { db } = database
  const bound = newId('agent')
  await db.pool.query('INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $1)', [
    bound,
    workspace.workspaceId,
  ])
  await db.pool.query('INSERT INTO bindings (workspace_id, channel_id, place, agent_id) VALUES ($1, $2, $3, $4)', [
    workspace.workspaceId,
    workspace.channelId,
    'C-bound',
    bound,
  ])
  const event = { channelId: workspace.channelId, memberId: null, content: [] }
  for (const [place, agentId] of [
    ['C-bound', bound],
    ['C-other', workspace.agentId],
  ] as const) {
    const received = await receiveEvent(db, { ...event, place, eventId: newId('e'), conversationKey: newId('t') })
    expect(received.outcome).toBe('received')
    if (received.outcome === 'received') expect((await readRun(db, received.runId)).agentId).toBe(agentId)
  }
})

test('an archived agent answers nowhere, in its own conversations neither, and again when it is back', async () => {
  const { db } = database
  const place = newId('place')
  const bound = newId('agent')
  await db.pool.query('INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $1)', [
    bound,
    workspace.workspaceId,
  ])
  await db.pool.query('INSERT INTO bindings (workspace_id, channel_id, place, agent_id) VALUES ($1, $2, $3, $4)', [
    workspace.workspaceId,
    workspace.channelId,
    place,
    bound,
  ])
  const archive = (agentId: string, at: Date | null) =>
    db.pool.query('UPDATE agents SET archived_at = $2 WHERE id = $1', [agentId, at])
  const write = (conversationKey: string) =>
    receiveEvent(db, {
      ...{ channelId: workspace.channelId, memberId: null, content: [], place, eventId: newId('e') },
      conversationKey,
    })
  const known = newId('t')
  expect(await write(known)).toMatchObject({ outcome: 'received' })
  await archive(bound, new Date())
  expect(await write(known)).toEqual({ outcome: 'no-agent' })
  const fallback = await write(newId('t'))
  if (fallback.outcome !== 'received') throw new Error('expected the channel’s own agent to answer')
  expect((await readRun(db, fallback.runId)).agentId).toBe(workspace.agentId)
  await archive(workspace.agentId, new Date())
  expect(await write(newId('t'))).toEqual({ outcome: 'no-agent' })
  await archive(workspace.agentId, null)
  await archive(bound, null)
  expect(await write(known)).toMatchObject({ outcome: 'received', messageNumber: 2 })
})

test('where no agent answers, the event is remembered and nothing else is written', async () => {
  const { db } = database
  const channelId = newId('chn')
  await db.pool.query(
    `INSERT INTO channels (id, workspace_id, kind, name, external_id) VALUES ($1, $2, 'slack', $1, $1)`,
    [channelId, workspace.workspaceId],
  )
  const event = { channelId, eventId: 'e1', place: 'x', conversationKey: 'x', memberId: null, content: [] }
  expect(await receiveEvent(db, event)).toEqual({ outcome: 'no-agent' })
  expect(await receiveEvent(db, event)).toMatchObject({ outcome: 'duplicate', runId: null })
  expect(await db.prisma.conversation.count({ where: { channelId } })).toBe(0)
})

test('a message to a channel that does not exist is an error, not a silent loss', async () => {
  const event = { channelId: 'none', eventId: 'e', place: 'x', conversationKey: 'x', memberId: null, content: [] }
  await expect(receiveEvent(database.db, event)).rejects.toThrow('there is no channel none')
})

test('text that PostgreSQL cannot hold does not lose the message', async () => {
  const received = await say(database.db, workspace, { text: 'a\0b \ud800 c' })
  const message = await database.db.prisma.message.findFirstOrThrow({
    where: { conversationId: received.conversationId },
  })
  expect(message.content).toEqual([{ type: 'text', text: 'a\uFFFDb \uFFFD c' }])
})

test('an event under ids that PostgreSQL cannot hold is received once', async () => {
  const event = {
    ...{ channelId: workspace.channelId, memberId: null, content: [] },
    ...{ eventId: 'e\0', place: 'p\0', conversationKey: 'k\ud800', messageId: 'm\0', title: 't\0' },
  }
  expect(await receiveEvent(database.db, event)).toMatchObject({ outcome: 'received' })
  expect(await receiveEvent(database.db, event)).toMatchObject({ outcome: 'duplicate', messageNumber: 1 })
})

test('events are forgotten when no platform sends them again, and not before', async () => {
  const { db } = database
  const [old, young] = [newId('event'), newId('event')]
  for (const eventId of [old, young]) await say(db, workspace, { eventId })
  const age = (eventId: string, ms: number) =>
    db.pool.query(
      `UPDATE inbound_events SET received_at = now() - $2 * interval '1 millisecond' WHERE external_id = $1`,
      [eventId, ms],
    )
  await age(old, limits.inboundEventMs + 60_000)
  await age(young, limits.inboundEventMs - 60_000)
  expect(await deleteOldInboundEvents(db)).toBe(1)
  expect(await deleteOldInboundEvents(db)).toBe(0)
  expect(await db.prisma.inboundEvent.count({ where: { externalId: { in: [old, young] } } })).toBe(1)
})

test('no message is left without a reader when people write while runs end', async () => {
  // Sixty messages against one worker that claims, reads and finishes: at the end every message was seen by a run.
  const { db } = database
  const conversationKey = newId('thread')
  const first = await say(db, workspace, { conversationKey })
  let writing = true
  let seen = 0
  const work = async () => {
    for (;;) {
      const stillWriting = writing
      const open = await db.prisma.run.findFirst({
        where: { conversationId: first.conversationId, status: 'queued' },
      })
      if (!open) {
        if (!stillWriting) return
        continue
      }
      const run = await claim(db, open.id)
      const { nextMessage } = await db.prisma.conversation.findUniqueOrThrow({ where: { id: first.conversationId } })
      seen = Math.max(seen, nextMessage - 1)
      expect(await finishRun(db, run, { status: 'succeeded', seenMessage: nextMessage - 1 })).not.toBeNull()
    }
  }
  const worker = work()
  await race(60, () => say(db, workspace, { conversationKey }))
  writing = false
  await worker
  expect(seen).toBe(61)
  expect(
    await db.prisma.run.count({
      where: { conversationId: first.conversationId, status: { in: ['queued', 'running', 'waiting'] } },
    }),
  ).toBe(0)
})

test('a run is claimed in the conversation it was queued for', async () => {
  const run = await startRun(database.db, workspace)
  expect(
    await database.db.prisma.message.count({ where: { conversationId: run.conversationId, runId: run.runId } }),
  ).toBe(1)
})
