// One person on Slack, on Telegram and in the console is one member: whoever says a code is the member who got it.
import { createLinkCode } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, test, vi } from 'vitest'
import type { User } from '../emulators/slack/index.ts'
import type { Person } from '../emulators/telegram/index.ts'
import { type BothSetup, codeIn, setUpBoth } from './both-setup.ts'
import { updatesTaken } from './telegram-setup.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 180_000 })
const patience = 90_000

/** A command on Slack, and what its giver alone is told. */
async function onSlack({ slack }: BothSetup, user: User, words: string): Promise<string> {
  const before = slack.ephemerals(user).length
  await slack.slash(user, slack.dm(user), '/qm', words)
  return slack.until(() => slack.ephemerals(user)[before]?.text, patience)
}

/** Something said to the bot on Telegram, and its next word. */
async function onTelegram({ telegram, said }: BothSetup, person: Person, words: string): Promise<string> {
  person.say(words)
  const before = said(person).length
  return (await telegram.until(() => said(person)[before], patience)).text
}

const consoleCode = async ({ workspace }: BothSetup, memberId: string) =>
  (await createLinkCode(database.db, { workspaceId: workspace.workspaceId, memberId })).code

test('with codes of the console one person is the same member on Slack and on Telegram', async () => {
  const setup = await setUpBoth(database)
  const { slack, telegram, memberOf, workspace, runs } = setup
  await setup.connect()
  const ada = { slack: slack.addUser('Ada Byron'), telegram: telegram.user({ firstName: 'Ada' }) }
  const bob = telegram.user({ firstName: 'Bob' })
  const memberId = workspace.members.approver
  expect(await onSlack(setup, ada.slack, `link ${await consoleCode(setup, memberId)}`)).toContain(
    'Welcome, The approver',
  )
  const lowered = (await consoleCode(setup, memberId)).toLowerCase().replace('-', '')
  expect(await onTelegram(setup, ada.telegram, `/link ${lowered}`)).toContain('Welcome, The approver')
  expect(await memberOf(ada.slack)).toEqual({ id: memberId, name: 'The approver' })
  expect(await memberOf(ada.telegram)).toEqual({ id: memberId, name: 'The approver' })
  // As the link in the console brings it.
  expect(await onTelegram(setup, bob, `/start ${await consoleCode(setup, workspace.members.member)}`)).toContain(
    'Welcome, The member',
  )

  const { ts } = slack.say(ada.slack, slack.dm(ada.slack), 'hello from Slack')
  ada.telegram.say('hello from Telegram')
  expect(await setup.answer(slack.dm(ada.slack), ts)).toContain('hello from Slack')
  await telegram.until(
    () => setup.said(ada.telegram).some(({ text }) => text.includes('hello from Telegram')),
    patience,
  )
  const all = await database.db.prisma.run.findMany({ where: { id: { in: (await runs()).map(({ id }) => id) } } })
  expect(all.map(({ requestedBy }) => requestedBy)).toEqual([memberId, memberId])
})

test('a code that somebody got on one platform links the other one, whichever was first', async () => {
  const setup = await setUpBoth(database)
  const { slack, telegram, memberOf } = setup
  await setup.connect()
  const ada = { slack: slack.addUser('Ada Byron'), telegram: telegram.user({ firstName: 'Ada' }) }
  const fromSlack = codeIn(await onSlack(setup, ada.slack, 'link'))
  expect(await onTelegram(setup, ada.telegram, `/link ${fromSlack}`)).toContain('Welcome, Ada.')
  expect(await memberOf(ada.telegram)).toEqual(await memberOf(ada.slack))

  // The other way round: he has asked for something on Slack before, as a member of his own, and keeps it.
  const tom = await setup.join('Tom', 'approver', { telegram: true })
  const tomOnSlack = slack.addUser('Tom Moore')
  const { ts } = slack.say(tomOnSlack, slack.dm(tomOnSlack), 'hello')
  await setup.answer(slack.dm(tomOnSlack), ts)
  const before = await memberOf(tomOnSlack)
  expect(before?.id).not.toBe(tom.memberId)
  const fromTelegram = codeIn(await onTelegram(setup, tom.telegram, '/link'))
  expect(await onSlack(setup, tomOnSlack, `link ${fromTelegram}`)).toContain('Welcome, Tom')
  expect(await memberOf(tomOnSlack)).toEqual({ id: tom.memberId, name: 'Tom' })
  expect(await memberOf(tom.telegram)).toEqual({ id: tom.memberId, name: 'Tom' })
  const old = await database.db.prisma.member.findUniqueOrThrow({ where: { id: before?.id ?? '' } })
  expect(old.disabledAt).not.toBeNull()
  slack.reply(tomOnSlack, { channel: slack.dm(tomOnSlack).id, ts }, 'and again')
  expect(await setup.answer(slack.dm(tomOnSlack), ts, 2)).toContain('and again')
})

