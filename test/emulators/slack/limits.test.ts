// Every row of the table of limits: just within is taken, one more is refused with Slack's own error.
import { createServer } from 'node:http'
import type { WebClient } from '@slack/web-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { callSlack, clientOf } from './call-slack.ts'
import { type Channel, type SlackEmulator, startSlackEmulator, type User } from './index.ts'

let slack: SlackEmulator
let web: WebClient
let ada: User
let room: Channel
/** Slack's three seconds are too few for a busy machine where they are not what is tested. */
const patient = { ackMs: 60_000, triggerMs: 60_000 }
beforeAll(async () => {
  slack = await startSlackEmulator(patient)
  web = clientOf(slack)
  ada = slack.addUser('Ada')
  room = slack.addChannel('ops', [ada])
})
afterAll(() => slack.close())

type Json = Record<string, unknown>
const call = (method: string, args: Json, client = web) => callSlack(client, method, args)

const x = (length: number) => 'x'.repeat(length)
const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index))
const plain = (text: string) => ({ type: 'plain_text', text })
const button = (more: Json = {}) => ({ type: 'button', text: plain('Go'), ...more })
const option = (text: string, value = text) => ({ text: plain(text), value })
const options = (count: number) => many(count, (index) => option(String(index)))
const section = (more: Json = {}) => ({ type: 'section', text: plain('Hello'), ...more })
const actions = (...elements: Json[]) => ({ type: 'actions', elements })
const confirm = (more: Json = {}) => ({
  title: plain('Sure?'),
  text: plain('Really?'),
  confirm: plain('Yes'),
  deny: plain('No'),
  ...more,
})
const feedback = (index = 0) => ({
  type: 'feedback_buttons',
  action_id: `f${index}`,
  positive_button: { text: plain('Good'), value: 'good' },
  negative_button: { text: plain('Bad'), value: 'bad' },
})

type Row = [what: string, most: number, blocks: (size: number) => Json[], words: RegExp]
const tooLong = (pointer: string, most: number) =>
  new RegExp(`^\\[ERROR\\] must be less than ${most + 1} characters \\[json-pointer:/blocks/0/${pointer}\\]$`)
const tooMany = (pointer: string, most: number) =>
  new RegExp(`^\\[ERROR\\] no more than ${most} items allowed \\[json-pointer:/blocks/0/${pointer}\\]$`)
const inBlocks: Row[] = [
  ['a block_id', 255, (size) => [section({ block_id: x(size) })], tooLong('block_id', 255)],
  ['an action_id', 255, (size) => [actions(button({ action_id: x(size) }))], tooLong('elements/0/action_id', 255)],
  [
    'the text of a button',
    75,
    (size) => [actions(button({ text: plain(x(size)) }))],
    tooLong('elements/0/text/text', 75),
  ],
  ['the value of a button', 2000, (size) => [actions(button({ value: x(size) }))], tooLong('elements/0/value', 2000)],
  [
    'the url of a button',
    3000,
    (size) => [actions(button({ url: `https://a.example/${x(size - 18)}` }))],
    tooLong('elements/0/url', 3000),
  ],
  ['the elements of actions', 25, (size) => [actions(...many(size, () => button()))], tooMany('elements', 25)],
  [
    'the elements of a context',
    10,
    (size) => [{ type: 'context', elements: many(size, () => plain('a')) }],
    tooMany('elements', 10),
  ],
  [
    'the elements of context_actions',
    5,
    (size) => [{ type: 'context_actions', elements: many(size, feedback) }],
    tooMany('elements', 5),
  ],
  ['the text of a section', 3000, (size) => [section({ text: plain(x(size)) })], tooLong('text/text', 3000)],
  ['the fields of a section', 10, (size) => [section({ fields: many(size, () => plain('a')) })], tooMany('fields', 10)],
  ['a field of a section', 2000, (size) => [section({ fields: [plain(x(size))] })], tooLong('fields/0/text', 2000)],
  ['a header', 150, (size) => [{ type: 'header', text: plain(x(size)) }], tooLong('text/text', 150)],
  [
    'the options of a menu',
    100,
    (size) => [actions({ type: 'static_select', options: options(size) })],
    tooMany('elements/0/options', 100),
  ],
  [
    'radio buttons',
    10,
    (size) => [actions({ type: 'radio_buttons', options: options(size) })],
    tooMany('elements/0/options', 10),
  ],
  [
    'checkboxes',
    10,
    (size) => [actions({ type: 'checkboxes', options: options(size) })],
    tooMany('elements/0/options', 10),
  ],
  [
    'an overflow menu',
    5,
    (size) => [actions({ type: 'overflow', options: options(size) })],
    tooMany('elements/0/options', 5),
  ],
  [
    'the text of an option',
    75,
    (size) => [actions({ type: 'static_select', options: [option(x(size), 'v')] })],
    tooLong('elements/0/options/0/text/text', 75),
  ],
  [
    'the value of an option',
    75,
    (size) => [actions({ type: 'static_select', options: [option('t', x(size))] })],
    tooLong('elements/0/options/0/value', 75),
  ],
  [
    'the title of a confirm dialog',
    100,
    (size) => [actions(button({ confirm: confirm({ title: plain(x(size)) }) }))],
    tooLong('elements/0/confirm/title/text', 100),
  ],
  [
    'the text of a confirm dialog',
    300,
    (size) => [actions(button({ confirm: confirm({ text: plain(x(size)) }) }))],
    tooLong('elements/0/confirm/text/text', 300),
  ],
  [
    'a button of a confirm dialog',
    30,
    (size) => [actions(button({ confirm: confirm({ deny: plain(x(size)) }) }))],
    tooLong('elements/0/confirm/deny/text', 30),
  ],
  ['a markdown block', 12_000, (size) => [{ type: 'markdown', text: x(size) }], tooLong('text', 12_000)],
  [
    'the blocks of a message',
    50,
    (size) => many(size, () => ({ type: 'divider' })),
    /^\[ERROR\] no more than 50 items allowed \[json-pointer:\/blocks\]$/,
  ],
]

