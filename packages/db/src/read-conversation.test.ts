import { beforeEach, expect, test } from 'vitest'
import { claimDelivery, confirmDelivery, enqueueDelivery } from './deliveries.ts'
import { appendMessage } from './messages.ts'
import { askQuestion, withdrawQuestions } from './questions.ts'
import { readConversation } from './read-conversation.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, requestCall, say, startRun, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
})

const read = (conversationId: string, more: Partial<Parameters<typeof readConversation>[1]> = {}) =>
  readConversation(database.db, { workspaceId: workspace.workspaceId, conversationId, ...more })
const enqueue = (conversationId: string, text: string) =>
  enqueueDelivery(database.db, { conversationId, kind: 'notice', payload: { kind: 'notice', text } })

test('a conversation is read with its messages, deliveries, open questions and newest run', async () => {
  const run = await startRun(database.db, workspace)
  const { conversationId } = run
  await appendMessage(database.db, run, { role: 'assistant', content: [{ type: 'text', text: 'hi "there" 😀' }] })
  await enqueue(conversationId, 'sent')
  await enqueue(conversationId, 'not yet')
  const claimed = await claimDelivery(database.db, { processId: 'p', conversationId })
  await confirmDelivery(database.db, claimed!, 'ts')
  const toolCallId = await requestCall(database.db, run)
  const asked = await askQuestion(database.db, run, { toolCallId, kind: 'confirmation', prompt: {} })
  const page = await read(conversationId)
  expect(page).toMatchObject({
    conversation: { id: conversationId, agentId: workspace.agentId, openedBy: workspace.members.member },
    messages: [
      { number: 1, role: 'user', memberId: workspace.members.member, runId: run.runId },
      { number: 2, role: 'assistant', content: [{ type: 'text', text: 'hi "there" 😀' }], memberId: null },
    ],
    deliveries: [
      { number: 1, kind: 'notice', status: 'sent', payload: { text: 'sent' } },
      { number: 2, kind: 'notice', status: 'pending', sentAt: null },
    ],
    openQuestionIds: [asked],
    run: { id: run.runId, status: 'running', stopRequested: false, errorCode: null },
    more: false,
  })
  expect(page?.messages[0]?.createdAt).toBeInstanceOf(Date)
  expect(page?.deliveries[0]?.sentAt).toBeInstanceOf(Date)
  await withdrawQuestions(database.db, { ...run, reason: 'stopped', actor: { kind: 'system', id: 'test' } })
  expect((await read(conversationId))?.openQuestionIds).toEqual([])
})

test('a conversation of another workspace, or that another member opened, does not exist', async () => {
  const { conversationId } = await say(database.db, workspace)
  const other = await createTestWorkspace(database.db)
  expect(await read(conversationId, { workspaceId: other.workspaceId })).toBeNull()
  expect(await read(conversationId, { memberId: workspace.members.owner })).toBeNull()
  expect(await read(conversationId, { memberId: workspace.members.member })).not.toBeNull()
  expect(await read('none')).toBeNull()
})

test('a long conversation is read from its end, page by page back, and followed from where one is', async () => {
  const conversationKey = 'long'
  const { conversationId } = await say(database.db, workspace, { conversationKey })
  for (let number = 2; number <= 7; number++) await say(database.db, workspace, { conversationKey })
  for (let number = 1; number <= 3; number++) await enqueue(conversationId, String(number))
  const numbers = async (more: Parameters<typeof read>[1]) => {
    const page = await read(conversationId, { limit: 3, ...more })
    return {
      messages: page?.messages.map((message) => message.number),
      deliveries: page?.deliveries.map((delivery) => delivery.number),
      more: page?.more,
    }
  }
  expect(await numbers({})).toEqual({ messages: [5, 6, 7], deliveries: [1, 2, 3], more: true })
  const before = (message: number, delivery: number) => numbers({ before: { message, delivery } })
  expect(await before(5, 1)).toEqual({ messages: [2, 3, 4], deliveries: [], more: true })
  expect(await before(2, 1)).toEqual({ messages: [1], deliveries: [], more: false })
  const after = (message: number, delivery: number) => numbers({ after: { message, delivery } })
  expect(await after(0, 2)).toEqual({ messages: [1, 2, 3], deliveries: [3], more: true })
  expect(await after(6, 3)).toEqual({ messages: [7], deliveries: [], more: false })
  expect(await after(7, 3)).toEqual({ messages: [], deliveries: [], more: false })
})
