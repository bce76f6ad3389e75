// A real Bolt app on the emulator: what people do reaches it, and what it does people see.
import { App, LogLevel } from '@slack/bolt'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SlackEmulator, startSlackEmulator } from './index.ts'

let slack: SlackEmulator
let app: App
beforeEach(async () => {
  slack = await startSlackEmulator({ ackMs: 60_000, triggerMs: 60_000 })
  app = new App({
    token: slack.botToken,
    appToken: slack.appToken,
    socketMode: true,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.apiUrl },
  })
})
afterEach(async () => {
  await app.stop()
  await slack.close()
})

const card = {
  text: 'Shall I?',
  blocks: [
    { type: 'section', text: { type: 'mrkdwn', text: '*Send the mail* to ada@acme.example' } },
    {
      type: 'actions',
      block_id: 'question',
      elements: [
        {
          type: 'button',
          action_id: 'approve',
          text: { type: 'plain_text', text: 'Approve' },
          value: 'q1:0',
          style: 'primary',
        },
        { type: 'button', action_id: 'edit', text: { type: 'plain_text', text: 'Edit…' }, value: 'q1:1' },
        {
          type: 'static_select',
          action_id: 'pick',
          options: ['One', 'Two'].map((text, index) => ({ text: { type: 'plain_text', text }, value: String(index) })),
        },
      ],
    },
  ],
} as const

const form = {
  type: 'modal',
  callback_id: 'edit',
  title: { type: 'plain_text', text: 'Edit' },
  submit: { type: 'plain_text', text: 'Save' },
  blocks: [
    {
      type: 'input',
      block_id: 'to',
      label: { type: 'plain_text', text: 'To' },
      element: { type: 'plain_text_input', action_id: 'value' },
    },
  ],
} as const

test('a mention comes as two events, and the answer is read in the thread', async () => {
  const heard: string[] = []
  app.event('app_mention', async ({ event, client }) => {
    heard.push(event.text)
    await client.chat.postMessage({ channel: event.channel, thread_ts: event.ts, markdown_text: '**Hello** there' })
  })
  // Bolt itself keeps the app's own message from it, which is the third event.
  app.message(async ({ message }) => void heard.push(`${message.type}:${message.subtype ?? ''}`))
  await app.start()
  const ada = slack.addUser('Ada')
  const room = slack.addChannel('ops', [ada])
  const asked = slack.mention(ada, room, 'hello')
  const [, answer] = await slack.until(() => {
    const thread = slack.thread(room, asked.ts)
    return thread.length > 1 && slack.events.length === 3 && slack.events.every(({ acked }) => acked) ? thread : null
  })
  expect(answer).toMatchObject({ from: 'Quartermaster', text: '**Hello** there' })
  expect(heard.toSorted()).toEqual([`<@${slack.bot().userId}> hello`, 'message:'])
})

test('buttons, menus and modals reach the app with what was chosen, and the modal obeys the answer', async () => {
  const chosen: unknown[] = []
  app.message('ask', async ({ message, client }) => {
    await client.chat.postMessage({
      channel: message.channel,
      thread_ts: message.ts,
      ...structuredClone(card),
    } as never)
  })
  app.action('approve', async ({ ack, respond, body }) => {
    await ack()
    chosen.push(body.user.id)
    await respond({ replace_original: true, text: 'Approved.' })
  })
  app.action('pick', async ({ ack, action }) => {
    await ack()
    chosen.push((action as { selected_option: { value: string } }).selected_option.value)
  })
  app.action('edit', async ({ ack, body, client }) => {
    await ack()
    await client.views.open({
      trigger_id: (body as { trigger_id: string }).trigger_id,
      view: structuredClone(form) as never,
    })
  })
  app.view('edit', async ({ ack, view }) => {
    const value = view.state.values.to?.value?.value
    if (value === 'nobody') return ack({ response_action: 'errors', errors: { to: 'Who is that?' } })
    chosen.push(value)
    await ack()
  })
  await app.start()
  const ada = slack.addUser('Ada')
  const room = slack.dm(ada)
  const asked = slack.say(ada, room, 'ask')
  const question = await slack.until(() => slack.thread(room, asked.ts)[1])
  expect(question.buttons.map(({ text }) => text)).toEqual(['Approve', 'Edit…'])

  expect(await slack.choose(ada, question, 'pick', 'Two')).toMatchObject({ acked: true })
  await slack.openModal(ada, question, 'Edit…')
  expect(await slack.submitModal(ada)).toMatchObject({ sent: false, errors: { to: expect.any(String) } })
  expect(await slack.submitModal(ada, { To: 'nobody' })).toMatchObject({ errors: { to: 'Who is that?' } })
  expect(await slack.submitModal(ada, { To: 'grace' })).toMatchObject({ acked: true, errors: {} })
  expect(slack.modal(ada)).toBeNull()
  await slack.click(ada, question, 'Approve')
  await slack.until(() => slack.thread(room, asked.ts)[1]?.text === 'Approved.')
  expect(chosen).toEqual(['1', 'grace', ada.id])
})

test('commands, shortcuts, the Home tab and Stop reach the app', async () => {
  const heard: string[] = []
  app.command('/qm', async ({ ack, command }) => {
    heard.push(command.text)
    await ack('Here is help.')
  })
  app.shortcut('ask', async ({ ack, shortcut }) => {
    await ack()
    heard.push((shortcut as { message: { text: string } }).message.text)
  })
  app.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({
      user_id: event.user,
      view: { type: 'home', blocks: [{ type: 'section', text: { type: 'plain_text', text: 'Welcome' } }] },
    })
  })
  app.event('agent_session_stopped', async ({ event }) => void heard.push(...event.streaming_message_ts))
  await app.start()
  const ada = slack.addUser('Ada')
  const room = slack.addChannel('ops', [ada])
  expect(await slack.slash(ada, room, '/qm', 'help')).toMatchObject({ acked: true })
  expect(slack.ephemerals(ada)).toMatchObject([{ text: 'Here is help.' }])
  const said = slack.say(ada, room, 'a long story')
  expect(await slack.shortcut(ada, 'ask', said)).toMatchObject({ acked: true })
  slack.openHome(ada)
  expect(await slack.until(() => slack.home(ada))).toMatchObject({ text: 'Welcome' })

  const stop = () => slack.pressStop(ada, said)
  expect(stop).toThrow('no Stop button')
  await app.client.agents.sessions.setStatus({ channel_id: room.id, thread_ts: said.ts, status: 'processing' })
  const stream = await app.client.chat.startStream({
    channel: room.id,
    thread_ts: said.ts,
    recipient_team_id: slack.team.id,
    recipient_user_id: ada.id,
    markdown_text: 'Working',
  })
  stop()
  await slack.until(() => heard.includes(stream.ts as string))
  expect(heard).toEqual(['help', 'a long story', stream.ts])
})
