import { beforeEach, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { receiveEvent } from './inbox.ts'
import {
  ensureWebChannel,
  findWebChannel,
  type ListedConversation,
  listConversations,
  openPlaygroundSession,
  receivePlaygroundMessage,
} from './playground.ts'
import { askQuestion } from './questions.ts'
import { parkRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  isQueued,
  race,
  readRun,
  requestCall,
  type TestWorkspace,
} from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let other: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
  other = await createTestWorkspace(database.db)
})

async function addAgent(workspaceId: string, archivedAt: Date | null = null): Promise<string> {
  const id = newId('agent')
  await database.db.pool.query(
    'INSERT INTO agents (id, workspace_id, slug, name, archived_at) VALUES ($1, $2, $1, $1, $3)',
    [id, workspaceId, archivedAt],
  )
  return id
}

async function open(memberId = workspace.members.member, agentId = workspace.agentId): Promise<string> {
  const session = await openPlaygroundSession(database.db, { workspaceId: workspace.workspaceId, memberId, agentId })
  if (!session) throw new Error('expected a session')
  return session.conversationId
}

const write = (conversationId: string, message: { memberId?: string; agentId?: string; eventId?: string } = {}) =>
  receivePlaygroundMessage(database.db, {
    workspaceId: workspace.workspaceId,
    memberId: workspace.members.member,
    conversationId,
    eventId: newId('event'),
    content: [{ type: 'text', text: 'hello' }],
    ...message,
  })

test('a workspace gets one web channel, however many ask for it at once, and that is on record', async () => {
  expect(await findWebChannel(database.db, workspace.workspaceId)).toBeNull()
  const ids = await race(20, () => ensureWebChannel(database.db, workspace.workspaceId))
  expect(new Set(ids).size).toBe(1)
  expect(await findWebChannel(database.db, workspace.workspaceId)).toBe(ids[0])
  expect(await findWebChannel(database.db, other.workspaceId)).toBeNull()
  const audit = await database.db.prisma.auditEvent.count({ where: { subjectId: ids[0]!, action: 'channel.create' } })
  expect(audit).toBe(1)
})

test('a message in a session queues a run of the session’s agent, and the same one again is a duplicate', async () => {
  const agentId = await addAgent(workspace.workspaceId)
  const conversationId = await open(workspace.members.member, agentId)
  const received = await write(conversationId, { eventId: 'e1', agentId })
  if (received?.outcome !== 'received') throw new Error('expected it to be received')
  expect(received).toMatchObject({ conversationId, messageNumber: 1, runCreated: true })
  expect(await readRun(database.db, received.runId)).toMatchObject({ agentId, requestedBy: workspace.members.member })
  expect(await isQueued(database.db, received.runId)).toBe(true)
  expect(await write(conversationId, { eventId: 'e1' })).toMatchObject({ outcome: 'duplicate', runId: received.runId })
})

test('two sessions may use the same event id, and neither swallows the other’s message', async () => {
  const [one, two] = [await open(), await open()]
  expect(await write(one, { eventId: 'same' })).toMatchObject({ outcome: 'received', conversationId: one })
  expect(await write(two, { eventId: 'same' })).toMatchObject({ outcome: 'received', conversationId: two })
})

test('nobody writes in another member’s session, nor from another workspace', async () => {
  const conversationId = await open()
  expect(await write(conversationId, { memberId: workspace.members.owner })).toBeNull()
  const content: unknown[] = []
  expect(
    await receivePlaygroundMessage(database.db, {
      ...{ workspaceId: other.workspaceId, memberId: workspace.members.member, conversationId, eventId: 'e', content },
    }),
  ).toBeNull()
  expect(await database.db.prisma.message.count({ where: { conversationId } })).toBe(0)
  expect(await write(conversationId)).toMatchObject({ outcome: 'received' })
})

test('a session is not a way into a conversation of another platform', async () => {
  const channelId = newId('chn')
  await database.db.pool.query(
    `INSERT INTO channels (id, workspace_id, kind, name, external_id, default_agent_id) VALUES ($1, $2, 'slack', $1, $1, $3)`,
    [channelId, workspace.workspaceId, workspace.agentId],
  )
  const memberId = workspace.members.member
  const event = { channelId, eventId: 'e', place: 'C1', conversationKey: 'C1:1', memberId, content: [] }
  const thread = await receiveEvent(database.db, event)
  if (thread.outcome !== 'received') throw new Error('expected it to be received')
  expect(await write(thread.conversationId)).toBeNull()
})

