// How a fleet of bots is connected to Telegram, and what it does when that goes wrong: nothing is lost, nothing is said
// twice.
import { useTestDatabase } from '@quartermaster/db/testing'
import { Api } from 'grammy'
import { expect, test, vi } from 'vitest'
import { until } from './start-bot.ts'
import { setUpTelegram, type TelegramSetup, updatesTaken } from './telegram-setup.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 120_000 })

const channelOf = ({ channelId }: TelegramSetup) =>
  database.db.prisma.channel.findUniqueOrThrow({ where: { id: channelId } })

test('the same update again, and a restart, lead to one answer', async () => {
  const setup = await setUpTelegram(database)
  const { telegram, connect, join, answer, said, runs } = setup
  const ada = await join('Ada')
  const first = await connect()
  ada.say('hello')
  await answer(ada, 'You said: hello')
  await updatesTaken(telegram)
  telegram.redeliver()
  await updatesTaken(telegram)
  first.child.kill('SIGTERM')
  await first.exited
  telegram.redeliver()
  await connect()
  ada.say('again')
  await answer(ada, 'You said: again')
  await updatesTaken(telegram)
  expect(said(ada)).toHaveLength(2)
  expect(await runs()).toHaveLength(2)
})

test('ids of updates that begin anew are neither taken for old ones nor missed', async () => {
  const { telegram, connect, join, answer, said } = await setUpTelegram(database)
  const ada = await join('Ada')
  await connect()
  ada.say('one')
  await answer(ada, 'You said: one')
  const [oldest] = telegram.updates()
  await updatesTaken(telegram)
  telegram.restartUpdateIds((oldest?.update_id ?? 1_000) - 500)
  ada.say('two')
  await answer(ada, 'You said: two')
  telegram.restartUpdateIds(oldest?.update_id)
  ada.say('three')
  await answer(ada, 'You said: three')
  expect(said(ada)).toHaveLength(3)
})

test('of two bots one polls, without a conflict; when it is killed the other goes on within seconds', async () => {
  const setup = await setUpTelegram(database)
  const { telegram, connect, join, answer, said } = setup
  const ada = await join('Ada')
  const bots = [await connect(), await connect()]
  ada.say('one')
  await answer(ada, 'You said: one')
  await updatesTaken(telegram)
  const conflicts = () => telegram.calls('getUpdates').filter((call) => call.answer?.ok === false)
  expect(conflicts()).toEqual([])
  const { rows } = await database.db.pool.query(
    `SELECT a.pid FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()`,
  )
  expect(rows).toHaveLength(1)
  // Whichever of them it is: the other one is there for every message.
  for (const [index, bot] of bots.entries()) {
    bot.child.kill('SIGKILL')
    await bot.exited
    if (index === 0) {
      const killed = Date.now()
      ada.say('two')
      await telegram.until(() => telegram.pendingUpdates().length === 0, 45_000)
      expect(Date.now() - killed).toBeLessThan(15_000)
      await answer(ada, 'You said: two')
    }
  }
  ada.say('three')
  await connect()
  await answer(ada, 'You said: three')
  expect(said(ada).map(({ text }) => text)).toEqual(['You said: one', 'You said: two', 'You said: three'])
})

test('another program that polls is said in the health, and outlived', async () => {
  const setup = await setUpTelegram(database)
  const { telegram, connect, join, answer } = setup
  const ada = await join('Ada')
  await connect()
  await until(
    () => channelOf(setup),
    ({ status }) => status === 'connected',
    45_000,
  )
  const other = new Api(telegram.token, { apiRoot: telegram.apiRoot })
  const stopping = new AbortController()
  const polling = (async () => {
    while (!stopping.signal.aborted) await other.getUpdates({ timeout: 1 }, stopping.signal as never).catch(() => {})
  })()
  const failing = await until(
    () => channelOf(setup),
    ({ status }) => status === 'failing',
    60_000,
  )
  expect(failing.statusDetail).toContain('Another program polls')
  stopping.abort()
  await polling
  ada.say('hello')
  await answer(ada, 'You said: hello')
  expect((await channelOf(setup)).status).toBe('connected')
})

