import { beforeAll, expect, test } from 'vitest'
import type { Actor } from './audit.ts'
import { parsePlace, removeBinding, saveBinding } from './bindings.ts'
import { parseAllowList, readAdmission, saveAdmission, setDefaultAgent } from './channel-settings.ts'
import { claimDelivery, confirmDelivery, failDelivery } from './deliveries.ts'
import { newId } from './ids.ts'
import { receiveEvent } from './inbox.ts'
import { openChannel } from './open-channel.ts'
import { startAnew } from './start-anew.ts'
import { awaitDelivery, sendTestMessage } from './test-message.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, type TestWorkspace } from './testing-workspace.ts'
import { unlinkIdentity } from './unlink-identity.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let other: TestWorkspace
let slack: string
let telegram: string
let second: string
let actor: Actor

beforeAll(async () => {
  const { db } = database
  workspace = await createTestWorkspace(db)
  other = await createTestWorkspace(db)
  slack = (await openChannel(db, { kind: 'slack', externalId: 'T1', name: 'Acme' })).id
  telegram = (await openChannel(db, { kind: 'telegram', externalId: '77', name: '@acme_bot' })).id
  second = await addAgent(workspace.workspaceId)
  actor = { kind: 'member', id: workspace.members.admin }
})

async function addAgent(workspaceId: string): Promise<string> {
  const id = newId('agent')
  await database.db.pool.query('INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $1)', [
    id,
    workspaceId,
  ])
  await database.db.pool.query(
    'INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at) VALUES ($1, $2, $3, 1, now())',
    [newId('ver'), workspaceId, id],
  )
  return id
}

/** The agent that answers a message there. */
async function answers(channelId: string, place: string, conversationKey: string): Promise<string> {
  const { db } = database
  const received = await receiveEvent(db, {
    ...{ channelId, place, conversationKey, eventId: newId('event') },
    memberId: workspace.members.member,
    content: [{ type: 'text', text: 'hello' }],
  })
  if (received.outcome !== 'received') throw new Error(received.outcome)
  const { agentId } = await db.prisma.conversation.findUniqueOrThrow({ where: { id: received.conversationId } })
  return agentId
}

const here = (channelId: string, place: string) => ({ workspaceId: workspace.workspaceId, channelId, place, actor })
const lastEvent = async () =>
  (
    await database.db.pool.query(
      'SELECT action, actor_id, subject_id, data FROM audit_events ORDER BY at DESC, number DESC LIMIT 1',
    )
  ).rows[0]

test('a place is answered by the agent that is bound to it, and by the default agent again when it is not', async () => {
  const { db } = database
  const first = workspace.agentId
  expect(await answers(slack, 'C1', 'C1:1.0')).toBe(first)
  expect(await saveBinding(db, { ...here(slack, 'C1'), agentId: second })).toBe(true)
  expect(await saveBinding(db, { ...here(slack, 'C1'), agentId: second })).toBe(false)
  // Whoever did not know whose the place is changes nothing, and is told.
  const taking = { ...here(slack, 'C1'), agentId: first }
  const taken = { answeredBy: { id: second, name: expect.any(String) } }
  expect(await saveBinding(db, { ...taking, instead: '' })).toEqual(taken)
  expect(await saveBinding(db, { ...taking, instead: first })).toEqual(taken)
  expect(await saveBinding(db, { ...taking, instead: second })).toBe(true)
  expect(await saveBinding(db, { ...here(slack, 'C1'), agentId: second })).toBe(true)
  expect(await answers(slack, 'C1', 'C1:2.0')).toBe(second)
  // The thread was somebody's already.
  expect(await answers(slack, 'C1', 'C1:1.0')).toBe(first)
  expect(await removeBinding(db, here(slack, 'C1'))).toBe(true)
  expect(await removeBinding(db, here(slack, 'C1'))).toBe(false)
  expect(await answers(slack, 'C1', 'C1:3.0')).toBe(first)
  expect(await lastEvent()).toMatchObject({ action: 'binding.remove', actor_id: actor.id, subject_id: slack })
})