test('an agent that is archived or another workspace’s opens no session, and neither does a stranger', async () => {
  const { workspaceId, members, agentId } = workspace
  const attempt = (session: { memberId?: string; agentId?: string }) =>
    openPlaygroundSession(database.db, { workspaceId, memberId: members.member, agentId, ...session })
  expect(await attempt({ agentId: await addAgent(workspaceId, new Date()) })).toBeNull()
  expect(await attempt({ agentId: other.agentId })).toBeNull()
  expect(await attempt({ agentId: 'none' })).toBeNull()
  expect(await attempt({ memberId: other.members.member })).toBeNull()
  expect(await attempt({})).not.toBeNull()
})

test('a chosen agent answers a new conversation only where it may, and an old one only if it is its own', async () => {
  const { workspaceId, channelId, members } = workspace
  const chosen = await addAgent(workspaceId)
  const archived = await addAgent(workspaceId, new Date())
  const say = (agentId: string | undefined, conversationKey = newId('t')) =>
    receiveEvent(database.db, {
      ...{ channelId, eventId: newId('e'), place: 'here', conversationKey, memberId: members.member, content: [] },
      ...(agentId === undefined ? {} : { agentId }),
    })
  for (const refused of [archived, other.agentId, 'none']) expect(await say(refused)).toEqual({ outcome: 'no-agent' })
  const received = await say(chosen, 'its-own')
  if (received.outcome !== 'received') throw new Error('expected it to be received')
  expect(await readRun(database.db, received.runId)).toMatchObject({ agentId: chosen })
  expect(await say(chosen, 'its-own')).toMatchObject({ outcome: 'received', messageNumber: 2 })
  expect(await say(undefined, 'its-own')).toMatchObject({ outcome: 'received', messageNumber: 3 })
  expect(await say(workspace.agentId, 'its-own')).toEqual({ outcome: 'no-agent' })
})

test('a session without a title takes that of its first message, and keeps it', async () => {
  const conversationId = await open()
  const title = async () =>
    (await database.db.prisma.conversation.findUniqueOrThrow({ where: { id: conversationId } })).title
  const content: unknown[] = []
  const message = { workspaceId: workspace.workspaceId, memberId: workspace.members.member, conversationId, content }
  await receivePlaygroundMessage(database.db, { ...message, eventId: '1', title: 'first words' })
  await receivePlaygroundMessage(database.db, { ...message, eventId: '2', title: 'later words' })
  expect(await title()).toBe('first words')
})

test('a member’s sessions are listed page by page, the last used first, and nobody else’s', async () => {
  const mine: string[] = []
  for (let count = 0; count < 7; count++) mine.push(await open())
  const channelId = await ensureWebChannel(database.db, workspace.workspaceId)
  await open(workspace.members.owner)
  await write(mine[2]!)
  // Two that were used in the same moment must not be lost between two pages.
  await database.db.pool.query('UPDATE conversations SET last_activity_at = now() WHERE id = ANY($1)', [
    mine.slice(3, 6),
  ])
  const list = { workspaceId: workspace.workspaceId, channelId, memberId: workspace.members.member, limit: 2 }
  const listed: ListedConversation[] = []
  for (;;) {
    const before = listed.at(-1)
    const page = await listConversations(database.db, { ...list, ...(before ? { before } : {}) })
    listed.push(...page)
    if (page.length < 2) break
  }
  expect(listed.map((session) => session.id).sort()).toEqual([...mine].sort())
  expect(listed.find((session) => session.id === mine[2])).toMatchObject({
    runStatus: 'queued',
    agentId: workspace.agentId,
  })
  expect(listed.find((session) => session.id === mine[0])).toMatchObject({ runStatus: null })
  const times = listed.map((session) => session.lastActivityAt.getTime())
  expect(times).toEqual([...times].sort((a, b) => b - a))
  expect(await listConversations(database.db, { workspaceId: workspace.workspaceId, channelId })).toHaveLength(8)
  expect(await listConversations(database.db, { ...list, workspaceId: other.workspaceId })).toEqual([])
})

test('what a member writes in their session answers the question that waits there for a text', async () => {
  const { db } = database
  const conversationId = await open()
  const first = await write(conversationId)
  if (first?.outcome !== 'received') throw new Error('expected it to be received')
  const run = await claim(db, first.runId)
  const toolCallId = await requestCall(db, run)
  const prompt = { title: 'Which name?' }
  const questionId = await askQuestion(db, run, { toolCallId, kind: 'text', prompt, approvers: { requester: true } })
  await parkRun(db, run)
  expect(await write(conversationId)).toMatchObject({ outcome: 'answered', questionId, runId: run.runId })
  expect(await isQueued(db, run.runId)).toBe(true)
  expect(await write(conversationId)).toMatchObject({ outcome: 'received', messageNumber: 2, runId: run.runId })
})
