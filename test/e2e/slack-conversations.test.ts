import { answerQuestion } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test, vi } from 'vitest'
import { eventsDone, setUpSlack, until } from './slack-setup.ts'

const database = useTestDatabase()
// Bots are started here, on machines that may have other things to do.
vi.setConfig({ testTimeout: 120_000 })

test('every direct message begins a thread, a reply in it goes on, and each is answered there', async () => {
  const { slack, connect, answer, runs, channel } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  await connect()
  const first = slack.say(ada, slack.dm(ada), 'hello')
  expect(await answer(slack.dm(ada), first.ts)).toContain('You said: hello')
  const second = slack.say(ada, slack.dm(ada), 'something else')
  expect(await answer(slack.dm(ada), second.ts)).toContain('You said: something else')
  slack.reply(ada, first, 'and more')
  expect(await answer(slack.dm(ada), first.ts, 2)).toContain('You said: and more')
  expect((await runs()).map(({ key }) => key)).toEqual([
    `${slack.dm(ada).id}:${first.ts}`,
    `${slack.dm(ada).id}:${second.ts}`,
    `${slack.dm(ada).id}:${first.ts}`,
  ])
  expect(await channel()).toMatchObject({ status: 'connected', statusDetail: '' })
  const member = await database.db.prisma.identity.findFirstOrThrow({
    where: { kind: 'slack', externalId: `${slack.team.id}:${ada.id}` },
    include: { member: true },
  })
  expect(member.member).toMatchObject({ name: 'Ada', role: 'member' })
})

test('in a channel it answers mentions and its own threads, with names for people, and nothing else', async () => {
  const { slack, connect, answer, runs, emulator, heard } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const bob = slack.addUser('Bob Moore')
  const room = slack.addChannel('ops', [ada, bob])
  await connect()
  const unheard = slack.say(ada, room, 'nobody is meant')
  const asked = slack.mention(ada, room, `what does <@${bob.id}> think of a &lt; b in <#${room.id}|ops>?`)
  await answer(room, asked.ts)
  expect(JSON.stringify(emulator.requests.at(-1)?.body)).toContain('"what does @Bob think of a < b in #ops?"')
  slack.reply(bob, asked, 'I think so too')
  expect(await answer(room, asked.ts, 2)).toContain('You said: I think so too')
  slack.reply(bob, unheard, 'nor here')
  await eventsDone(slack)
  expect(await runs()).toHaveLength(2)
  expect(slack.thread(room, unheard.ts)).toHaveLength(2)
  // Slack tells of a mention twice, as a message and as a mention.
  expect(slack.events.filter(({ type }) => type === 'app_mention')).toHaveLength(1)
  expect(await heard(room, asked.ts)).toBe(2)
})

test('a conversation that begins inside a thread knows what was said there before, and by whom', async () => {
  const { slack, connect, answer, emulator } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const bob = slack.addUser('Bob Moore')
  const room = slack.addChannel('ops', [ada, bob])
  await connect()
  const root = slack.say(ada, room, 'the gearbox of the mill is loud')
  slack.reply(bob, root, 'since Tuesday')
  slack.mention(ada, room, 'what do you make of it?', { thread: root.ts })
  await answer(room, root.ts)
  const told = JSON.stringify(emulator.requests.at(-1)?.body)
  for (const words of ['gearbox of the mill', 'since Tuesday', 'Ada', 'Bob', 'what do you make of it?'])
    expect(told).toContain(words)
  expect(told.indexOf('gearbox')).toBeLessThan(told.indexOf('what do you make of it?'))
})

