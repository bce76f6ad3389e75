// Socket Mode through Slack's own client: what happens to an event when things go wrong on the way.
import { SocketModeClient } from '@slack/socket-mode'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Channel, type SlackEmulator, startSlackEmulator, type User } from './index.ts'
import { quietLogger } from './quiet-logger.ts'

interface Heard {
  eventId: string
  text: string
  retry: number
  reason: string
}

let slack: SlackEmulator
let ada: User
let room: Channel
const clients: SocketModeClient[] = []
beforeEach(async () => {
  slack = await startSlackEmulator({ pingMs: 200 })
  ada = slack.addUser('Ada')
  room = slack.addChannel('ops', [ada])
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.disconnect()))
  await slack.close()
})

/** An app that writes down what it hears, and acknowledges it if it should. */
async function connect({ acks = true, impatient = false } = {}) {
  const heard: Heard[] = []
  const lifecycle: string[] = []
  const client = new SocketModeClient({
    appToken: slack.appToken,
    clientOptions: { slackApiUrl: slack.apiUrl },
    // The first is also how long it waits before it connects again. A busy machine must not look like a broken one.
    clientPingTimeout: impatient ? 300 : 1500,
    serverPingTimeout: impatient ? 700 : 15_000,
    logger: quietLogger,
  })
  clients.push(client)
  for (const name of ['connected', 'reconnecting']) client.on(name, () => lifecycle.push(name))
  client.on('slack_event', async ({ ack, body, type, retry_num, retry_reason }) => {
    if (type !== 'events_api') return
    heard.push({ eventId: body.event_id, text: body.event.text, retry: retry_num, reason: retry_reason })
    if (acks) await ack()
  })
  await client.start()
  return { client, heard, lifecycle }
}

test('an event that nobody acknowledges is sent again at once, after a minute and after five', async () => {
  const { heard } = await connect({ acks: false })
  slack.say(ada, room, 'hello')
  for (const [count, wait] of [
    [1, 3001],
    [2, 3001],
    [2, 60_000],
    [3, 3001],
    [3, 300_000],
    [4, 3001],
  ] as const) {
    await slack.until(() => heard.length === count)
    await slack.advance(wait)
  }
  await slack.until(() => slack.events[0]?.done)
  expect(heard.map(({ retry, reason }) => [retry, reason])).toEqual([
    [0, ''],
    [1, 'timeout'],
    [2, 'timeout'],
    [3, 'timeout'],
  ])
  expect(new Set(heard.map(({ eventId }) => eventId)).size).toBe(1)
  expect(slack.events[0]).toMatchObject({ attempts: 4, acked: false })
})

test('an event whose socket breaks before it is acknowledged comes again on the next one', async () => {
  const { heard, lifecycle } = await connect({ acks: false })
  slack.sockets.cutAfterNext()
  slack.say(ada, room, 'hello')
  await slack.until(() => slack.events[0]?.attempts === 2 && slack.sockets.count === 0)
  await slack.until(() => slack.sockets.count === 1 && lifecycle.length === 3)
  expect(lifecycle).toEqual(['connected', 'reconnecting', 'connected'])
  await slack.advance(60_000)
  await slack.until(() => heard.at(-1)?.retry === 2)
})

test('without any socket an event waits for its retries', async () => {
  slack.say(ada, room, 'hello')
  await slack.until(() => slack.events[0]?.attempts === 2)
  const { heard } = await connect()
  expect(heard).toEqual([])
  await slack.advance(60_000)
  await slack.until(() => slack.events[0]?.acked)
  expect(heard).toMatchObject([{ text: 'hello', retry: 2, reason: 'connection_failed' }])
})

test('a deaf socket is open and brings nothing; one that is silent altogether is noticed by the client', async () => {
  const { heard, lifecycle } = await connect({ impatient: true })
  slack.sockets.goDeaf()
  slack.say(ada, room, 'hello')
  await slack.until(() => lifecycle.includes('reconnecting'))
  await slack.until(() => slack.sockets.count === 1 && lifecycle.at(-1) === 'connected')
  expect(heard).toEqual([])
  slack.say(ada, room, 'again')
  await slack.until(() => heard.some(({ text }) => text === 'again'))
})

test('a deaf socket that answers pings keeps the client content', async () => {
  const { heard } = await connect()
  slack.sockets.goDeaf({ answersPings: true })
  slack.say(ada, room, 'hello')
  await slack.advance(3001)
  await slack.until(() => slack.events[0]?.attempts === 2)
  expect([slack.sockets.count, heard]).toEqual([1, []])
})

test('an app that is asked to reconnect does', async () => {
  const { heard, lifecycle } = await connect()
  for (const reason of ['warning', 'refresh_requested'] as const) {
    const before = lifecycle.length
    slack.sockets.askToReconnect(reason)
    await slack.until(() => lifecycle.length === before + 2 && slack.sockets.count === 1)
  }
  slack.say(ada, room, 'hello')
  await slack.until(() => heard.length === 1)
})

test('of two sockets one gets each event, unless both are to, or it is sent once more', async () => {
  const one = await connect()
  const two = await connect()
  const total = () => one.heard.length + two.heard.length
  for (const text of ['1', '2', '3', '4']) slack.say(ada, room, text)
  await slack.until(() => slack.events.every(({ acked }) => acked))
  expect([one.heard.length, two.heard.length]).toEqual([2, 2])
  slack.sockets.deliverEverywhere()
  slack.say(ada, room, '5')
  await slack.until(() => total() === 6)
  slack.sockets.deliverEverywhere(false)
  const [first] = slack.events
  if (first) await slack.resend(first)
  if (first) await slack.resend(first, { everywhere: true })
  expect(total()).toBe(9)
  expect([...one.heard, ...two.heard].filter(({ text }) => text === '1')).toHaveLength(4)
})

test('an acknowledgement that is held back counts for nothing', async () => {
  const { heard } = await connect()
  slack.sockets.holdAcks()
  slack.say(ada, room, 'hello')
  await slack.until(() => heard.length === 1)
  await slack.advance(3001)
  await slack.until(() => heard.length === 2)
  slack.sockets.holdAcks(false)
  await slack.advance(3001)
  await slack.advance(60_000)
  await slack.until(() => slack.events[0]?.acked)
  expect(heard).toHaveLength(3)
})

test('a socket is opened with a ticket that works once', async () => {
  const { client } = await connect()
  const { url } = await (
    client as unknown as { webClient: { apps: { connections: { open(args: object): Promise<{ url: string }> } } } }
  ).webClient.apps.connections.open({})
  const open = () =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url)
      socket.addEventListener('message', () => {
        socket.close()
        resolve('hello')
      })
      socket.addEventListener('error', () => resolve('refused'))
    })
  expect([await open(), await open()]).toEqual(['hello', 'refused'])
})