test.each(inBlocks)('a message: %s is at most %d', async (_, most, blocks, words) => {
  const send = (size: number) => call('chat.postMessage', { channel: room.id, text: 'x', blocks: blocks(size) })
  expect(await send(most)).toMatchObject({ ok: true })
  const refused = await send(most + 1)
  expect(refused).toMatchObject({ ok: false, error: 'invalid_blocks' })
  expect((refused.response_metadata as { messages: string[] }).messages).toEqual([expect.stringMatching(words)])
})

test('all texts of a message together end near 13,200', async () => {
  const send = (length: number) =>
    call('chat.postMessage', {
      channel: room.id,
      text: 'x',
      blocks: [{ type: 'markdown', text: x(12_000) }, section({ text: plain(x(length - 12_000)) })],
    })
  expect(await send(13_100)).toMatchObject({ ok: true })
  expect(await send(13_300)).toMatchObject({ error: 'msg_blocks_too_long' })
})

test('markdown_text is at most 12,000, in a message and in a stream', async () => {
  const said = slack.say(ada, slack.dm(ada), 'hello')
  for (const [method, args] of [
    ['chat.postMessage', { channel: room.id }],
    ['chat.startStream', { channel: said.channel, thread_ts: said.ts }],
  ] as const) {
    expect(await call(method, { ...args, markdown_text: x(12_000) })).toMatchObject({ ok: true })
    expect(await call(method, { ...args, markdown_text: x(12_001) })).toMatchObject({ error: 'msg_too_long' })
  }
})

test('text beyond 40,000 is cut, not refused', async () => {
  expect(await call('chat.postMessage', { channel: room.id, text: x(40_000) })).toMatchObject({
    message: { text: x(40_000) },
  })
  expect(await call('chat.postMessage', { channel: room.id, text: x(40_001) })).toMatchObject({
    ok: true,
    message: { text: x(40_000) },
  })
})

/** Somebody gives a command, so that the app may open a view. */
async function trigger(): Promise<string> {
  const { triggers, close } = await listen(slack)
  await slack.slash(ada, slack.dm(ada), '/qm')
  await close()
  slack.useSockets()
  return triggers[0] as string
}

const modal = (more: Json = {}) => ({ type: 'modal', title: plain('Edit'), blocks: [section()], ...more })
const inViews: [what: string, most: number, view: (size: number) => Json, pointer: string][] = [
  ['private_metadata', 3000, (size) => modal({ private_metadata: x(size) }), '/view/private_metadata'],
  ['callback_id', 255, (size) => modal({ callback_id: x(size) }), '/view/callback_id'],
  ['title', 24, (size) => modal({ title: plain(x(size)) }), '/view/title/text'],
  ['submit', 24, (size) => modal({ submit: plain(x(size)) }), '/view/submit/text'],
  ['close', 24, (size) => modal({ close: plain(x(size)) }), '/view/close/text'],
]

