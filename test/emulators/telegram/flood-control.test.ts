// What Telegram says to those who are too fast.
import { autoRetry } from '@grammyjs/auto-retry'
import { Bot } from 'grammy'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ManualClock, type Person, startTelegramEmulator, type TelegramEmulator } from './index.ts'

let clock: ManualClock
let telegram: TelegramEmulator
let api: Bot['api']

beforeEach(async () => {
  clock = new ManualClock()
  telegram = await startTelegramEmulator({ clock, flood: true })
  api = new Bot(telegram.token, { client: { apiRoot: telegram.apiRoot } }).api
})

afterEach(() => telegram.close())

const tooMany = (seconds: number) => ({
  error_code: 429,
  description: `Too Many Requests: retry after ${seconds}`,
  parameters: { retry_after: seconds },
})
const startedBy = (person: Person) => {
  person.start()
  return person.id
}

test('a chat gets one message a second, and others are not held up', async () => {
  const ada = startedBy(telegram.user())
  const bob = startedBy(telegram.user())
  await api.sendMessage(ada, 'one')
  await expect(api.sendMessage(ada, 'two')).rejects.toMatchObject(tooMany(1))
  await api.sendMessage(bob, 'one')
  clock.advance(999)
  await expect(api.sendMessage(ada, 'two')).rejects.toMatchObject(tooMany(1))
  clock.advance(1)
  await api.sendMessage(ada, 'two')
})

test('a group gets 20 messages a minute', async () => {
  const { id } = telegram.group({ title: 'Team', members: [telegram.user()] })
  for (let sent = 0; sent < 20; sent++) {
    await api.sendMessage(id, `${sent}`)
    clock.advance(1000)
  }
  await expect(api.sendMessage(id, 'more')).rejects.toMatchObject(tooMany(40))
  clock.advance(39_999)
  await expect(api.sendMessage(id, 'more')).rejects.toMatchObject(tooMany(1))
  clock.advance(1)
  await api.sendMessage(id, 'more')
})

test('all chats together get 30 messages a second', async () => {
  const chats = Array.from({ length: 31 }, () => startedBy(telegram.user()))
  for (const chat of chats.slice(0, 30)) await api.sendMessage(chat, 'x')
  await expect(api.sendMessage(Number(chats[30]), 'x')).rejects.toMatchObject(tooMany(1))
  clock.advance(1000)
  await api.sendMessage(Number(chats[30]), 'x')
})

test('by default nothing is too fast', async () => {
  const calm = await startTelegramEmulator()
  const chat = calm.user()
  chat.start()
  const calmApi = new Bot(calm.token, { client: { apiRoot: calm.apiRoot } }).api
  for (let sent = 0; sent < 40; sent++) await calmApi.sendMessage(chat.id, `${sent}`)
  await calm.close()
})

test('in a storm about half of the calls are refused, each for 1 to 30 seconds', async () => {
  const storming = await startTelegramEmulator({ clock })
  const stormApi = new Bot(storming.token, { client: { apiRoot: storming.apiRoot } }).api
  storming.storm()
  const waits: number[] = []
  for (let count = 0; count < 100; count++) {
    const chat = startedBy(storming.user())
    await stormApi.sendMessage(chat, 'x').catch((error) => waits.push(error.parameters.retry_after))
  }
  expect(waits.length).toBeGreaterThan(30)
  expect(waits.length).toBeLessThan(70)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1)
  expect(Math.max(...waits)).toBeLessThanOrEqual(30)
  expect(Math.max(...waits)).toBeGreaterThan(10)
  storming.storm(false)
  for (const id of storming.world.users.keys()) await stormApi.sendMessage(id, 'calm')
  await storming.close()
})

test('a client that obeys is heard in the end', async () => {
  const real = await startTelegramEmulator({ flood: true })
  const obedient = new Bot(real.token, { client: { apiRoot: real.apiRoot } }).api
  obedient.config.use(autoRetry())
  const chat = startedBy(real.user())
  await obedient.sendMessage(chat, 'one')
  await obedient.sendMessage(chat, 'two')
  expect(real.chat(chat).messages.map(({ text }) => text)).toEqual(['/start', 'one', 'two'])
  expect(real.calls('sendMessage').map(({ answer }) => answer?.ok)).toEqual([true, false, true])
  await real.close()
})
