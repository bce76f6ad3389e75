import { randomBytes } from 'node:crypto'
import { askQuestion, type MasterKeys, masterKeyOf, newId, openChannel, syncTools } from '@quartermaster/db'
import { claim, createTestWorkspace, requestCall, type TestWorkspace, useTestDatabase } from '@quartermaster/db/testing'
import { describeBuiltinTools, fromLynkrSettings } from '@quartermaster/tools'
import { beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { createPolicies } from '../policy/load-policy.ts'
import { createEditCheck } from '../questions/check-edit.ts'
import { createComposeCaller } from '../tools/compose-caller.ts'
import { composeRegistry, definitionOf } from '../tools/compose-registry.ts'
import type { ChatMessage, ChatPerson, ChatServices } from './chat-services.ts'
import { createChatServices } from './create-chat-services.ts'

const database = useTestDatabase()
const keys: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: null }
let workspace: TestWorkspace
let chat: ChatServices
let slack: string
let telegram: string

beforeAll(async () => {
  const { db } = database
  workspace = await createTestWorkspace(db)
  await db.pool.query(
    `INSERT INTO policy_settings (workspace_id, profile, allow, deny, hooks)
     VALUES ($1, 'full', '{}', '{file.write}', '[{"pattern": "file.edit", "hook": "confirm"}]')`,
    [workspace.workspaceId],
  )
  await db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
    [newId('ver'), workspace.workspaceId, workspace.agentId],
  )
  const registry = composeRegistry(describeBuiltinTools())
  await syncTools(db, registry.list().map(definitionOf))
  await db.pool.query(
    `INSERT INTO agent_tools (agent_id, tool_id) SELECT $1, id FROM tools WHERE name IN ('file.read', 'file.edit', 'file.write')`,
    [workspace.agentId],
  )
  const installation = fromLynkrSettings({})
  const composeCaller = createComposeCaller(db, createPolicies(db, installation), installation)
  const log = createLog({ level: 'silent', secrets: [], plain: false })
  const checkEdit = createEditCheck(registry, composeCaller)
  const consoleUrl = 'https://qm.example.com'
  chat = createChatServices({ db, log, keys, consoleUrl, registry, composeCaller, checkEdit })
  slack = (await openChannel(db, { kind: 'slack', externalId: 'T1', name: 'Acme' })).id
  telegram = (await openChannel(db, { kind: 'telegram', externalId: '77', name: 'bot' })).id
  await db.pool.query(`UPDATE channels SET settings = '{"allow": ["1"]}' WHERE id = $1`, [telegram])
})

const ada: ChatPerson = { externalId: 'T1:UADA', name: 'Ada' }
const tim: ChatPerson = { externalId: '1', name: 'Tim' }
let count = 0
const message = (text: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  ...{ channelId: slack, eventId: `e${++count}`, place: 'C1', conversationKey: `C1:${count}`, isDirect: false },
  ...{ person: ada, text, references: [], messageId: `m${count}`, slashCommands: false },
  ...more,
})
const direct = (text: string, more: Partial<ChatMessage> = {}) =>
  message(text, {
    ...{ channelId: telegram, place: '1', conversationKey: '1', isDirect: true, person: tim, slashCommands: true },
    ...more,
  })
const command = (name: string, argument = '', more: object = {}) =>
  chat.runCommand({
    ...{ channelId: slack, place: 'C1', conversationKey: null, isDirect: false, person: ada, name, argument },
    ...more,
  })
const received = async (said: ChatMessage) => {
  const taken = await chat.takeMessage(said)
  if (taken.outcome !== 'received') throw new Error(taken.outcome)
  return taken
}

