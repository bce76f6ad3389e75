// Everything that people can do with what an app shows them, through a real Bolt app.
import { App } from '@slack/bolt'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Channel, type SeenMessage, type SlackEmulator, startSlackEmulator, type User } from './index.ts'
import { quietLogger } from './quiet-logger.ts'

let slack: SlackEmulator
let app: App
let ada: User
let room: Channel
const heard: Record<string, unknown>[] = []
beforeEach(async () => {
  slack = await startSlackEmulator({ ackMs: 60_000, triggerMs: 60_000 })
  app = new App({
    token: slack.botToken,
    appToken: slack.appToken,
    socketMode: true,
    logger: quietLogger,
    clientOptions: { slackApiUrl: slack.apiUrl },
  })
  heard.length = 0
  app.action(/.*/, async ({ ack, action, body }) => {
    await ack()
    heard.push({
      ...action,
      user: body.user,
      team: body.team?.id,
      trigger: (body as { trigger_id?: string }).trigger_id,
    })
  })
  await app.start()
  ada = slack.addUser('Ada')
  room = slack.addChannel('ops', [ada])
})
afterEach(async () => {
  await app.stop()
  await slack.close()
})

const plain = (text: string) => ({ type: 'plain_text' as const, text })
const option = (text: string) => ({ text: plain(text), value: text.toLowerCase() })

async function show(...blocks: object[]): Promise<SeenMessage> {
  const { ts } = await app.client.chat.postMessage({ channel: room.id, text: 'x', blocks: blocks as never })
  return slack.thread(room, String(ts))[0] as SeenMessage
}

test('somebody who is not sure presses nothing, and who is does', async () => {
  const confirm = { title: plain('Sure?'), text: plain('All of it?'), confirm: plain('Yes'), deny: plain('No') }
  const card = await show({
    type: 'actions',
    elements: [{ type: 'button', action_id: 'drop', text: plain('Drop'), value: 'v', confirm }],
  })
  expect(await slack.click(ada, card, 'Drop', { sure: false })).toMatchObject({ sent: false })
  expect(await slack.click(ada, card, 'Drop')).toMatchObject({ sent: true, acked: true })
  expect(heard).toMatchObject([
    { type: 'button', action_id: 'drop', value: 'v', user: { id: ada.id, team_id: slack.team.id } },
  ])
  await expect(slack.click(ada, card, 'Keep')).rejects.toThrow('There is no "Keep" here; there is "Drop" (drop).')
})

test('checkboxes, menus and thumbs say what was chosen', async () => {
  const card = await show(
    {
      type: 'actions',
      elements: [{ type: 'checkboxes', action_id: 'boxes', options: [option('One'), option('Two')] }],
    },
    {
      type: 'section',
      text: plain('Which?'),
      accessory: { type: 'overflow', action_id: 'more', options: [option('Copy')] },
    },
    {
      type: 'context_actions',
      elements: [
        {
          type: 'feedback_buttons',
          action_id: 'thumbs',
          positive_button: { text: plain('Good'), value: 'up' },
          negative_button: { text: plain('Bad'), value: 'down' },
        },
      ],
    },
  )
  expect(card.menus).toMatchObject([{ options: ['One', 'Two'] }, { options: ['Copy'] }])
  await slack.choose(ada, card, 'boxes', 'One', 'Two')
  await slack.choose(ada, card, 'more', 'Copy')
  await slack.click(ada, card, 'Bad')
  expect(heard).toMatchObject([
    { selected_options: [{ value: 'one' }, { value: 'two' }] },
    { selected_option: { value: 'copy' } },
    { type: 'feedback_buttons', action_id: 'thumbs', value: 'down' },
  ])
  await expect(slack.choose(ada, card, 'boxes', 'Three')).rejects.toThrow('"Three" is not among "One", "Two".')
})

test('a menu that asks the app shows what it offers', async () => {
  app.options('find', async ({ ack, payload }) =>
    ack({ options: ['Alpha', 'Beta'].filter((text) => text.includes(payload.value)).map(option) }),
  )
  const card = await show({
    type: 'actions',
    elements: [{ type: 'external_select', action_id: 'find', min_query_length: 1 }],
  })
  expect(await slack.suggestions(ada, card, 'find', 'e')).toEqual(['Beta'])
  await slack.choose(ada, card, 'find', 'Alpha')
  expect(heard).toMatchObject([{ selected_option: { value: 'alpha' } }])
})