test('a token that Telegram does not know is said, and the bot goes on without it', async () => {
  const setup = await setUpTelegram(database)
  const bot = await setup.connect({ TELEGRAM_BOT_TOKEN: '123456:wrongwrongwrongwrongwrongwrongwro' })
  const ready = await until(
    async () => (await fetch(`${bot.url}/healthz/ready`)).status,
    (status) => status === 200,
    45_000,
  )
  expect(ready).toBe(200)
  expect(bot.output().stdout).not.toContain('wrongwrong')
})

const secret = 'a-secret-of-the-webhook_42'
const webhook = { TELEGRAM_WEBHOOK_URL: 'https://bot.example.com', TELEGRAM_WEBHOOK_SECRET: secret }

test('over a webhook updates come once, in their order, and only with the secret', async () => {
  const setup = await setUpTelegram(database)
  const { telegram, connect, join, answer, said, runs } = setup
  const ada = await join('Ada')
  const bot = await connect(webhook)
  telegram.routeWebhookTo(bot.url)
  ada.say('hello')
  await answer(ada, 'You said: hello')
  expect(telegram.calls('getUpdates')).toEqual([])
  const [update] = telegram.updates()
  const call = (headers: Record<string, string>, body = JSON.stringify(update)) =>
    fetch(`${bot.url}/telegram/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers },
      body,
    }).then(({ status }) => status)
  const header = 'x-telegram-bot-api-secret-token'
  const forged = JSON.stringify({ ...update, message: { ...update?.message, message_id: 4_711, text: 'forged' } })
  expect(await call({ [header]: `${secret}x` }, forged)).toBe(401)
  expect(await call({}, forged)).toBe(401)
  expect(await call({ [header]: secret }, 'no json')).toBe(400)
  // What came before comes again, as after an answer that was lost.
  expect(await call({ [header]: secret })).toBe(200)
  telegram.redeliver()
  for (const word of ['one', 'two', 'three']) ada.say(word)
  await telegram.until(() => telegram.pendingUpdates().length === 0, 45_000)
  const messages = await until(
    () =>
      database.db.prisma.message.findMany({
        where: { role: 'user', conversation: { channelId: setup.channelId } },
        orderBy: { number: 'asc' },
      }),
    (all) => all.length >= 4,
    45_000,
  )
  const words = messages.map(({ content }) => (content as { text?: string }[])[0]?.text)
  expect(words).toEqual(['hello', 'one', 'two', 'three'])
  await until(runs, (all) => all.every(({ status }) => status === 'succeeded'), 45_000)
  expect(said(ada).filter(({ text }) => text.includes('forged'))).toEqual([])
})

test('a webhook without a secret is refused at the start', async () => {
  const { start, environment } = await setUpTelegram(database)
  const bot = await start({ ...environment, TELEGRAM_WEBHOOK_URL: 'https://bot.example.com' })
  expect(bot.ready).toBeNull()
  expect(bot.output().stderr + bot.output().stdout).toContain('TELEGRAM_WEBHOOK_SECRET')
})

test('back from a webhook to polling: the old webhook is removed, one of somebody else is left alone and said', async () => {
  const setup = await setUpTelegram(database)
  const { telegram, connect, join, answer } = setup
  const ada = await join('Ada')
  const api = new Api(telegram.token, { apiRoot: telegram.apiRoot })
  await api.setWebhook('https://somebody.example.com/hook')
  const bot = await connect()
  const failing = await until(
    () => channelOf(setup),
    ({ status }) => status === 'failing',
    60_000,
  )
  expect(failing.statusDetail).toContain('webhook of another program')
  expect((await api.getWebhookInfo()).url).toBe('https://somebody.example.com/hook')
  bot.child.kill('SIGTERM')
  await bot.exited
  await api.setWebhook('https://bot.example.com/telegram/webhook', { secret_token: secret })
  await connect()
  ada.say('hello')
  await answer(ada, 'You said: hello')
})
