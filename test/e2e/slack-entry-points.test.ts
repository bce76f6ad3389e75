import { newId } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test, vi } from 'vitest'
import { askShortcut } from '../../apps/bot/src/channels/slack/receive/ask-about-message.ts'
import { setUpSlack, until } from './slack-setup.ts'

const database = useTestDatabase()
// Bots are started here, on machines that may have other things to do.
vi.setConfig({ testTimeout: 120_000 })

test('/qm answers alone whoever asks: help, status, and a menu of agents whose choice counts', async () => {
  const { slack, connect, answer, emulator, channel } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const bob = slack.addUser('Bob Moore')
  const room = slack.addChannel('ops', [ada, bob])
  await connect()
  const workspaceId = (await channel())?.workspaceId ?? ''
  const other = newId('agent')
  await database.db.pool.query('INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $3)', [
    other,
    workspaceId,
    'The Librarian',
  ])
  await database.db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, instructions)
     VALUES ($1, $2, $3, 1, now(), 'You are the librarian.')`,
    [newId('ver'), workspaceId, other],
  )
  const last = (user: typeof ada) => slack.ephemerals(user).at(-1)

  expect(await slack.slash(ada, room, '/qm')).toMatchObject({ acked: true })
  const help = await slack.until(() => last(ada)?.text)
  for (const command of ['agent', 'tools', 'status', 'stop', 'new', 'link']) expect(help).toContain(command)
  await slack.slash(ada, room, '/qm', 'STATUS')
  await slack.until(() => last(ada)?.text.includes('Nothing waits for you.'))
  await slack.slash(ada, room, '/qm', 'sing me a song')
  await slack.until(() => slack.ephemerals(ada).length === 3 && last(ada)?.text === help)
  expect(slack.ephemerals(bob)).toEqual([])
  expect(slack.messages(room)).toEqual([])

  // In a channel only an admin chooses; in a direct message everybody does.
  await slack.slash(ada, room, '/qm', 'agent')
  await slack.until(() => last(ada)?.text.includes('Only an admin or an owner'))
  const dm = slack.dm(ada)
  await slack.slash(ada, dm, '/qm', 'agent')
  const menu = await slack.until(() => (last(ada)?.menus.length ? last(ada) : null))
  expect(menu.menus[0]?.options).toContain('The Librarian')
  await slack.choose(ada, menu, menu.menus[0]?.actionId ?? '', 'The Librarian')
  await slack.until(() =>
    slack.ephemerals(ada).some(({ text }) => text.includes('From now on **The Librarian** answers')),
  )
  const said = slack.say(ada, dm, 'hello')
  await answer(dm, said.ts)
  expect(JSON.stringify(emulator.requests.at(-1)?.body)).toContain('You are the librarian.')
})

test('a direct message between two people is not ours: nobody becomes its master by a command', async () => {
  const { slack, connect } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  await connect()
  const theirs = { ...slack.dm(ada), id: 'D0THEIRS' }
  await slack.slash(ada, theirs, '/qm', 'agent')
  const reply = await slack.until(() => slack.calls('response_url').at(-1))
  expect(JSON.stringify(reply.args)).toContain('Only an admin or an owner')
  expect(JSON.stringify(reply.args)).not.toContain('static_select')
})

test('/qm stop ends the one thread that is at work, and the native Stop ends the one it is pressed in', async () => {
  const { slack, connect, runs } = await setUpSlack(database, () => ({
    content: [{ tool: toApiName('sample.mark'), input: { text: 'slow', ms: 60_000 } }],
  }))
  const ada = slack.addUser('Ada Byron')
  const room = slack.addChannel('ops', [ada])
  await connect()
  const statusOf = async (ts: string) => (await runs()).find(({ key }) => key.endsWith(ts))?.status
  const first = slack.mention(ada, room, 'work')
  await until(
    () => statusOf(first.ts),
    (status) => status === 'running',
    30_000,
  )
  await slack.slash(ada, room, '/qm', 'stop')
  await until(
    () => statusOf(first.ts),
    (status) => status === 'stopped',
    30_000,
  )

  const second = slack.mention(ada, room, 'work')
  await slack.until(() => slack.session(room, second.ts)?.status === 'processing')
  slack.pressStop(ada, second)
  await until(
    () => statusOf(second.ts),
    (status) => status === 'stopped',
    30_000,
  )
  await slack.until(() => slack.session(room, second.ts)?.status === 'active')
})

test('any message can be asked about, in private, also where the bot is not', async () => {
  const { slack, connect, answer } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const bob = slack.addUser('Bob Moore')
  const room = slack.addChannel('secret', [ada, bob], { withBot: false })
  await connect()
  const said = slack.say(bob, room, 'the mill stands still')
  await slack.shortcut(ada, askShortcut, said)
  const form = await slack.until(() => slack.modal(ada))
  expect(form.seen.text).toContain('Bob: the mill stands still')
  expect(await slack.submitModal(ada, { 'What would you like to know?': 'Why does it?' })).toMatchObject({
    acked: true,
  })
  const dm = slack.dm(ada)
  const root = await slack.until(() => slack.messages(dm)[0])
  const answered = await answer(dm, root.ts, 2)
  expect(answered).toContain('Why does it?')
  expect(answered).toContain('the mill stands still')
  expect(slack.thread(room, said.ts)).toHaveLength(1)
})

test('a guest who asks about a message is refused where they asked, and nothing is stored', async () => {
  const { slack, connect, runs } = await setUpSlack(database)
  const guest = slack.addUser({ name: 'Gil Guest', guest: 'multi' })
  const room = slack.addChannel('ops', [guest])
  await connect()
  const said = slack.say(guest, room, 'x')
  await slack.shortcut(guest, askShortcut, said)
  await slack.until(() => slack.modal(guest))
  await slack.submitModal(guest, {})
  await slack.until(() => slack.messages(slack.dm(guest)).some(({ text }) => text.includes('link code')))
  expect(await runs()).toEqual([])
})

test('the Home tab shows what waits for me with buttons that work, what I asked for, and who I can ask', async () => {
  const { slack, connect, runs, channel, effects } = await setUpSlack(database, (_, index) => ({
    content: index === 0 ? [{ tool: toApiName('sample.confirmed'), input: { text: 'home' } }] : [{ text: 'Done.' }],
  }))
  const ada = slack.addUser('Ada Byron')
  const dm = slack.dm(ada)
  await connect()
  slack.openHome(ada)
  const empty = await slack.until(() => slack.home(ada))
  expect(empty.text).toContain('Write to me')
  const said = slack.say(ada, dm, 'leave a mark')
  await until(runs, ([run]) => run?.status === 'waiting', 30_000)
  slack.openHome(ada)
  await slack.until(() => slack.home(ada)?.text.includes('leave a mark'))
  // A member may not answer this one.
  expect(slack.home(ada)?.text).toContain('Nothing waits for you.')
  await database.db.pool.query(
    `UPDATE members SET role = 'approver' WHERE id = (SELECT member_id FROM identities WHERE external_id = $1)`,
    [`${slack.team.id}:${ada.id}`],
  )
  slack.openHome(ada)
  await slack.until(() => slack.home(ada)?.buttons.some(({ text }) => text === 'Approve'))
  expect(slack.home(ada)?.text).toContain('leave a mark')
  expect(await slack.clickView(ada, 'home', 'Approve')).toMatchObject({ acked: true })
  await until(runs, ([run]) => run?.status === 'succeeded', 30_000)
  expect(effects()).toHaveLength(1)
  await slack.until(() => slack.home(ada)?.text.includes('Nothing waits for you.'))
  await slack.until(() => slack.thread(dm, said.ts).some(({ text }) => text.includes('Done.')))
  expect((await channel())?.status).toBe('connected')
})

test('whoever opens the messages is shown what they could say', async () => {
  const { slack, connect } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  await connect()
  slack.openHome(ada, 'messages')
  const prompts = await slack.until(() => slack.prompts(slack.dm(ada)))
  expect(prompts.prompts.map(({ title }) => title)).toContain('What can you do?')
  expect(prompts.prompts.length).toBeLessThanOrEqual(4)
})