describe('a message', () => {
  test('is stored with a run, once, with what it points to', async () => {
    const { db } = database
    const file = { kind: 'file', id: 'F1', name: 'a.txt', mimeType: 'text/plain', size: 3 } as const
    const said = message('look  at\nthis', { references: [file] })
    const taken = await received(said)
    expect(taken.runCreated).toBe(true)
    expect(await chat.takeMessage(said)).toEqual({ outcome: 'duplicate' })
    const row = await db.prisma.message.findFirstOrThrow({ where: { conversationId: taken.conversationId } })
    expect(row).toMatchObject({ externalId: said.messageId })
    expect(row.content).toEqual([
      { type: 'reference', reference: file },
      { type: 'text', text: 'look  at\nthis' },
    ])
    expect(await db.prisma.run.findUnique({ where: { id: taken.runId } })).toMatchObject({ title: 'look at this' })
  })

  test('of a stranger is not stored, and they are told once', async () => {
    const { db } = database
    const before = await db.prisma.message.count()
    const guest = { externalId: 'T9:U9', name: 'Eve', isGuest: true }
    const first = await chat.takeMessage(message('hello', { person: guest }))
    expect(first).toEqual({ outcome: 'refused', sentence: expect.stringContaining('/qm link CODE') })
    expect(await chat.takeMessage(message('hello?', { person: guest }))).toEqual({ outcome: 'refused', sentence: null })
    expect(await db.prisma.message.count()).toBe(before)
  })

  test('that is a command is run and not stored; on Slack a slash is only a character', async () => {
    const { db } = database
    const before = await db.prisma.message.count()
    const said = direct('/help@acme_bot')
    expect(await chat.takeMessage(said)).toMatchObject({
      outcome: 'command',
      reply: { markdown: expect.stringContaining('/status') },
    })
    expect(await chat.takeMessage(said)).toEqual({ outcome: 'duplicate' })
    expect(await db.prisma.message.count()).toBe(before)
    expect(await chat.takeMessage(message('/help me'))).toMatchObject({ outcome: 'received' })
  })

  test('answers the question that waits for a text', async () => {
    const { db } = database
    const there = { conversationKey: '1:5' }
    const { runId } = await received(direct('ask me something', there))
    const run = await claim(db, runId)
    const asked = { kind: 'text', prompt: { title: 'Which?' }, approvers: { requester: true } } as const
    const questionId = (await askQuestion(db, run, asked))!
    expect(await chat.takeMessage(direct('this one', there))).toEqual({ outcome: 'answered', questionId })
  })

  test('can be changed before it is read, and taken back', async () => {
    const { db } = database
    const said = message('frist')
    const { runId, conversationId } = await received(said)
    const { channelId, conversationKey, messageId } = said
    const where = { channelId, conversationKey, messageId }
    expect(await chat.editMessage({ ...where, text: 'first', references: [] })).toBe(true)
    const row = await db.prisma.message.findFirstOrThrow({ where: { conversationId } })
    expect(row.content).toEqual([{ type: 'text', text: 'first' }])
    expect(await chat.deleteMessage(where)).toBe(true)
    expect(await db.prisma.run.findUnique({ where: { id: runId } })).toMatchObject({ status: 'stopped' })
    expect(await chat.deleteMessage({ ...where, messageId: 'none' })).toBe(false)
  })
})