test.each(inViews)('a view: its %s is at most %d', async (_, most, view, pointer) => {
  expect(await call('views.open', { trigger_id: await trigger(), view: view(most) })).toMatchObject({ ok: true })
  expect(await call('views.open', { trigger_id: await trigger(), view: view(most + 1) })).toMatchObject({
    error: 'invalid_arguments',
    response_metadata: {
      messages: [
        '[ERROR] failed to match all allowed schemas [json-pointer:/view]',
        `[ERROR] must be less than ${most + 1} characters [json-pointer:${pointer}]`,
      ],
    },
  })
})

test('a view has at most 100 blocks and 250 KB', async () => {
  const home = (blocks: Json[]) => call('views.publish', { user_id: ada.id, view: { type: 'home', blocks } })
  expect(await home(many(100, () => section()))).toMatchObject({ ok: true })
  expect(await home(many(101, () => section()))).toMatchObject({
    error: 'invalid_arguments',
    response_metadata: {
      messages: expect.arrayContaining([expect.stringContaining('no more than 100 items allowed')]),
    },
  })
  const big = (length: number) => many(100, () => section({ text: plain(x(length)) }))
  expect((await home(big(2430))).ok).toBe(true)
  expect((await home(big(2480))).error).toBe('view_too_large')
})

test('three views lie on one another, and not a fourth', async () => {
  const own = await startSlackEmulator(patient)
  try {
    const client = clientOf(own)
    const person = own.addUser('Ada')
    const { triggers, close } = await listen(own)
    for (const method of ['views.open', 'views.push', 'views.push', 'views.push']) {
      await own.slash(person, own.dm(person), '/qm')
      const answer = await call(method, { trigger_id: triggers.pop(), view: modal() }, client)
      expect(answer).toMatchObject(triggers.opened++ < 3 ? { ok: true } : { error: 'push_limit_reached' })
    }
    await close()
  } finally {
    await own.close()
  }
})