test('a Telegram chat that has been going on changes hands with its binding and with the default agent', async () => {
  const { db } = database
  const first = workspace.agentId
  const chats = ['-1', '-2', '-3']
  for (const chat of chats) expect(await answers(telegram, chat, chat)).toBe(first)
  expect(await answers(telegram, '-1', '-1:17')).toBe(first)
  await saveBinding(db, { ...here(telegram, '-1'), agentId: second })
  expect(await answers(telegram, '-1', '-1')).toBe(second)
  expect(await answers(telegram, '-1', '-1:17')).toBe(first)
  await saveBinding(db, { ...here(telegram, '-3'), agentId: first })
  expect(await setDefaultAgent(db, { ...here(telegram, ''), agentId: second })).toBe(true)
  expect(await setDefaultAgent(db, { ...here(telegram, ''), agentId: second })).toBe(false)
  expect(await Promise.all(chats.map((chat) => answers(telegram, chat, chat)))).toEqual([second, second, first])
  await removeBinding(db, here(telegram, '-3'))
  expect(await answers(telegram, '-3', '-3')).toBe(second)
})

test('who may talk is saved once, with what was added and taken away, and keeps the other settings', async () => {
  const { db } = database
  await db.pool.query(`UPDATE channels SET settings = '{"more": 1}' WHERE id = $1`, [slack])
  const save = (team: boolean, allow: string[]) =>
    saveAdmission(db, { ...here(slack, ''), change: () => ({ team, allow }) })
  expect(await save(true, [])).toBe(false)
  expect(await save(false, ['U1', 'U2'])).toBe(true)
  expect(await save(false, ['U2', 'U3'])).toBe(true)
  expect(await lastEvent()).toMatchObject({ data: { added: ['U3'], removed: ['U1'] } })
  const { kind, settings } = await db.prisma.channel.findUniqueOrThrow({ where: { id: slack } })
  expect(settings).toEqual({ more: 1, team: false, allow: ['U2', 'U3'] })
  expect(readAdmission({ kind, settings })).toEqual({ team: false, allow: ['U2', 'U3'] })
  await saveAdmission(db, { ...here(telegram, ''), change: ({ allow }) => ({ team: true, allow: [...allow, '7'] }) })
  expect((await db.prisma.channel.findUniqueOrThrow({ where: { id: telegram } })).settings).toEqual({ allow: ['7'] })
})

test('settings of any shape are read, and what is no list lets nobody in', () => {
  for (const settings of [null, 'x', {}, { allow: 'U1' }, { allow: { 0: 'U1' } }])
    expect(readAdmission({ kind: 'telegram', settings })).toEqual({ team: false, allow: [] })
  expect(readAdmission({ kind: 'slack', settings: { team: 'no', allow: [5, ' U1 '] } })).toEqual({
    team: true,
    allow: ['5', 'U1'],
  })
})

test('an allow-list is read line by line, and what can be nobody is named', () => {
  expect(parseAllowList('telegram', ' @Ada_L\n123456, @ada_l ;42 ')).toEqual({ allow: ['@ada_l', '123456', '42'] })
  expect(parseAllowList('slack', 'U024BE7LH\nT024BE7LD:W024BE7LH')).toEqual({
    allow: ['U024BE7LH', 'T024BE7LD:W024BE7LH'],
  })
  expect(parseAllowList('telegram', '')).toEqual({ allow: [] })
  for (const wrong of ['ada', '-1001', '@ab', '0', '@9lives', '٣٤'])
    expect(parseAllowList('telegram', wrong)).toEqual({
      mistake: `“${wrong}” is neither an @name nor the number of a person on Telegram.`,
    })
  for (const wrong of ['@ada', 'C024BE91L', 'u024', 'T1:U1:U2'])
    expect(parseAllowList('slack', wrong)).toHaveProperty('mistake')
  const many = Array.from({ length: 501 }, (_, index) => String(index + 1)).join('\n')
  expect(parseAllowList('telegram', many)).toEqual({ mistake: 'Expected at most 500 entries; these are 501.' })
})

test('a place is its id, or on Slack a link to it', () => {
  expect(parsePlace('slack', ' C024BE91L ')).toEqual({ place: 'C024BE91L' })
  expect(parsePlace('slack', 'https://acme.slack.com/archives/C024BE91L/p1725')).toEqual({ place: 'C024BE91L' })
  expect(parsePlace('telegram', '-1001234567890')).toEqual({ place: '-1001234567890' })
  for (const wrong of ['', '#general', 'U024BE7LH', 'C1:2', 'javascript:C024BE91L'])
    expect(parsePlace('slack', wrong)).toHaveProperty('mistake')
  for (const wrong of ['', '@group', '-', '0', '1:2', '1e9'])
    expect(parsePlace('telegram', wrong)).toHaveProperty('mistake')
})

