import { setTimeout as sleep } from 'node:timers/promises'
import { useTestDatabase } from '@quartermaster/db/testing'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepSocket, type SocketState } from '../../apps/bot/src/channels/slack/connect/keep-socket.ts'
import type { Incoming } from '../../apps/bot/src/channels/slack/connect/slack-receiver.ts'
import { startSlackEmulator } from '../emulators/slack/index.ts'
import { eventsDone, setUpSlack, until } from './slack-setup.ts'

const database = useTestDatabase()
// Bots are started here, on machines that may have other things to do.
vi.setConfig({ testTimeout: 120_000 })

test('the same event by a retry, by two processes at once and after a restart is one run', async () => {
  const { slack, connect, answer, runs, heard } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const room = slack.addChannel('ops', [ada])
  const first = await connect()
  await connect()
  await slack.until(() => slack.sockets.count === 2)
  slack.sockets.deliverEverywhere()
  const asked = slack.mention(ada, room, 'hello')
  await answer(room, asked.ts)
  slack.sockets.deliverEverywhere(false)
  const sent = slack.events.filter(({ event }) => event.ts === asked.ts)
  expect(sent.map(({ type }) => type).toSorted()).toEqual(['app_mention', 'message'])
  for (const event of sent) await slack.resend(event, { everywhere: true })
  first.child.kill('SIGKILL')
  await first.exited
  await slack.until(() => slack.sockets.count === 1)
  for (const event of sent) await slack.resend(event)
  await connect()
  for (const event of sent) await slack.resend(event, { everywhere: true })
  expect(await runs()).toHaveLength(1)
  expect(await heard(room, asked.ts)).toBe(1)
  // Whoever showed the work and whoever sends the answer may be two processes; in the end there is one message.
  const ours = () => slack.thread(room, asked.ts).filter(({ user }) => user === slack.bot().userId)
  await slack.until(() => ours().length === 1)
})

test('a socket that breaks at any moment loses nothing: the event comes again and is taken once', async () => {
  const { slack, connect, answer, runs } = await setUpSlack(database, undefined, { retryMs: [200, 200, 200] })
  const ada = slack.addUser('Ada Byron')
  const dm = slack.dm(ada)
  await connect()
  for (const word of ['one', 'two', 'three']) {
    slack.sockets.cutAfterNext()
    const said = slack.say(ada, dm, word)
    expect(await answer(dm, said.ts)).toContain(`You said: ${word}`)
    await eventsDone(slack)
    await slack.until(() => slack.sockets.count === 1)
  }
  slack.sockets.askToReconnect()
  await slack.until(() => slack.calls('apps.connections.open').length >= 5 && slack.sockets.count === 1)
  const last = slack.say(ada, dm, 'four')
  await answer(dm, last.ts)
  expect(await runs()).toHaveLength(4)
})

test('what cannot be stored is not acknowledged; Slack sends it again, and it is taken then', async () => {
  const { slack, connect, answer, runs } = await setUpSlack(database, undefined, { retryMs: [200, 200, 200] })
  const ada = slack.addUser('Ada Byron')
  await connect()
  // Nobody new can be let in while Slack does not say who they are.
  slack.failNext('users.info', { error: 'internal_error' })
  const said = slack.say(ada, slack.dm(ada), 'hello')
  await answer(slack.dm(ada), said.ts)
  const sent = slack.events.find(({ event }) => event.ts === said.ts)
  expect(sent?.attempts).toBeGreaterThanOrEqual(2)
  expect(await runs()).toHaveLength(1)
})

test('who is known can go on while Slack does not say who people are', async () => {
  const { slack, connect, answer, runs } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const dm = slack.dm(ada)
  const first = await connect()
  const said = slack.say(ada, dm, 'hello')
  await answer(dm, said.ts)
  first.child.kill('SIGKILL')
  await first.exited
  // The next process knows nobody by heart.
  await connect()
  slack.failNext('users.info', ...Array.from({ length: 20 }, () => ({ error: 'internal_error' })))
  const again = slack.say(ada, dm, 'still there?')
  expect(await answer(dm, again.ts)).toContain('You said: still there?')
  expect(slack.calls('users.info').some(({ answer: { ok } }) => !ok)).toBe(true)
  expect(await runs()).toHaveLength(2)
})

test('many events at once are all acknowledged, and each is one run', async () => {
  const { slack, connect, runs } = await setUpSlack(database, undefined, { retryMs: [200, 200, 200] })
  const people = ['Ada', 'Bob', 'Cyd', 'Dee'].map((name) => slack.addUser(name))
  await connect()
  for (let round = 0; round < 10; round++) for (const one of people) slack.say(one, slack.dm(one), `round ${round}`)
  await eventsDone(slack)
  expect(slack.events.filter(({ acked }) => !acked)).toEqual([])
  expect(await runs()).toHaveLength(40)
  await until(runs, (all) => all.every(({ status }) => status === 'succeeded'), 90_000)
})