const form = (callback_id: string, more: object = {}) => ({
  type: 'modal' as const,
  callback_id,
  title: plain(callback_id),
  submit: plain('Next'),
  blocks: [
    {
      type: 'input',
      block_id: 'n',
      label: plain('How many'),
      element: { type: 'number_input', action_id: 'v', is_decimal_allowed: false, max_value: '9' },
    },
    {
      type: 'input',
      block_id: 'who',
      optional: true,
      label: plain('Who'),
      element: { type: 'static_select', action_id: 'v', options: [option('Ada')] },
    },
  ] as never[],
  ...more,
})

async function openForm(view: object): Promise<void> {
  const card = await show({ type: 'actions', elements: [{ type: 'button', action_id: 'open', text: plain('Open') }] })
  await slack.click(ada, card, 'Open')
  await app.client.views.open({ trigger_id: String(heard.at(-1)?.trigger), view: view as never })
}

test('a submitted view is updated, pushed upon, cleared or closed as the app answers', async () => {
  app.view('update', async ({ ack }) => ack({ response_action: 'update', view: form('push') }))
  app.view('push', async ({ ack }) => ack({ response_action: 'push', view: form('close') }))
  app.view('close', async ({ ack }) => ack())
  app.view('clear', async ({ ack }) => ack({ response_action: 'clear' }))
  await openForm(form('update'))
  const top = () => slack.modal(ada)?.view.callback_id
  await slack.submitModal(ada, { 'How many': '3', Who: 'Ada' })
  expect(top()).toBe('push')
  // What was typed is still there, since the block is.
  await slack.submitModal(ada)
  expect(top()).toBe('close')
  await slack.submitModal(ada, { 'How many': '1' })
  expect(top()).toBe('push')
  await openForm(form('clear'))
  await slack.submitModal(ada, { 'How many': '1' })
  expect(slack.modal(ada)).toBeNull()
})

test("Slack's client lets nobody send what is missing or no number", async () => {
  await openForm(form('never'))
  for (const [value, words] of [
    [null, 'required'],
    ['two', 'number'],
    ['1.5', 'number'],
    ['10', 'out of range'],
  ] as const)
    expect(await slack.submitModal(ada, { n: value })).toMatchObject({
      sent: false,
      errors: { n: expect.stringContaining(words) },
    })
})

test('a view that is closed says so if it was asked to', async () => {
  const closed: string[] = []
  app.view({ callback_id: 'told', type: 'view_closed' }, async ({ ack, view }) => {
    await ack()
    closed.push(view.callback_id)
  })
  await openForm(form('untold'))
  expect(await slack.closeModal(ada)).toMatchObject({ sent: false })
  await openForm(form('told', { notify_on_close: true }))
  expect(await slack.closeModal(ada)).toMatchObject({ sent: true, acked: true })
  expect(closed).toEqual(['told'])
})

test('who is not in the channel sees no button, and a stranger in it comes with their own team', async () => {
  const other = slack.addTeam('Other')
  const eve = slack.addUser('Eve', other)
  const card = await show({ type: 'actions', elements: [{ type: 'button', action_id: 'b', text: plain('Go') }] })
  await expect(slack.click(eve, card, 'Go')).rejects.toThrow('Eve is not in ops.')
  room = slack.addChannel('shared', [ada, eve])
  const shared = await show({ type: 'actions', elements: [{ type: 'button', action_id: 'b', text: plain('Go') }] })
  await slack.click(eve, shared, 'Go')
  expect(heard).toMatchObject([{ user: { id: eve.id, team_id: other.id }, team: slack.team.id }])
  const said = slack.mention(eve, room, 'hello')
  expect(slack.events.find(({ event }) => event.ts === said.ts)?.event).toMatchObject({
    user: eve.id,
    team: other.id,
    user_team: other.id,
  })
})

test('a hundred clicks at once are a hundred actions', async () => {
  const card = await show({ type: 'actions', elements: [{ type: 'button', action_id: 'b', text: plain('Go') }] })
  const all = await Promise.all(Array.from({ length: 100 }, () => slack.click(ada, card, 'Go')))
  expect(all.every(({ acked }) => acked)).toBe(true)
  expect(heard).toHaveLength(100)
})
