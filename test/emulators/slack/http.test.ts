// An app without Socket Mode: signed requests to a real Bolt receiver, with Slack's retries.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App, HTTPReceiver } from '@slack/bolt'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Channel, type SlackEmulator, startSlackEmulator, type User } from './index.ts'
import { quietLogger } from './quiet-logger.ts'

let slack: SlackEmulator
let server: Server
let url: string
let app: App
let ada: User
let room: Channel
/** The headers of retries, as they came in. */
const came: { retry: string | undefined; reason: string | undefined }[] = []
/** Answered before Bolt sees anything. */
let refuseWith: { status: number; headers?: Record<string, string> } | null = null

beforeEach(async () => {
  slack = await startSlackEmulator()
  ada = slack.addUser('Ada')
  room = slack.addChannel('ops', [ada])
  came.length = 0
  refuseWith = null
  const receiver = new HTTPReceiver({
    signingSecret: slack.signingSecret,
    endpoints: ['/slack/events'],
    logger: quietLogger,
  })
  app = new App({ token: slack.botToken, receiver, logger: quietLogger, clientOptions: { slackApiUrl: slack.apiUrl } })
  server = createServer((request, response) => {
    const { 'x-slack-retry-num': retry, 'x-slack-retry-reason': reason } = request.headers as Record<string, string>
    came.push({ retry, reason })
    if (refuseWith) return void response.writeHead(refuseWith.status, refuseWith.headers).end()
    receiver.requestListener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await slack.close()
})

const use = () => slack.useHttp({ events: url, interactivity: url, commands: url })

test('the address of events proves itself with the challenge', async () => {
  expect(await use().verify()).toBe(true)
})

test('events, commands and clicks come signed, and are answered in the response', async () => {
  use()
  const heard: string[] = []
  app.event('app_mention', async ({ event, client }) => {
    heard.push(event.text)
    await client.chat.postMessage({
      channel: event.channel,
      thread_ts: event.ts,
      text: 'May I?',
      blocks: [
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'yes', text: { type: 'plain_text', text: 'Yes' } }],
        },
      ],
    })
  })
  app.action('yes', async ({ ack }) => {
    heard.push('yes')
    await ack()
  })
  app.command('/qm', async ({ ack }) => ack({ text: 'Here you are.' }))
  const asked = slack.mention(ada, room, 'hello')
  const card = await slack.until(() => slack.thread(room, asked.ts)[1])
  expect(await slack.click(ada, card, 'Yes')).toMatchObject({ acked: true })
  expect(await slack.slash(ada, room, '/qm')).toMatchObject({ acked: true })
  expect(slack.ephemerals(ada)).toMatchObject([{ text: 'Here you are.' }])
  expect(heard).toEqual([`<@${slack.bot().userId}> hello`, 'yes'])
})

test('an event that is answered with an error comes again with its number and the reason', async () => {
  use()
  refuseWith = { status: 500 }
  slack.say(ada, room, 'hello')
  await slack.until(() => came.length === 2)
  await slack.advance(60_000)
  await slack.until(() => came.length === 3)
  await slack.advance(300_000)
  await slack.until(() => slack.events[0]?.done)
  expect(came.map(({ retry, reason }) => [retry, reason])).toEqual([
    [undefined, undefined],
    ['1', 'http_error'],
    ['2', 'http_error'],
    ['3', 'http_error'],
  ])
})

test('an app can refuse the retries', async () => {
  use()
  refuseWith = { status: 500, headers: { 'x-slack-no-retry': '1' } }
  slack.say(ada, room, 'hello')
  await slack.until(() => slack.events[0]?.done)
  expect(came).toHaveLength(1)
})

test('only a request that is signed, and of now, gets past Bolt', async () => {
  const body = JSON.stringify({ type: 'url_verification', challenge: 'c', token: 't' })
  const send = async (headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })).status
  expect(await send(slack.sign(body))).toBe(200)
  expect(await send(slack.sign(`${body} `))).toBe(401)
  expect(await send({})).toBe(401)
  expect(await send(slack.sign(body, Math.floor(Date.now() / 1000) - 600))).toBe(401)
})