test('a test message goes to the newest conversation of the place, and what becomes of it is told', async () => {
  const { db } = database
  const test_ = (place: string) => sendTestMessage(db, { ...here(slack, place), text: 'Hello from the console' })
  await answers(slack, 'C8', 'C8:1.0')
  await answers(slack, 'C8', 'C8:2.0')
  await answers(slack, 'C88', 'C88:3.0')
  const deliveryId = await test_('C8')
  const claimed = await claimDelivery(db, { processId: 'p' })
  expect(claimed).toMatchObject({ deliveryId, conversationKey: 'C8:2.0', kind: 'notice' })
  expect(claimed?.payload).toEqual({ kind: 'notice', text: 'Hello from the console' })
  const told = awaitDelivery(db, { workspaceId: workspace.workspaceId, deliveryId })
  await confirmDelivery(db, claimed!, 'C8:9.0')
  expect(await told).toEqual({ status: 'sent', error: null })

  const refused = await test_('C8')
  await failDelivery(db, (await claimDelivery(db, { processId: 'p' }))!, 'is_archived')
  expect(await awaitDelivery(db, { workspaceId: workspace.workspaceId, deliveryId: refused })).toEqual({
    status: 'failed',
    error: 'is_archived',
  })
  expect(await awaitDelivery(db, { workspaceId: other.workspaceId, deliveryId })).toBeNull()
  await db.pool.query(
    `INSERT INTO conversations (id, workspace_id, channel_id, agent_id, external_key) VALUES ('cnv_dm', $1, $2, $3, 'dm:U5')`,
    [workspace.workspaceId, slack, second],
  )
  await test_('dm:U5')
  expect(await claimDelivery(db, { processId: 'p' })).toMatchObject({ conversationKey: 'dm:U5' })
  await expect(test_('C9')).rejects.toThrow('Nobody has written to it in that place yet.')
})

test('a conversation that /new has ended is still a way to its place', async () => {
  const { db } = database
  await answers(telegram, '-9', '-9')
  await startAnew(db, { channelId: telegram, conversationKey: '-9' })
  await sendTestMessage(db, { ...here(telegram, '-9'), text: 'Hello' })
  expect(await claimDelivery(db, { processId: 'p' })).toMatchObject({ conversationKey: '-9', kind: 'notice' })
})

test('another workspace’s connection and another workspace’s agent are not there', async () => {
  const { db } = database
  const theirs = { workspaceId: other.workspaceId, channelId: slack, place: 'C1', actor }
  const noChannel = 'There is no such connection in this workspace.'
  await expect(saveBinding(db, { ...theirs, agentId: other.agentId })).rejects.toThrow(noChannel)
  await expect(removeBinding(db, theirs)).rejects.toThrow(noChannel)
  await expect(setDefaultAgent(db, { ...theirs, agentId: other.agentId })).rejects.toThrow(noChannel)
  await expect(saveAdmission(db, { ...theirs, change: (before) => before })).rejects.toThrow(noChannel)
  await expect(sendTestMessage(db, { ...theirs, text: 'x' })).rejects.toThrow(noChannel)
  const noAgent = 'There is no such agent in this workspace.'
  await expect(saveBinding(db, { ...here(slack, 'C1'), agentId: other.agentId })).rejects.toThrow(noAgent)
  await expect(setDefaultAgent(db, { ...here(slack, ''), agentId: other.agentId })).rejects.toThrow(noAgent)
  // The playground's own channel is none of these.
  await expect(saveBinding(db, { ...here(workspace.channelId, 'C1'), agentId: second })).rejects.toThrow(noChannel)
})

test('a member unlinks their own accounts on chat platforms, and neither somebody else’s nor their sign-in', async () => {
  const { db } = database
  const { workspaceId, members } = workspace
  const add = async (memberId: string, kind: string, externalId: string) => {
    const id = newId('idn')
    if (kind === 'console')
      await db.pool.query(`INSERT INTO logins (id, email) VALUES ($1, $1 || '@x.example')`, [externalId])
    await db.pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id)
       VALUES ($1, $2, $3, $4::text::identity_kind, $5, CASE $4::text WHEN 'console' THEN $5 END)`,
      [id, workspaceId, memberId, kind, externalId],
    )
    return id
  }
  const own = await add(members.approver, 'telegram', '500')
  const foreign = await add(members.owner, 'telegram', '501')
  const login = await add(members.approver, 'console', 'log_unlink')
  const unlink = (identityId: string) =>
    unlinkIdentity(db, { workspaceId, memberId: members.approver, identityId, actor })
  expect(await unlink(foreign)).toBe(false)
  await expect(unlink(login)).rejects.toThrow('This is how you sign in to the console.')
  expect(await unlink(own)).toBe(true)
  expect(await unlink(own)).toBe(false)
  expect(await db.prisma.identity.count({ where: { id: { in: [own, foreign, login] } } })).toBe(2)
})
