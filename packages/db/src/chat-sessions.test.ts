import { beforeEach, expect, test } from 'vitest'
import { verifyAudit } from './audit.ts'
import { createChatSessions } from './chat-sessions.ts'
import { createConversationNotes } from './conversation-notes.ts'
import { finishRun } from './finish-run.ts'
import { listConversations } from './playground.ts'
import { readConversation } from './read-conversation.ts'
import { claim, createTestWorkspace, requestCall, say, type TestWorkspace, useTestDatabase } from './testing.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
})

const sessions = () => createChatSessions(database.db)
const as = (requesterId: string | null) => ({ workspaceId: workspace.workspaceId, requesterId, conversationId: 'here' })

/** A conversation whose run has ended, with a recorded call. */
async function converse(more: { memberId?: string; conversationKey?: string } = {}) {
  const { db } = database
  const { runId, conversationId } = await say(db, workspace, more)
  const run = await claim(db, runId)
  await requestCall(db, run)
  await finishRun(db, run, { status: 'succeeded', seenMessage: 1 })
  return { conversationId, runId }
}

test('a member is shown their own sessions, an admin all, nobody none; the most recent first, page by page', async () => {
  const { members } = workspace
  const first = (await converse()).conversationId
  const second = (await converse({ memberId: members.approver })).conversationId
  const third = (await converse()).conversationId
  const listed = async (who: string | null, page: { limit: number; before?: string } = { limit: 10 }) => {
    const { sessions: found, more } = await sessions().list(as(who), page)
    return { ids: found.map(({ id }) => id), more }
  }
  expect(await listed(members.member)).toEqual({ ids: [third, first], more: false })
  expect(await listed(members.approver)).toEqual({ ids: [second], more: false })
  expect(await listed(members.admin)).toEqual({ ids: [third, second, first], more: false })
  expect(await listed(members.owner, { limit: 2 })).toEqual({ ids: [third, second], more: true })
  expect(await listed(members.owner, { limit: 2, before: second })).toEqual({ ids: [first], more: false })
  expect(await listed(null)).toEqual({ ids: [], more: false })
  const other = await createTestWorkspace(database.db)
  expect(await listed(other.members.owner)).toEqual({ ids: [], more: false })
})

test('a deleted session is gone for everybody, and what is recorded of its calls stays', async () => {
  const { db } = database
  const { members, workspaceId, channelId } = workspace
  const { conversationId, runId } = await converse({ conversationKey: 'thread' })
  await createConversationNotes(db).write(conversationId, 'a', 1)
  expect(await sessions().delete(as(members.member), conversationId)).toEqual({ ok: true })
  expect(await readConversation(db, { workspaceId, conversationId, memberId: members.member })).toBeNull()
  expect(await listConversations(db, { workspaceId, channelId })).toEqual([])
  expect((await sessions().list(as(members.owner), { limit: 10 })).sessions).toEqual([])
  expect(await db.prisma.message.count({ where: { conversationId } })).toBe(0)
  expect(await db.prisma.conversationNote.count({ where: { conversationId } })).toBe(0)
  expect(await db.prisma.toolCall.count({ where: { runId } })).toBe(1)
  expect(await db.prisma.auditEvent.findMany({ where: { workspaceId, action: 'conversation.delete' } })).toMatchObject([
    { actorId: members.member, subjectId: conversationId },
  ])
  expect(await verifyAudit(db, workspaceId)).toMatchObject({ ok: true })
  // The next message in the same place opens another one.
  expect((await say(db, workspace, { conversationKey: 'thread' })).conversationId).not.toBe(conversationId)
  expect(await sessions().delete(as(members.member), conversationId)).toMatchObject({ ok: false })
})

test('somebody else’s session, one in which the agent works, and the one we are in are not deleted', async () => {
  const { members } = workspace
  const { conversationId } = await converse()
  expect(await sessions().delete(as(members.approver), conversationId)).toMatchObject({
    problem: expect.stringContaining('There is no session'),
  })
  expect(await sessions().delete(as(null), conversationId)).toMatchObject({ ok: false })
  expect(await sessions().delete({ ...as(members.member), conversationId }, conversationId)).toMatchObject({
    problem: expect.stringContaining('the session we are in'),
  })
  const busy = await say(database.db, workspace)
  expect(await sessions().delete(as(members.owner), busy.conversationId)).toMatchObject({
    problem: expect.stringContaining('Stop it first'),
  })
  expect(await sessions().delete(as(members.admin), conversationId)).toEqual({ ok: true })
})

test('a session of another workspace looks as if it did not exist', async () => {
  const { conversationId } = await converse()
  const other = await createTestWorkspace(database.db)
  const stranger = { workspaceId: other.workspaceId, requesterId: other.members.owner, conversationId: 'here' }
  expect(await sessions().delete(stranger, conversationId)).toMatchObject({ ok: false })
  expect(await database.db.prisma.message.count({ where: { conversationId } })).toBe(1)
})