describe('an answer', () => {
  async function ask() {
    const { db } = database
    const { runId } = await received(message('do it'))
    const run = await claim(db, runId)
    const toolCallId = await requestCall(db, run)
    const prompt = { title: 'Write a file', mayEdit: true }
    return (await askQuestion(db, run, { toolCallId, kind: 'confirmation', prompt }))!
  }
  const linked = async (externalId: string, memberId: string) =>
    database.db.pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) VALUES ($1, $2, $3, 'slack', $4)`,
      [newId('idn'), workspace.workspaceId, memberId, externalId],
    )

  test('counts for whom the platform vouches for, and says what came of it', async () => {
    await linked('T1:UBOSS', workspace.members.approver)
    const questionId = await ask()
    const click = (person: ChatPerson) => chat.takeAnswer({ channelId: slack, questionId, person, verdict: 'approve' })
    const refused = await click(ada)
    expect(refused).toMatchObject({ ok: false, sentence: expect.stringContaining('approvers, admins and owners') })
    expect(refused.card).toMatchObject({ status: 'open', mayAnswer: false })
    const counted = await click({ externalId: 'T1:UBOSS', name: 'Boss' })
    expect(counted).toMatchObject({ ok: true, sentence: 'Approved by The approver.', card: { status: 'answered' } })
    expect(await click({ externalId: 'T1:UBOSS', name: 'Boss' })).toMatchObject({
      ...{ ok: false, sentence: 'Too late. Approved by The approver.' },
    })
  })

  test('of a stranger, of another workspace or to nothing at all counts for nothing', async () => {
    const { db } = database
    const questionId = await ask()
    const eve = { externalId: 'T9:U8', name: 'Eve', isGuest: true }
    const answer = { channelId: slack, questionId, person: eve, verdict: 'approve' } as const
    expect(await chat.takeAnswer(answer)).toMatchObject({ ok: false, card: null })
    const other = await createTestWorkspace(db)
    await db.pool.query(
      `INSERT INTO channels (id, workspace_id, kind, name, external_id) VALUES ('chn_x', $1, 'slack', 'x', 'T7')`,
      [other.workspaceId],
    )
    const stranger = { ...answer, channelId: 'chn_x', person: { externalId: 'T7:U1', name: 'X' } }
    expect(await chat.takeAnswer(stranger)).toMatchObject({ ok: false, card: null })
    expect(await chat.takeAnswer({ ...answer, person: ada, questionId: 'q\0' })).toMatchObject({
      ok: false,
      card: null,
    })
    expect(await db.prisma.answer.count({ where: { questionId } })).toBe(0)
  })
})

test('whoever takes part stops a conversation; nobody else does, and feedback is for members', async () => {
  const said = message('work')
  const { runId } = await received(said)
  const { channelId, conversationKey } = said
  const eve = { externalId: 'T9:U7', name: 'Eve', isGuest: true }
  expect(await chat.stop({ channelId, conversationKey, person: eve })).toBe(false)
  const bob = { externalId: 'T1:UBOB', name: 'Bob' }
  expect(await chat.stop({ channelId, conversationKey, person: bob })).toBe(false)
  expect(await chat.stop({ channelId, conversationKey, person: ada })).toBe(true)
  expect(await chat.stop({ channelId, conversationKey, person: ada })).toBe(false)
  expect(await chat.takeFeedback({ channelId, runId, person: ada, good: true })).toBe(true)
  expect(await chat.takeFeedback({ channelId, runId, person: eve, good: true })).toBe(false)
  expect(await chat.takeFeedback({ channelId, runId: 'run_none', person: ada, good: true })).toBe(false)
})

describe('commands', () => {
  test('help names every command as the platform writes it, and answers what is none', async () => {
    const { markdown } = await command('nonsense')
    for (const name of ['agent', 'tools', 'status', 'stop', 'new', 'link', 'help'])
      expect(markdown).toContain(`\`/qm ${name}\``)
    expect(markdown).toContain('https://qm.example.com')
    expect((await command('help', '', { channelId: telegram, person: tim })).markdown).toContain('`/tools`')
  })

  test('the agent is chosen by anybody in a direct chat, in a shared place only by an admin', async () => {
    const { db } = database
    await db.pool.query(`INSERT INTO agents (id, workspace_id, slug, name) VALUES ('agt_w', $1, 'writer', 'Writer')`, [
      workspace.workspaceId,
    ])
    await db.pool.query(
      `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at) VALUES ('ver_w', $1, 'agt_w', 1, now())`,
      [workspace.workspaceId],
    )
    expect((await command('agent', 'writer')).markdown).toContain('Only an admin')
    expect(await command('agent')).not.toHaveProperty('choices')
    const mine = { channelId: telegram, place: '1', conversationKey: '1', isDirect: true, person: tim }
    const listed = await command('agent', '', mine)
    expect(listed.choices?.options).toContainEqual({ label: 'Writer', value: 'agt_w' })
    expect((await command('agent', 'nobody', mine)).markdown).toContain('no agent of that name')
    expect((await command('agent', 'agt_w', mine)).markdown).toContain('**Writer** answers here')
    const { runId } = await received(direct('hello'))
    await chat.stop({ channelId: telegram, conversationKey: '1', person: tim })
    const { runId: next } = await received(direct('hello again'))
    expect(await db.prisma.run.findUnique({ where: { id: next } })).toMatchObject({ agentId: 'agt_w' })
    expect(runId).not.toBe(next)
  })

  test('tools says what is allowed, what asks, and why the rest is not', async () => {
    const { markdown } = await command('tools')
    expect(markdown).toMatch(/Without asking: .*`file\.read`/)
    expect(markdown).toMatch(/After somebody has approved: .*`file\.edit`/)
    expect(markdown).toMatch(/- `file\.write`: \S/)
  })

  test('status says what goes on here and what waits for the person', async () => {
    const said = message('work')
    await received(said)
    const here = { conversationKey: said.conversationKey }
    expect((await command('status', '', here)).markdown).toContain('waits for its turn')
    expect((await command('status')).markdown).toContain('What you asked for last')
    expect((await command('stop', '', here)).markdown).toBe('Stopping.')
    expect((await command('stop', '', here)).markdown).toContain('nothing here')
    expect((await command('stop')).markdown).toContain('which thread')
  })

  test('new begins a new conversation and ends what goes on; on Slack a new thread does', async () => {
    const { db } = database
    const first = await received(direct('one'))
    const mine = { channelId: telegram, place: '1', conversationKey: '1', isDirect: true, person: tim }
    expect((await command('new', '', mine)).markdown).toContain('new conversation')
    const second = await received(direct('two'))
    expect(second.conversationId).not.toBe(first.conversationId)
    expect(await db.prisma.run.findUnique({ where: { id: first.runId } })).toMatchObject({ status: 'stopped' })
    expect((await command('new', '', { conversationKey: 'C1:1' })).markdown).toContain('thread')
  })

  test('a code from one platform joins the account on the other, also of somebody who may not talk yet', async () => {
    expect((await command('link')).markdown).toContain('direct chat')
    const { markdown } = await command('link', '', { isDirect: true })
    const code = /`([A-Z0-9]{4}-[A-Z0-9]{4})`/.exec(markdown)?.[1] as string
    const eve = { externalId: '555', name: 'Ada on her phone' }
    const start = direct(`/start ${code}`, { person: eve, conversationKey: '555', place: '555' })
    expect(await chat.takeMessage(start)).toMatchObject({
      outcome: 'command',
      reply: { markdown: expect.stringContaining('Welcome, Ada.') },
    })
    const again = direct('hello', { person: eve, conversationKey: '555', place: '555' })
    expect(await chat.takeMessage(again)).toMatchObject({ outcome: 'received' })
    const wrong = await command('link', code, { channelId: telegram, person: { externalId: '556', name: 'x' } })
    expect(wrong.markdown).toContain('does not hold')
    const stranger = await command('status', '', { channelId: telegram, person: { externalId: '556', name: 'x' } })
    expect(stranger.markdown).toContain('`/link CODE`')
  })
})