/** An app over HTTP that acknowledges everything and keeps what it can use later. */
async function listen(emulator: SlackEmulator) {
  const triggers = Object.assign([] as string[], { opened: 0, responseUrls: [] as string[], delayMs: 0 })
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const form = new URLSearchParams(body)
    const id = form.get('trigger_id')
    if (id) triggers.push(id)
    const url = form.get('response_url')
    if (url) triggers.responseUrls.push(url)
    if (triggers.delayMs) await new Promise((resolve) => setTimeout(resolve, triggers.delayMs))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`
  emulator.useHttp({ events: url, interactivity: url, commands: url })
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { triggers, close }
}

test('an app that takes longer than its time to acknowledge has not acknowledged', async () => {
  const own = await startSlackEmulator()
  const { triggers, close } = await listen(own)
  try {
    const person = own.addUser('Ada')
    expect(await own.slash(person, own.dm(person), '/qm')).toMatchObject({ acked: true })
    triggers.delayMs = 20_000
    const answer = own.slash(person, own.dm(person), '/qm')
    await own.until(() => triggers.length === 2)
    await own.advance(3001)
    expect(await answer).toMatchObject({ sent: true, acked: false })
  } finally {
    await close()
    await own.close()
  }
})

test('a trigger opens one view, within three seconds', async () => {
  const own = await startSlackEmulator()
  const { triggers, close } = await listen(own)
  try {
    const client = clientOf(own)
    const person = own.addUser('Ada')
    const open = (trigger_id: unknown) => call('views.open', { trigger_id, view: modal() }, client)
    await own.slash(person, own.dm(person), '/qm')
    await own.slash(person, own.dm(person), '/qm')
    const [first, second] = triggers
    expect(await open(first)).toMatchObject({ ok: true })
    expect(await open(first)).toMatchObject({ error: 'exchanged_trigger_id' })
    await own.advance(3001)
    expect(await open(second)).toMatchObject({ error: 'expired_trigger_id' })
    expect(await open('1.2.abc')).toMatchObject({ error: 'invalid_trigger_id' })
  } finally {
    await close()
    await own.close()
  }
})

test('a response_url works five times, within half an hour', async () => {
  const own = await startSlackEmulator()
  const { triggers, close } = await listen(own)
  try {
    const person = own.addUser('Ada')
    await own.slash(person, own.dm(person), '/qm')
    await own.slash(person, own.dm(person), '/qm')
    const [first, second] = triggers.responseUrls as [string, string]
    const post = async (url: string) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ text: 'Hello' }) })
      return { status: response.status, ...((await response.json()) as Json) }
    }
    for (const _ of many(5, String)) expect(await post(first)).toMatchObject({ status: 200 })
    expect(await post(first)).toEqual({ status: 404, ok: false, error: 'used_url' })
    await own.advance(29 * 60_000)
    expect(await post(second)).toMatchObject({ status: 200 })
    await own.advance(2 * 60_000)
    expect(await post(second)).toEqual({ status: 404, ok: false, error: 'expired_url' })
    expect(own.ephemerals(person)).toHaveLength(6)
  } finally {
    await close()
    await own.close()
  }
})

test('posts to a channel come once a second, other channels are not held up', async () => {
  const own = await startSlackEmulator({ rates: 'slack' })
  try {
    const client = clientOf(own)
    const [one, two] = [own.addChannel('one', []), own.addChannel('two', [])]
    const post = (channel: Channel, text = 'x') => call('chat.postMessage', { channel: channel.id, text }, client)
    // At once, so that a slow machine does not spread them over more than the second.
    const [first, again, other] = await Promise.all([post(one), post(one, 'again'), post(two)])
    expect([first, again].filter(({ ok }) => ok)).toHaveLength(1)
    expect([first, again].find(({ ok }) => !ok)).toEqual({ ok: false, error: 'ratelimited', retryAfter: 1 })
    expect(other).toMatchObject({ ok: true })
    await own.advance(1100)
    expect(await post(one, 'again')).toMatchObject({ ok: true })
  } finally {
    await own.close()
  }
})

test.each([
  ['chat.startStream', 20],
  ['chat.stopStream', 20],
  ['chat.appendStream', 100],
])('%s may be called %d times a minute', async (method, most) => {
  const own = await startSlackEmulator({ rates: 'slack' })
  try {
    const client = clientOf(own)
    const person = own.addUser('Ada')
    const { ts } = own.say(person, own.dm(person), 'hello')
    const args = { channel: own.dm(person).id, thread_ts: ts, ts }
    const answers: Json[] = []
    for (const count of many(most + 1, String))
      answers.push(await call(method, { ...args, markdown_text: count }, client))
    expect(answers.slice(0, most).every(({ error }) => error !== 'ratelimited')).toBe(true)
    expect(answers.at(-1)).toMatchObject({ error: 'ratelimited', retryAfter: expect.any(Number) })
    await own.advance(61_000)
    expect((await call(method, args, client)).error).not.toBe('ratelimited')
  } finally {
    await own.close()
  }
})

test('a processing status is over after two minutes unless it is set again', async () => {
  const { ts } = slack.say(ada, room, 'work')
  const process = () => call('agents.sessions.setStatus', { channel_id: room.id, thread_ts: ts, status: 'processing' })
  await process()
  await slack.advance(110_000)
  expect(slack.session(room, ts)?.status).toBe('processing')
  await process()
  await slack.advance(110_000)
  expect(slack.session(room, ts)?.status).toBe('processing')
  await slack.advance(20_000)
  expect(slack.session(room, ts)?.status).toBe('active')
})

test('a team gets no more events in an hour than its share', async () => {
  const own = await startSlackEmulator({ eventsPerHour: 3, retryMs: [] })
  try {
    const person = own.addUser('Ada')
    const place = own.addChannel('ops', [person])
    for (const text of ['1', '2', '3', '4', '5']) own.say(person, place, text)
    expect(own.events).toHaveLength(3)
    await own.advance(3_600_000)
    own.say(person, place, '6')
    expect(own.events).toHaveLength(4)
  } finally {
    await own.close()
  }
})

test('ten sockets are open at once, and the eleventh is sent away', async () => {
  const own = await startSlackEmulator()
  const sockets: WebSocket[] = []
  try {
    const hear = async () => {
      const { url } = await call('apps.connections.open', {}, clientOf(own, own.appToken))
      const socket = new WebSocket(String(url))
      sockets.push(socket)
      return new Promise<Json>((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)))))
    }
    for (const index of many(10, Number))
      expect(await hear()).toMatchObject({ type: 'hello', num_connections: index + 1 })
    expect(await hear()).toMatchObject({ type: 'disconnect', reason: 'too_many_websockets' })
    // Each event goes to one of the ten.
    let heard = 0
    for (const socket of sockets)
      socket.on('message', (data) => {
        const { envelope_id } = JSON.parse(String(data))
        heard++
        socket.send(JSON.stringify({ envelope_id }))
      })
    const person = own.addUser('Ada')
    const place = own.addChannel('ops', [person])
    for (const text of many(30, String)) own.say(person, place, text)
    await own.until(() => own.events.every(({ acked }) => acked))
    expect(heard).toBe(30)
  } finally {
    for (const socket of sockets) socket.terminate()
    await own.close()
  }
})
