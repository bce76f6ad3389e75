// How a bot receives: asking, and webhooks; each update at least once, and what happens when somebody else asks too.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Bot } from 'grammy'
import type { Update, WebhookInfo } from 'grammy/types'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ManualClock, type Person, startTelegramEmulator, type TelegramEmulator } from './index.ts'

const hour = 60 * 60 * 1000
let clock: ManualClock
let telegram: TelegramEmulator
let api: Bot['api']
let ada: Person
const closing: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  clock = new ManualClock()
  telegram = await startTelegramEmulator({ clock })
  api = new Bot(telegram.token, { client: { apiRoot: telegram.apiRoot } }).api
  ada = telegram.user({ firstName: 'Ada' })
})

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  await telegram.close()
})

const textsOf = (updates: readonly Update[]) => updates.map(({ message }) => message?.text)

test('an update comes again until a higher offset confirms it', async () => {
  ada.say('one')
  ada.say('two')
  const first = await api.getUpdates()
  expect(textsOf(first)).toEqual(['one', 'two'])
  expect(textsOf(await api.getUpdates({ limit: 1 }))).toEqual(['one'])
  const offset = Number(first[0]?.update_id) + 1
  expect(textsOf(await api.getUpdates({ offset }))).toEqual(['two'])
  expect(textsOf(await api.getUpdates({ offset: offset + 1 }))).toEqual([])
  expect(textsOf(await api.getUpdates({ offset: 0 }))).toEqual([])
})

test('whoever asks waits until something happens', async () => {
  const waiting = api.getUpdates({ timeout: 30 })
  await telegram.until(() => telegram.calls('getUpdates').length)
  ada.say('now')
  expect(textsOf(await waiting)).toEqual(['now'])
})

test('of two who ask, the older is told of the conflict', async () => {
  const older = api.getUpdates({ timeout: 30 })
  const refused = expect(older).rejects.toMatchObject({
    error_code: 409,
    description: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  })
  await telegram.until(() => telegram.calls('getUpdates').length)
  const newer = api.getUpdates({ timeout: 30 })
  await refused
  ada.say('hello')
  expect(textsOf(await newer)).toEqual(['hello'])
})

test('one who hung up is in nobody’s way', async () => {
  const hangUp = new AbortController()
  const gone = expect(api.getUpdates({ timeout: 30 }, hangUp.signal as never)).rejects.toThrow()
  await telegram.until(() => telegram.calls('getUpdates').length)
  hangUp.abort()
  await gone
  ada.say('hello')
  expect(textsOf(await api.getUpdates())).toEqual(['hello'])
})

test('only the kinds of updates that were asked for are made, and the setting stays', async () => {
  await api.getUpdates({ allowed_updates: ['edited_message'] })
  const message = ada.say('one')
  ada.edit(message, 'two')
  expect((await api.getUpdates()).map(({ edited_message: edited }) => edited?.text)).toEqual(['two'])
  await api.getUpdates({ allowed_updates: [], offset: -1 })
  ada.say('three')
  expect(textsOf(await api.getUpdates({ offset: -1 }))).toEqual(['three'])
})

test('the same update comes again on demand, although it was confirmed', async () => {
  ada.say('once')
  const [update] = await api.getUpdates()
  const offset = Number(update?.update_id) + 1
  expect(await api.getUpdates({ offset })).toEqual([])
  telegram.redeliver()
  expect(await api.getUpdates({ offset })).toEqual([update])
  expect(await api.getUpdates({ offset })).toEqual([])
})

test('an offset from before the numbers restarted hides nothing', async () => {
  ada.say('before')
  const [before] = await api.getUpdates()
  const offset = Number(before?.update_id) + 1
  await api.getUpdates({ offset })
  telegram.restartUpdateIds(1000)
  ada.say('after')
  const [after] = await api.getUpdates({ offset })
  expect(after).toMatchObject({ update_id: 1000, message: { text: 'after' } })
  expect(await api.getUpdates({ offset: 1001 })).toEqual([])
})

test('an update waits for 24 hours and no longer', async () => {
  ada.say('one')
  clock.advance(24 * hour - 1)
  expect(await api.getUpdates()).toHaveLength(1)
  clock.advance(1)
  expect(await api.getUpdates()).toEqual([])
})

interface Delivered {
  update: Update
  headers: IncomingHttpHeaders
}

/** The bot's address: answers with these statuses in turn, then with 200. */
async function startHook(statuses: number[] = []): Promise<Delivered[]> {
  const delivered: Delivered[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    delivered.push({ update: JSON.parse(Buffer.concat(chunks).toString()), headers: request.headers })
    response.writeHead(statuses.shift() ?? 200).end()
    telegram.world.changed()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  telegram.routeWebhookTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return delivered
}

test('a webhook gets each update with its secret, and nobody may ask meanwhile', async () => {
  const delivered = await startHook()
  ada.say('before')
  await api.setWebhook('https://bot.example.com/hook', { secret_token: 'secret_1' })
  ada.say('after')
  await telegram.until(() => delivered.length === 2)
  expect(textsOf(delivered.map(({ update }) => update))).toEqual(['before', 'after'])
  expect(delivered[0]?.headers['x-telegram-bot-api-secret-token']).toBe('secret_1')
  await expect(api.getUpdates()).rejects.toMatchObject({
    error_code: 409,
    description:
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  })
  expect(await api.getWebhookInfo()).toMatchObject({ url: 'https://bot.example.com/hook', max_connections: 40 })
  await api.deleteWebhook()
  expect(await api.getUpdates()).toEqual([])
})

test('a webhook that fails is tried again later and later, in the order of the chat', async () => {
  const delivered = await startHook([500, 503])
  await api.setWebhook('https://bot.example.com/hook')
  ada.say('one')
  ada.say('two')
  await telegram.until(() => delivered.length === 1)
  const info = await waitForInfo(({ last_error_message: message }) => message?.includes('500'))
  expect(info).toMatchObject({
    pending_update_count: 2,
    last_error_message: expect.stringContaining('Wrong response from the webhook: 500'),
  })
  clock.advance(1000)
  await waitForInfo(({ last_error_message: message }) => message?.includes('503'))
  clock.advance(1999)
  expect(delivered).toHaveLength(2)
  clock.advance(1)
  await telegram.until(() => delivered.length === 4)
  expect(textsOf(delivered.map(({ update }) => update))).toEqual(['one', 'one', 'one', 'two'])
})

function waitForInfo(isSo: (info: WebhookInfo) => boolean | undefined): Promise<WebhookInfo> {
  return telegram.until(async () => {
    const info = await api.getWebhookInfo()
    return isSo(info) && info
  })
}

test('no more connections than allowed are open at a time', async () => {
  let open = 0
  let most = 0
  let count = 0
  const server = createServer(async (request, response) => {
    most = Math.max(most, ++open)
    for await (const _ of request);
    setTimeout(() => {
      open--
      count++
      response.end()
    }, 10)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  telegram.routeWebhookTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await api.setWebhook('https://bot.example.com/hook', { max_connections: 2 })
  for (let index = 0; index < 6; index++) telegram.user().say('hello')
  await telegram.until(() => count === 6)
  expect(most).toBe(2)
})

test('setting a webhook ends the asking', async () => {
  const refused = expect(api.getUpdates({ timeout: 30 })).rejects.toMatchObject({
    description: 'Conflict: terminated by setWebhook request',
  })
  await telegram.until(() => telegram.calls('getUpdates').length)
  await api.setWebhook('https://bot.example.com/hook')
  await refused
})