test('nobody is given a code where others read it', async () => {
  const setup = await setUpBoth(database)
  const { slack, telegram } = setup
  await setup.connect()
  const ada = await setup.join('Ada', 'member', { slack: true, telegram: true })
  const room = slack.addChannel('ops', [ada.slack])
  await slack.slash(ada.slack, room, '/qm', 'link')
  expect((await slack.until(() => slack.ephemerals(ada.slack).at(-1), patience)).text).toContain('in a direct chat')
  const group = telegram.group({ title: 'Ops', members: [ada.telegram] })
  ada.telegram.command('link', { chat: group })
  const whisper = await telegram.until(() => telegram.ephemerals(group, ada.telegram).at(-1), patience)
  expect(whisper.text).toContain('in a direct chat')
  expect(await database.db.prisma.linkCode.count({ where: { memberId: ada.memberId } })).toBe(0)
})

test('a code that is wrong, used or over is refused in words, and guessing has an end on each platform', async () => {
  const setup = await setUpBoth(database)
  const { slack, telegram, memberOf, workspace } = setup
  await setup.connect()
  const ada = slack.addUser('Ada Byron')
  const eve = telegram.user({ firstName: 'Eve' })
  const refused = 'That code does not hold'
  const used = await consoleCode(setup, workspace.members.admin)
  expect(await onSlack(setup, ada, `link ${used}`)).toContain('Welcome')
  expect(await onTelegram(setup, eve, `/link ${used}`)).toContain(refused)
  const over = await consoleCode(setup, workspace.members.admin)
  await database.db.pool.query(
    `UPDATE link_codes SET created_at = now() - interval '11 minutes', expires_at = now() - interval '1 minute'
     WHERE member_id = $1`,
    [workspace.members.admin],
  )
  expect(await onTelegram(setup, eve, `/start ${over}`)).toContain(refused)
  for (let guess = 3; guess <= 5; guess++) expect(await onTelegram(setup, eve, '/link AAAA-AAAA')).toContain(refused)
  const right = await consoleCode(setup, workspace.members.admin)
  expect(await onTelegram(setup, eve, `/link ${right}`)).toMatch(/too many codes.*minutes/)
  expect(await memberOf(eve)).toBeNull()
  // Somebody else has tries of their own.
  const bob = slack.addUser('Bob Moore')
  for (let guess = 1; guess <= 5; guess++) expect(await onSlack(setup, bob, 'link AAAA-AAAA')).toContain(refused)
  expect(await onSlack(setup, bob, `link ${right}`)).toMatch(/too many codes.*minutes/)
  expect(await onTelegram(setup, telegram.user({ firstName: 'Ann' }), `/link ${right}`)).toContain('Welcome')
})

test('a stranger on Telegram is refused politely and once, and nothing of what they said is kept', async () => {
  const setup = await setUpBoth(database)
  const { slack, telegram, said } = setup
  await setup.connect()
  const mallory = telegram.user({ firstName: 'Mallory' })
  const ada = await setup.join('Ada', 'member', { slack: true, telegram: true })
  const group = telegram.group({ title: 'Ops', members: [ada.telegram, mallory] })
  expect(await onTelegram(setup, mallory, 'my secret is xyzzy')).toContain('I do not know you here')
  mallory.say('xyzzy again')
  mallory.sendDocument({ name: 'xyzzy.txt', bytes: Buffer.from('xyzzy'), caption: 'xyzzy' })
  mallory.mention('xyzzy for all', { chat: group })
  await updatesTaken(telegram)
  // Somebody who is known is answered after all of that, so all of that is over.
  ada.telegram.mention('hello', { chat: group })
  await telegram.until(() => said(group).some(({ text }) => text.includes('You said:')), patience)
  expect(said(mallory)).toHaveLength(1)
  expect(said(group)).toHaveLength(1)
  expect(telegram.ephemerals(group, mallory)).toEqual([])
  const stored = await everythingStored()
  expect(stored).toContain('hello')
  expect(stored).not.toContain('xyzzy')
  expect(JSON.stringify(setup.emulator.requests.map(({ body }) => body))).not.toContain('xyzzy')
  // On Slack the same holds for guests.
  const guest = slack.addUser({ name: 'Gus', guest: 'multi' })
  slack.say(guest, slack.dm(guest), 'xyzzy')
  const note = await slack.until(() => slack.ephemerals(guest)[0] ?? slack.messages(slack.dm(guest))[1], patience)
  expect(note.text).toContain('I do not know you here')
  expect(await everythingStored()).not.toContain('xyzzy')
})

/** All rows of all tables, as text. */
async function everythingStored(): Promise<string> {
  const { pool } = database.db
  const { rows: tables } = await pool.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
  const texts = await Promise.all(
    tables.map(({ tablename }) => pool.query(`SELECT string_agg(t::text, ' ') AS text FROM "${tablename}" t`)),
  )
  return texts.map(({ rows }) => rows[0]?.text ?? '').join('\n')
}
