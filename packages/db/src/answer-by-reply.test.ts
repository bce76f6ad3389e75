import { beforeAll, expect, test } from 'vitest'
import { answerByReply, type Reply } from './answer-by-reply.ts'
import { newId } from './ids.ts'
import { receiveEvent } from './inbox.ts'
import { askQuestion, type NewQuestion } from './questions.ts'
import { parkRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  race,
  raceBehind,
  requestCall,
  say,
  type TestWorkspace,
} from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

/** A run that waits for a text in a conversation of its own. */
async function waitForText(question: Partial<NewQuestion> = {}) {
  const { db } = database
  const conversationKey = newId('thread')
  const { runId, conversationId } = await say(db, workspace, { conversationKey })
  const run = await claim(db, runId)
  const callId = await requestCall(db, run)
  const approvers = { requester: true }
  const asked = { toolCallId: callId, kind: 'text' as const, prompt: { title: 'Name?' }, approvers, ...question }
  const questionId = (await askQuestion(db, run, asked))!
  await parkRun(db, run)
  const reply = (more: Partial<Reply> = {}) =>
    answerByReply(db, {
      channelId: workspace.channelId,
      eventId: newId('event'),
      conversationKey,
      memberId: workspace.members.member,
      text: 'Ada',
      surface: 'web',
      ...more,
    })
  /** The same on the way that every message comes. */
  const write = (
    text = 'Ada',
    { memberId = workspace.members.member as string | null, eventId = newId('event') } = {},
  ) =>
    receiveEvent(db, {
      channelId: workspace.channelId,
      eventId,
      place: 'here',
      conversationKey,
      memberId,
      content: [{ type: 'text', text }],
    })
  return { conversationKey, conversationId, callId, questionId, runId, reply, write }
}

const statusOf = async (id: string) => (await database.db.prisma.toolCall.findUniqueOrThrow({ where: { id } })).status
const countMessages = (conversationId: string) => database.db.prisma.message.count({ where: { conversationId } })

test('what is written in the thread answers the question that waits there, and is no message besides', async () => {
  const { reply, callId, questionId, conversationId } = await waitForText()
  expect(await reply()).toMatchObject({ outcome: 'answered', questionId, conversationId })
  expect(await statusOf(callId)).toBe('approved')
  expect(await database.db.prisma.answer.findFirstOrThrow({ where: { questionId } })).toMatchObject({ value: 'Ada' })
  expect(await countMessages(conversationId)).toBe(1)
  // The next one is a message again.
  expect(await reply()).toBeNull()
})

test('of somebody who may not answer, or with nothing in it, it is a message like any other', async () => {
  const { reply, callId } = await waitForText()
  expect(await reply({ memberId: workspace.members.viewer })).toBeNull()
  expect(await reply({ memberId: null })).toBeNull()
  expect(await reply({ text: ' \n' })).toBeNull()
  expect(await reply({ conversationKey: 'another thread' })).toBeNull()
  expect(await statusOf(callId)).toBe('asking')
  expect(await reply()).toMatchObject({ outcome: 'answered' })
})

test('text that says yes does not approve anything', async () => {
  const { reply, callId } = await waitForText({ kind: 'confirmation', prompt: { title: 'Delete all?' } })
  expect(await reply({ text: 'approved' })).toBeNull()
  expect(await statusOf(callId)).toBe('asking')
})

test('one event that comes a hundred times at once is one answer, and never a message', async () => {
  const { reply, questionId, conversationKey, conversationId } = await waitForText()
  const eventId = newId('event')
  const results = await race(100, () => reply({ eventId }))
  expect(results.filter((result) => result?.outcome === 'answered')).toHaveLength(1)
  expect(await database.db.prisma.answer.count({ where: { questionId } })).toBe(1)
  // Those that came too late to answer go on to the inbox, which knows the event.
  const event = { channelId: workspace.channelId, eventId, place: 'here', conversationKey, memberId: null, content: [] }
  expect(await receiveEvent(database.db, event)).toMatchObject({ outcome: 'duplicate', conversationId })
  expect(await countMessages(conversationId)).toBe(1)
})

test('a message that the platform sends again does not answer what was asked after it', async () => {
  const { reply, conversationKey, callId } = await waitForText()
  const eventId = newId('event')
  await say(database.db, workspace, { conversationKey, eventId, memberId: workspace.members.viewer })
  expect(await reply({ eventId })).toEqual({ outcome: 'duplicate' })
  expect(await statusOf(callId)).toBe('asking')
})

