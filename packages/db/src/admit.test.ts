import { beforeAll, expect, test } from 'vitest'
import { admit, findAdmitted } from './admit.ts'
import { demoWorkspaceId } from './demo/demo-workspace-id.ts'
import { disableMember } from './members.ts'
import { openChannel, setChannelStatus } from './open-channel.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let slack: string
let telegram: string

beforeAll(async () => {
  const { db } = database
  workspace = await createTestWorkspace(db)
  slack = (await openChannel(db, { kind: 'slack', externalId: 'T1', name: 'Acme' })).id
  telegram = (await openChannel(db, { kind: 'telegram', externalId: '77', name: '@acme_bot' })).id
})

const person = (externalId: string, more: { isGuest?: boolean; username?: string } = {}) => ({
  externalId,
  name: `Person ${externalId}`,
  ...more,
})
const stranger = (tell: boolean) => ({ stranger: true, tell })

test('a connection is one channel of the first workspace, however many processes open it at once', async () => {
  const { db } = database
  const opened = await race(20, () => openChannel(db, { kind: 'slack', externalId: 'T2', name: 'Other' }))
  expect(new Set(opened.map(({ id }) => id)).size).toBe(1)
  expect(opened[0]).toMatchObject({ workspaceId: workspace.workspaceId })
  const row = await db.prisma.channel.findUniqueOrThrow({ where: { id: opened[0]!.id } })
  expect(row).toMatchObject({ kind: 'slack', externalId: 'T2', defaultAgentId: workspace.agentId })
})

test('a connection is not the demo’s, though that says it is older', async () => {
  const { db } = database
  await db.pool.query(
    `INSERT INTO workspaces (id, slug, name, created_at) VALUES ($1, 'demo', 'Demo', now() - interval '120 days')`,
    [demoWorkspaceId],
  )
  const opened = await openChannel(db, { kind: 'slack', externalId: 'T3', name: 'Real' })
  expect(opened.workspaceId).toBe(workspace.workspaceId)
})

test('how a connection is, is written where it differs and only there', async () => {
  const { db } = database
  expect(await setChannelStatus(db, slack, 'connected', 'fine')).toBe(true)
  expect(await setChannelStatus(db, slack, 'connected', 'fine')).toBe(false)
  expect(await setChannelStatus(db, slack, 'failing', 'token\0')).toBe(true)
})

test('everybody of a Slack team is a member from their first word on, and one member', async () => {
  const { db } = database
  const admitted = await race(20, () => admit(db, { channelId: slack, person: person('T1:U1') }))
  expect(new Set(admitted.map((one) => ('memberId' in one ? one.memberId : 'stranger'))).size).toBe(1)
  expect(admitted[0]).toMatchObject({ role: 'member', workspaceId: workspace.workspaceId })
  expect(await db.prisma.member.count({ where: { name: 'Person T1:U1' } })).toBe(1)
})

test('a guest is a stranger, is told once, and becomes no member', async () => {
  const { db } = database
  const guest = person('T9:U9', { isGuest: true })
  expect(await admit(db, { channelId: slack, person: guest })).toEqual(stranger(true))
  expect(await admit(db, { channelId: slack, person: guest })).toEqual(stranger(false))
  expect(await findAdmitted(db, { channelId: slack, person: guest })).toBeNull()
  expect(await db.prisma.identity.count({ where: { externalId: 'T9:U9' } })).toBe(0)
})

test('whoever becomes a guest after their first word is a stranger again', async () => {
  const { db } = database
  expect(await admit(db, { channelId: slack, person: person('T1:U2') })).toMatchObject({ role: 'member' })
  const guest = person('T1:U2', { isGuest: true })
  expect(await admit(db, { channelId: slack, person: guest })).toEqual(stranger(true))
})

test('in Telegram only those who are on the allow-list are let in, by id or by name', async () => {
  const { db } = database
  expect(await admit(db, { channelId: telegram, person: person('100') })).toEqual(stranger(true))
  await db.pool.query('UPDATE channels SET settings = $2 WHERE id = $1', [
    telegram,
    JSON.stringify({ allow: [101, '@Ada'] }),
  ])
  expect(await admit(db, { channelId: telegram, person: person('101') })).toMatchObject({ role: 'member' })
  expect(await admit(db, { channelId: telegram, person: person('102', { username: 'ada' }) })).toMatchObject({
    role: 'member',
  })
  // The name alone is what somebody calls themselves.
  expect(await admit(db, { channelId: telegram, person: { externalId: '103', name: '@ada' } })).toEqual(stranger(true))
  expect(await admit(db, { channelId: telegram, person: person('100') })).toEqual(stranger(false))
})

test('who is taken off the allow-list is a stranger again, and back on it the same member', async () => {
  const { db } = database
  const allow = (list: string[]) =>
    db.pool.query('UPDATE channels SET settings = $2 WHERE id = $1', [telegram, JSON.stringify({ allow: list })])
  const talk = () => admit(db, { channelId: telegram, person: person('104') })
  await allow(['104'])
  const first = await talk()
  expect(first).toMatchObject({ role: 'member' })
  await allow([])
  expect(await talk()).toEqual(stranger(true))
  expect(await findAdmitted(db, { channelId: telegram, person: person('104') })).toBeNull()
  await allow(['104'])
  expect(await talk()).toEqual(first)
})

test('a Slack team that is closed lets in whoever is listed or linked, and nobody else of it', async () => {
  const { db } = database
  const closed = (await openChannel(db, { kind: 'slack', externalId: 'T5', name: 'Closed' })).id
  const talk = (id: string, more = {}) => admit(db, { channelId: closed, person: person(id, more) })
  expect(await talk('T5:U1')).toMatchObject({ role: 'member' })
  await db.pool.query('UPDATE channels SET settings = $2 WHERE id = $1', [
    closed,
    JSON.stringify({ team: false, allow: ['U3'] }),
  ])
  expect(await talk('T5:U1')).toEqual(stranger(true))
  expect(await talk('T5:U2')).toEqual(stranger(true))
  expect(await talk('T5:U3', { isGuest: true })).toMatchObject({ role: 'member' })
  // What a code leaves behind.
  await db.pool.query(`UPDATE identities SET auto = false WHERE external_id = 'T5:U1'`)
  expect(await talk('T5:U1')).toMatchObject({ role: 'member' })
})

test('a member who is disabled is a stranger, and no new member is made of them', async () => {
  const { db } = database
  const { workspaceId } = workspace
  const known = await admit(db, { channelId: slack, person: person('T1:U3') })
  if (!('memberId' in known)) throw new Error('expected a member')
  await disableMember(db, { workspaceId, memberId: known.memberId, actor: { kind: 'system', id: 'test' } })
  expect(await admit(db, { channelId: slack, person: person('T1:U3') })).toEqual(stranger(true))
  expect(await db.prisma.identity.count({ where: { externalId: 'T1:U3' } })).toBe(1)
})

test('an identity of another workspace lets nobody in here', async () => {
  const { db } = database
  const other = await createTestWorkspace(db)
  await db.pool.query(
    `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) VALUES ('idn_other', $1, $2, 'telegram', '200')`,
    [other.workspaceId, other.members.owner],
  )
  expect(await admit(db, { channelId: telegram, person: person('200') })).toEqual(stranger(true))
})
