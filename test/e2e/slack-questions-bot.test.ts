// Questions on Slack from a whole bot: what the model calls, people decide there, and it goes on.
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test, vi } from 'vitest'
import { joinSlack } from './slack-people.ts'
import { type SlackSetup, setUpSlack, until } from './slack-setup.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 120_000 })
const confirmed = (text: string) => ({ tool: toApiName('sample.confirmed'), input: { text, ms: 3 } })

const join = (setup: SlackSetup, name: string, role: string) => joinSlack(database.db, setup, name, role)

const traces = (setup: SlackSetup) => setup.effects().map((line) => line.split(' ').slice(1).join(' '))

/** The card with buttons in a thread, or in a direct message. */
const cardIn = ({ slack }: SlackSetup, channel: ReturnType<SlackSetup['slack']['dm']>) =>
  slack.until(
    () => slack.messages(channel).find(({ buttons }) => buttons.some(({ text }) => text === 'Approve')),
    45_000,
  )

test('an approver who is not in the thread is asked alone, and the answer there runs the call once and closes every card', async () => {
  const setup = await setUpSlack(database, [
    { content: [{ text: 'I will.' }, confirmed('b')] },
    { content: [{ text: 'All done.' }] },
  ])
  const { slack } = setup
  await setup.connect()
  const ann = await join(setup, 'Ann', 'approver')
  const eve = await join(setup, 'Eve', 'member')
  const room = slack.addChannel('ops', [eve, ann])
  const asked = slack.mention(eve, room, 'please do it')
  const card = await cardIn(setup, room)
  // The words before the card are a message of their own, and nothing streams while people are asked.
  const ours = slack.thread(room, asked.ts).filter(({ user }) => user === slack.bot().userId)
  expect(ours[0]?.text).toContain('I will.')
  expect(ours.indexOf(ours.find(({ ts }) => ts === card.ts)!)).toBeGreaterThan(0)
  await slack.until(() => slack.session(room, asked.ts)?.status === 'suspended')
  expect(slack.thread(room, asked.ts).filter(({ streaming }) => streaming === 'in_progress')).toEqual([])

  const copy = await cardIn(setup, slack.dm(ann))
  expect(copy.text).toContain('Eve asked')
  expect(copy.text).toMatch(/open the thread/)
  await slack.click(eve, card, 'Approve')
  await slack.until(() => slack.ephemerals(eve).length === 1)
  expect(traces(setup)).toEqual([])
  await Promise.all(Array.from({ length: 100 }, () => slack.click(ann, copy, 'Approve')))
  await slack.until(() => slack.thread(room, asked.ts).at(-1)?.text.includes('All done.'), 45_000)
  expect(traces(setup)).toEqual(['b'])
  await slack.until(() =>
    [...slack.thread(room, asked.ts), ...slack.messages(slack.dm(ann))].every(
      ({ buttons }) => !buttons.some(({ text }) => text === 'Approve'),
    ),
  )
  for (const place of [slack.thread(room, asked.ts), slack.messages(slack.dm(ann))])
    expect(place.filter(({ text }) => text.includes('Approved by Ann'))).toHaveLength(1)
  await slack.until(() => slack.session(room, asked.ts)?.status === 'active')
})

test('what a person edits is checked beside its field, and runs as they wrote it', async () => {
  const setup = await setUpSlack(database, [{ content: [confirmed('b')] }, { content: [{ text: 'All done.' }] }])
  const { slack } = setup
  await setup.connect()
  const ann = await join(setup, 'Ann', 'approver')
  const asked = slack.say(ann, slack.dm(ann), 'do it')
  const card = await cardIn(setup, slack.dm(ann))
  const modal = await slack.openModal(ann, card, 'Edit…')
  expect(
    modal.view.blocks.flatMap(({ type, element }) => (type === 'input' ? [(element as { type: string }).type] : [])),
  ).toEqual(['plain_text_input', 'number_input'])
  const refused = await slack.submitModal(ann, { text: 'mine', ms: '-5' })
  expect(Object.keys(refused.errors)).toEqual(['arg:1'])
  expect(traces(setup)).toEqual([])
  expect((await slack.submitModal(ann, { ms: '7' })).errors).toEqual({})
  await slack.until(() => slack.thread(slack.dm(ann), asked.ts).at(-1)?.text.includes('All done.'), 45_000)
  expect(traces(setup)).toEqual(['mine'])
})

test('a card that was open while everything restarted is answered as if nothing had happened', async () => {
  const setup = await setUpSlack(database, [{ content: [confirmed('b')] }, { content: [{ text: 'All done.' }] }])
  const { slack } = setup
  const first = await setup.connect()
  const ann = await join(setup, 'Ann', 'approver')
  const asked = slack.say(ann, slack.dm(ann), 'do it')
  const card = await cardIn(setup, slack.dm(ann))
  await until(
    () => database.db.prisma.delivery.count({ where: { kind: 'question', status: 'sending' } }),
    (count) => count === 0,
  )
  first.child.kill('SIGKILL')
  await first.exited
  await slack.until(() => slack.sockets.count === 0)
  await setup.connect()
  await slack.click(ann, card, 'Approve')
  await slack.until(() => slack.thread(slack.dm(ann), asked.ts).at(-1)?.text.includes('All done.'), 45_000)
  expect(traces(setup)).toEqual(['b'])
})
