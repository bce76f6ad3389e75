import { beforeAll, expect, test } from 'vitest'
import { answerByReply, type Reply } from './answer-by-reply.ts'
import { newId } from './ids.ts'
import { receiveEvent } from './inbox.ts'
import { askQuestion, type NewQuestion } from './questions.ts'
import { parkRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import { claim, createTestWorkspace, race, requestCall, say, type TestWorkspace } from './testing-workspace.ts'

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
  return { conversationKey, conversationId, callId, questionId, reply }
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
  await say(database.db, workspace, { conversationKey, eventId })
  expect(await reply({ eventId })).toEqual({ outcome: 'duplicate' })
  expect(await statusOf(callId)).toBe('asking')
})