test('what comes in on a channel answers by itself, and what its writer may not answer is a message', async () => {
  const { write, callId, questionId, conversationId, runId } = await waitForText()
  const { viewer } = workspace.members
  const toldByViewer = await write('Bob', { memberId: viewer })
  expect(toldByViewer).toMatchObject({ outcome: 'received', messageNumber: 2, runId, runCreated: false })
  expect(await write('Eve', { memberId: null })).toMatchObject({ outcome: 'received', messageNumber: 3 })
  expect(await statusOf(callId)).toBe('asking')
  const eventId = newId('event')
  const answered = { conversationId, runId, messageNumber: 3 }
  expect(await write('Ada', { eventId })).toEqual({ outcome: 'answered', questionId, ...answered })
  expect(await statusOf(callId)).toBe('approved')
  const answer = await database.db.prisma.answer.findFirstOrThrow({ where: { questionId } })
  expect(answer).toMatchObject({ value: 'Ada', surface: 'web', memberId: workspace.members.member })
  expect(await write('Ada', { eventId })).toEqual({ outcome: 'duplicate', ...answered })
  expect(await countMessages(conversationId)).toBe(3)
})

test('of two replies at once one answers, and the other is a message', async () => {
  const { write, questionId, conversationId, runId } = await waitForText()
  // Both have seen that the question is open before either of them answers it.
  const outcomes = await raceBehind(
    database.db,
    { sql: 'SELECT 1 FROM runs WHERE id = $1 FOR UPDATE', id: runId, waiting: 2 },
    () => Promise.all([write('Ada'), write('Grace')]),
  )
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['answered', 'received'])
  expect(await database.db.prisma.answer.count({ where: { questionId } })).toBe(1)
  expect(await countMessages(conversationId)).toBe(2)
})

test('a hundred copies of one reply on a channel are one answer and no message', async () => {
  const { write, questionId, conversationId } = await waitForText()
  const eventId = newId('event')
  const outcomes = await race(100, () => write('Ada', { eventId }))
  expect(outcomes.filter(({ outcome }) => outcome === 'answered')).toHaveLength(1)
  expect(outcomes.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(99)
  expect(await database.db.prisma.answer.count({ where: { questionId } })).toBe(1)
  expect(await countMessages(conversationId)).toBe(1)
})

test('a reply with a file, or one that is too long to be an answer, is a message', async () => {
  const { write, callId, conversationKey } = await waitForText()
  const source = { type: 'base64', media_type: 'image/png', data: '' }
  const event = { channelId: workspace.channelId, eventId: newId('event'), place: 'here', conversationKey }
  const content = [
    { type: 'image', source },
    { type: 'text', text: 'this' },
  ]
  const memberId = workspace.members.member
  expect(await receiveEvent(database.db, { ...event, memberId, content })).toMatchObject({ outcome: 'received' })
  const readable = [
    { type: 'text', text: '[Attached file: names.txt]\nAda' },
    { type: 'text', text: 'this' },
  ]
  const again = { ...event, eventId: newId('event'), memberId, content: readable }
  expect(await receiveEvent(database.db, again)).toMatchObject({ outcome: 'received' })
  expect(await write('x'.repeat(10_001))).toMatchObject({ outcome: 'received' })
  expect(await statusOf(callId)).toBe('asking')
  expect(await write('x'.repeat(10_000))).toMatchObject({ outcome: 'answered' })
})

test('what is written while a confirmation is open approves nothing, and is a message', async () => {
  const { write, callId } = await waitForText({ kind: 'confirmation', prompt: { title: 'Delete all?' } })
  expect(await write('approved')).toMatchObject({ outcome: 'received' })
  expect(await statusOf(callId)).toBe('asking')
})

test('a reply to an agent that does not answer here any more answers nothing', async () => {
  const { conversationKey, callId } = await waitForText()
  const { channelId, members } = workspace
  const event = { channelId, eventId: newId('event'), place: 'here', conversationKey, memberId: members.member }
  const content = [{ type: 'text', text: 'Ada' }]
  expect(await receiveEvent(database.db, { ...event, content, agentId: 'another' })).toEqual({ outcome: 'no-agent' })
  expect(await statusOf(callId)).toBe('asking')
})
