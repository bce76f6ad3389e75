import { beforeAll, expect, test } from 'vitest'
import { deleteMessage, editMessage, fileEventOf, takenBack } from './change-message.ts'
import { keepChatFile } from './chat-files.ts'
import { chooseAgent, listChoosableAgents } from './choose-agent.ts'
import { claimDelivery, enqueueDelivery } from './deliveries.ts'
import { receiveEvent } from './inbox.ts'
import { recordStep } from './messages.ts'
import { findStoppableRun, mayStopRun, readPlaceStatus } from './place-status.ts'
import { replaceReferences } from './replace-references.ts'
import { saveRunFeedback } from './run-feedback.ts'
import { listRunsOf } from './runs-of-member.ts'
import { startAnew } from './start-anew.ts'
import { takeEvent } from './take-event.ts'
import { useTestDatabase } from './testing.ts'
import { claim, createTestWorkspace, loseClaim, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

let events = 0
async function say(conversationKey: string, text: string, memberId = workspace.members.member, content?: unknown) {
  const { channelId } = workspace
  const messageId = `m${++events}`
  const received = await receiveEvent(database.db, {
    ...{ channelId, eventId: `e${events}`, place: 'chat', conversationKey, memberId, messageId, title: text },
    content: content ?? [{ type: 'text', text }],
  })
  if (received.outcome !== 'received') throw new Error(received.outcome)
  return { ...received, where: { channelId, conversationKey, messageId } }
}
const contentOf = async ({ conversationId, messageNumber }: { conversationId: string; messageNumber: number }) =>
  (
    await database.db.prisma.message.findUniqueOrThrow({
      where: { conversationId_number: { conversationId, number: messageNumber } },
    })
  ).content
const words = (text: string) => [{ type: 'text', text }]
const use = { inputTokens: 0, outputTokens: 0, costMicros: 0 }

test('what the model has not seen is changed, and what it has seen stays said', async () => {
  const { db } = database
  const said = await say('edit', 'before')
  expect(await editMessage(db, { ...said.where, content: words('after') })).toBe(true)
  expect(await contentOf(said)).toEqual(words('after'))
  expect(await editMessage(db, { ...said.where, messageId: 'nobody', content: words('x') })).toBe(false)
  const run = await claim(db, said.runId)
  // Somebody is reading it.
  expect(await editMessage(db, { ...said.where, content: words('late') })).toBe(false)
  await recordStep(db, run, { content: [], use, turn: { seen: 1, stopReason: 'tool_use', contextStep: 0 } })
  const second = await say('edit', 'second')
  await db.pool.query(`UPDATE runs SET status = 'waiting', claimed_by = NULL, claim_until = NULL WHERE id = $1`, [
    said.runId,
  ])
  expect(await editMessage(db, { ...said.where, content: words('late') })).toBe(false)
  expect(await editMessage(db, { ...second.where, content: words('second, better') })).toBe(true)
})

test('what is taken back goes with its files and its title, seen or not, and a run without anything else is named', async () => {
  const { db } = database
  const said = await say('delete', 'my secret')
  const { conversationId } = said
  const file = { conversationId, eventId: fileEventOf(1), name: 'a.ogg', mimeType: 'audio/ogg' }
  await keepChatFile(db, { ...file, content: Buffer.from('secret') })
  const { workspaceId } = workspace
  expect(await deleteMessage(db, said.where)).toEqual({ workspaceId, emptyRunId: said.runId })
  expect(await contentOf(said)).toEqual(words(takenBack))
  expect(await db.prisma.chatFile.count({ where: { conversationId } })).toBe(0)
  expect(await db.prisma.run.findUnique({ where: { id: said.runId } })).toMatchObject({ title: '' })
  expect(await db.prisma.conversation.findUnique({ where: { id: conversationId } })).toMatchObject({ title: '' })
  const more = await say('delete', 'something else')
  await claim(db, more.runId)
  expect(await deleteMessage(db, more.where)).toEqual({ workspaceId, emptyRunId: null })
  expect(await deleteMessage(db, { ...more.where, messageId: 'nobody' })).toBeNull()
})

test('references are replaced once, under the claim, and never over what was taken back', async () => {
  const { db } = database
  const reference = [{ type: 'reference', reference: { kind: 'file', id: 'F1' } }]
  const said = await say('reference', '', workspace.members.member, reference)
  const run = await claim(db, said.runId)
  const replace = (text: string, by = run) => replaceReferences(db, by, { number: 1, content: words(text) })
  expect(await replace('the file')).toEqual(words('the file'))
  expect(await replace('again')).toEqual(words('the file'))
  const other = await say('reference 2', '', workspace.members.member, reference)
  const held = await claim(db, other.runId)
  await deleteMessage(db, other.where)
  expect(await replace('the file', held)).toEqual(words(takenBack))
  await loseClaim(db, other.runId)
  expect(await replace('late', { ...held, claimNumber: held.claimNumber + 1 })).toBeNull()
})

test('after /new the next message opens a new conversation, and what was under way is still sent where it was asked', async () => {
  const { db } = database
  const { channelId } = workspace
  const first = await say('new', 'first')
  await enqueueDelivery(db, { conversationId: first.conversationId, kind: 'notice', payload: { text: 'late' } })
  expect(await startAnew(db, { channelId, conversationKey: 'new' })).toBe(first.conversationId)
  expect(await startAnew(db, { channelId, conversationKey: 'new' })).toBeNull()
  const second = await say('new', 'second')
  expect(second.conversationId).not.toBe(first.conversationId)
  expect(await contentOf(first)).toEqual(words('first'))
  const late = await claimDelivery(db, { processId: 'p', conversationId: first.conversationId })
  expect(late?.conversationKey).toBe('new')
  expect(await startAnew(db, { channelId, conversationKey: 'new' })).toBe(second.conversationId)
})

test('an agent that is chosen answers in the place, and in the conversation from its next run on', async () => {
  const { db } = database
  const { channelId, workspaceId, agentId } = workspace
  const other = await createTestWorkspace(db)
  await db.pool.query(`INSERT INTO agents (id, workspace_id, slug, name) VALUES ('agt_b', $1, 'b', 'Bee')`, [
    workspaceId,
  ])
  await db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at) VALUES ('ver_b', $1, 'agt_b', 1, now())`,
    [workspaceId],
  )
  const said = await say('choose', 'hello')
  const where = { channelId, place: 'chat', conversationKey: 'choose' }
  const chosen = async () => (await listChoosableAgents(db, where)).find((one) => one.chosen)?.id
  expect(await chosen()).toBe(agentId)
  expect(await chooseAgent(db, { ...where, agentId: other.agentId, memberId: workspace.members.owner })).toBe(false)
  expect(await chooseAgent(db, { ...where, agentId: 'agt_b', memberId: workspace.members.owner })).toBe(true)
  expect(await chosen()).toBe('agt_b')
  expect(await db.prisma.run.findUnique({ where: { id: said.runId } })).toMatchObject({ agentId })
  const next = await say('another', 'hello')
  expect(await db.prisma.run.findUnique({ where: { id: next.runId } })).toMatchObject({ agentId: 'agt_b' })
  await db.pool.query('DELETE FROM bindings WHERE channel_id = $1', [channelId])
})

test('whoever takes part may stop what runs in a place, and an approver; nobody else', async () => {
  const { db } = database
  const { channelId, members } = workspace
  const said = await say('stop', 'work')
  const where = { channelId, conversationKey: 'stop' }
  expect(await findStoppableRun(db, { ...where, memberId: members.member })).toBe(said.runId)
  expect(await findStoppableRun(db, { ...where, memberId: members.approver })).toBe(said.runId)
  expect(await findStoppableRun(db, { ...where, memberId: members.viewer })).toBeNull()
  expect(await findStoppableRun(db, { ...where, conversationKey: 'nowhere', memberId: members.owner })).toBeNull()
  const { workspaceId } = workspace
  const may = (memberId: string, runId = said.runId) => mayStopRun(db, { workspaceId, runId, memberId })
  expect(await Promise.all([may(members.member), may(members.approver), may(members.owner)])).toEqual([
    true,
    true,
    true,
  ])
  const another = (await say('stop too', 'work', members.admin)).runId
  expect(await Promise.all([may(members.viewer), may(members.member, another)])).toEqual([false, false])
  expect(await mayStopRun(db, { workspaceId: 'another', runId: said.runId, memberId: members.owner })).toBe(false)
  expect(await readPlaceStatus(db, where)).toMatchObject({ run: { id: said.runId, status: 'queued' } })
  expect(await readPlaceStatus(db, { channelId, conversationKey: 'nowhere' })).toMatchObject({ run: null })
})

test('the last thumb of each member counts, and only for runs of their workspace', async () => {
  const { db } = database
  const { runId } = await say('feedback', 'hello')
  const other = await createTestWorkspace(db)
  expect(await saveRunFeedback(db, { runId, memberId: workspace.members.member, good: true })).toBe(true)
  expect(await saveRunFeedback(db, { runId, memberId: workspace.members.member, good: false })).toBe(true)
  expect(await saveRunFeedback(db, { runId, memberId: other.members.owner, good: true })).toBe(false)
  expect(await db.prisma.runFeedback.findMany({ where: { runId } })).toMatchObject([{ good: false }])
})

test('a member’s own runs are listed, the newest first', async () => {
  const { db } = database
  const { workspaceId, members } = workspace
  const first = await say('mine 1', 'one', members.owner)
  const second = await say('mine 2', 'two', members.owner)
  const runs = await listRunsOf(db, { workspaceId, memberId: members.owner, limit: 5 })
  expect(runs.map(({ id }) => id)).toEqual([second.runId, first.runId])
  expect(runs[0]).toMatchObject({ title: 'two', status: 'queued', channelKind: 'web' })
})

test('an event that is no message is done once, and again where it failed', async () => {
  const { db } = database
  const event = { channelId: workspace.channelId, eventId: 'command-1', kind: 'command' }
  await expect(takeEvent(db, event, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  const done = await Promise.all(Array.from({ length: 10 }, () => takeEvent(db, event, async () => 'done')))
  expect(done.filter(Boolean)).toEqual([{ result: 'done' }])
})