test('an archived channel and one that the bot was removed from are named in the console, until they are back', async () => {
  const { slack, connect, channel, answer } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const [ops, lab] = [slack.addChannel('ops', [ada]), slack.addChannel('lab', [ada])]
  await connect()
  await until(channel, (one) => one?.status === 'connected')
  slack.archive(ops)
  await until(channel, (one) => one?.statusDetail === 'Connected, but: #ops is archived.')
  slack.removeBot(lab)
  await until(channel, (one) => Boolean(one?.statusDetail.includes('does not have the bot as a member')))
  slack.unarchive(ops)
  slack.inviteBot(lab, ada)
  await until(channel, (one) => one?.status === 'connected' && one.statusDetail === '')
  const asked = slack.mention(ada, lab, 'are you back?')
  await answer(lab, asked.ts)
})

test('while no socket can be opened the console and the health say so, and say when it is back', async () => {
  const { slack, connect, channel } = await setUpSlack(database)
  const bot = await connect()
  const health = async () => {
    const { rows } = await database.db.pool.query(
      `SELECT health -> 'slack' ->> 'state' AS state FROM processes WHERE pid = $1`,
      [bot.child.pid],
    )
    return rows[0]?.state
  }
  await until(channel, (one) => one?.status === 'connected')
  slack.failNext('apps.connections.open', ...Array.from({ length: 6 }, () => ({ error: 'internal_error' })))
  slack.sockets.cut()
  await until(channel, (one) => one?.status === 'failing' && one.statusDetail.includes('internal_error'))
  await until(health, (state) => state === 'problem')
  await until(channel, (one) => one?.status === 'connected' && one.statusDetail === '')
  await until(health, (state) => state !== 'problem')
})

test('a revoked token is told in the console and in the health, nothing hangs, and the bot stops in order', async () => {
  const { slack, connect, channel, answer } = await setUpSlack(database)
  const ada = slack.addUser('Ada Byron')
  const bot = await connect()
  const said = slack.say(ada, slack.dm(ada), 'hello')
  await answer(slack.dm(ada), said.ts)
  slack.revokeToken()
  await until(channel, (one) => one?.status === 'failing' && one.statusDetail.includes('revoked'))
  expect((await fetch(`${bot.url}/healthz/ready`)).status).toBe(200)
  bot.child.kill('SIGTERM')
  expect(await bot.exited).toMatchObject({ code: 0 })
})

test('a bot whose app token Slack refuses comes up, and says so', async () => {
  const { slack, start, channel } = await setUpSlack(database)
  const bot = await start({
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: 'xapp-1-A000000000-0000000000-wrong',
  })
  expect(bot.ready).toBeTruthy()
  await until(
    async () => {
      const { rows } = await database.db.pool.query(`SELECT health::text AS health FROM processes WHERE pid = $1`, [
        bot.child.pid,
      ])
      return String(rows[0]?.health)
    },
    (health) => health.includes('SLACK_APP_TOKEN'),
    30_000,
  )
  expect(await channel()).toBeNull()
})

/** A socket of ours to a Slack that pings often, without a bot behind it. */
async function keepOne(deafMs: number) {
  const slack = await startSlackEmulator({ pingMs: 200 })
  const states: SocketState[] = []
  const taken: Incoming[] = []
  const stop = new AbortController()
  const kept = keepSocket(
    {
      appToken: slack.appToken,
      apiUrl: slack.apiUrl,
      log: pino({ level: 'silent' }),
      deafMs,
      take: async (incoming) => {
        taken.push(incoming)
        await incoming.ack()
      },
      idle: async () => {},
      onState: (state) => states.push(state),
    },
    stop.signal,
  )
  onTestFinished(async () => {
    stop.abort()
    await kept
    await slack.close()
  })
  await slack.until(() => states.at(-1)?.is === 'connected')
  return { slack, states, taken }
}

for (const answersPings of [false, true])
  test(`a socket that stays open and is deaf is noticed and replaced (it ${answersPings ? 'still answers' : 'does not answer'} pings)`, async () => {
    const { slack, states, taken } = await keepOne(2_000)
    // As long as Slack pings, a socket on which nothing is said is a good one.
    await sleep(4_000)
    expect(states.map(({ is }) => is)).toEqual(['connecting', 'connected'])
    slack.sockets.goDeaf({ answersPings })
    await slack.until(() => states.filter(({ is }) => is === 'connected').length === 2)
    expect(states.find(({ is }) => is === 'broken')).toMatchObject({ refused: false })
    const ada = slack.addUser('Ada')
    // The old socket is closed by its answer or by force, so that Slack sends nothing to it any more.
    await slack.until(() => slack.sockets.count === 1)
    slack.say(ada, slack.dm(ada), 'can you hear me?')
    await slack.until(() => taken.length)
  })

test('while Slack is away the bot keeps trying, and is back when Slack is', async () => {
  const { slack, states } = await keepOne(20_000)
  slack.failNext('apps.connections.open', { status: 503 }, { breaks: 'before' }, { error: 'internal_error' })
  slack.sockets.cut()
  await slack.until(() => states.filter(({ is }) => is === 'connected').length === 2)
  expect(states.filter(({ is }) => is === 'broken').length).toBe(4)
})