test('what the model has not read yet is changed by an edit; a deleted message is gone; a mention that is added counts', async () => {
  const { db } = database
  const { slack, connect, answer, emulator, runs } = await setUpSlack(database, (_, index) => ({
    content: index === 0 ? [{ tool: toApiName('sample.confirmed'), input: { text: 'x' } }] : [{ text: 'Done.' }],
  }))
  const ada = slack.addUser('Ada Byron')
  const room = slack.addChannel('ops', [ada])
  await connect()
  const root = slack.mention(ada, room, 'first')
  const question = await until(
    () => db.prisma.question.findFirst({ where: { run: { conversation: { externalKey: `${room.id}:${root.ts}` } } } }),
    Boolean,
    30_000,
  )
  const second = slack.reply(ada, root, 'the password is swordfish')
  const third = slack.reply(ada, root, 'take this back')
  await eventsDone(slack)
  slack.edit(ada, second, 'the password is a secret')
  slack.delete(third)
  await eventsDone(slack)
  const approver = await db.prisma.member.findFirstOrThrow({
    where: { workspaceId: question?.workspaceId ?? '', role: 'approver' },
  })
  await answerQuestion(db, {
    questionId: question?.id ?? '',
    memberId: approver.id,
    verdict: 'approve',
    surface: 'web',
  })
  await slack.until(() => slack.thread(room, root.ts).some(({ text }) => text.includes('Done.')))
  const told = JSON.stringify(emulator.requests.at(-1)?.body)
  expect(told).toContain('the password is a secret')
  expect(told).not.toContain('swordfish')
  expect(told).not.toContain('take this back')

  const forgotten = slack.say(ada, room, 'please begin')
  await eventsDone(slack)
  expect((await runs()).filter(({ key }) => key.endsWith(forgotten.ts))).toHaveLength(0)
  slack.edit(ada, forgotten, `<@${slack.bot().userId}> please begin`)
  await answer(room, forgotten.ts)
  slack.edit(ada, forgotten, `<@${slack.bot().userId}> please begin now`)
  await eventsDone(slack)
  expect((await runs()).filter(({ key }) => key.endsWith(forgotten.ts))).toHaveLength(1)
})

test('files and voice clips come along and are fetched when a run reads them', async () => {
  const { slack, connect, answer, emulator } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  await connect()
  const dm = slack.dm(ada)
  const sent = slack.uploadFile(ada, dm, { name: 'notes.txt', content: 'the well is 40 feet deep', text: 'read this' })
  await answer(dm, sent.ts)
  const told = JSON.stringify(emulator.requests.at(-1)?.body)
  expect(told).toContain('the well is 40 feet deep')
  expect(told).toContain('read this')
  const clip = slack.uploadFile(ada, dm, {
    name: 'clip.webm',
    content: 'not heard',
    voice: { transcript: 'hello there' },
  })
  await answer(dm, clip.ts)
  expect(JSON.stringify(emulator.requests.at(-1)?.body)).toContain('clip.webm')
})

test('bots, guests, strangers and our own messages start nothing; people are told why, once, alone', async () => {
  const { slack, connect, runs, answer } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const guest = slack.addUser({ name: 'Gil Guest', guest: 'multi' })
  const other = slack.addTeam('Elsewhere')
  const stranger = slack.addUser('Sam Stranger', other)
  const robot = slack.addUser({ name: 'Deploys', isBot: true })
  const room = slack.addChannel('ops', [ada, guest, stranger, robot])
  await connect()
  slack.mention(robot, room, 'deployed')
  slack.mention(guest, room, 'let me in')
  slack.mention(stranger, room, 'me too')
  await slack.until(() => slack.ephemerals(guest).length && slack.ephemerals(stranger).length)
  slack.mention(guest, room, 'please')
  await eventsDone(slack)
  expect(await runs()).toEqual([])
  expect(slack.ephemerals(guest)).toHaveLength(1)
  expect(slack.ephemerals(guest)[0]?.text).toContain('link code')
  expect(slack.ephemerals(ada)).toEqual([])
  const asked = slack.mention(ada, room, 'hello')
  await answer(room, asked.ts)
  await eventsDone(slack)
  expect(await runs()).toHaveLength(1)
  const { rows } = await database.db.pool.query(`SELECT name FROM members WHERE name IN ('Gil', 'Sam', 'Deploys')`)
  expect(rows).toEqual([])
})

test('a mention without a word is understood', async () => {
  const { slack, connect, answer } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const room = slack.addChannel('ops', [ada])
  await connect()
  const bare = slack.mention(ada, room, '')
  expect(await answer(room, bare.ts)).toContain('What can you do here?')
  const root = slack.say(ada, room, 'a thread')
  slack.mention(ada, room, '', { thread: root.ts })
  expect(await answer(room, root.ts)).toContain('look at this thread')
})
