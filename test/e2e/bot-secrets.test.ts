import { createServer, type RequestListener } from 'node:http'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, onTestFinished, test } from 'vitest'
import { slackScopes } from '../../apps/bot/src/health/slack-scopes.ts'
import { startBot } from './start-bot.ts'

const database = useTestDatabase()

const canaries = {
  ANTHROPIC_API_KEY: 'sk-ant-api03-CANARYanthropic',
  SLACK_BOT_TOKEN: 'xoxb-1111-CANARYslackbot',
  SLACK_APP_TOKEN: 'xapp-1-CANARYslackapp',
  SLACK_SIGNING_SECRET: 'cafebabecafebabecafebabecafebabe',
  TELEGRAM_BOT_TOKEN: '99887766:CANARYtelegramCANARYtelegram',
  TELEGRAM_WEBHOOK_SECRET: 'CANARY-webhook',
  QM_MASTER_KEY: 'fade'.repeat(16),
}

/** Platforms that answer as this one does, over real HTTP. */
async function servePlatform(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const platform =
  (answers: { scopes: readonly string[]; accept: boolean }): RequestListener =>
  (request, response) => {
    response.setHeader('content-type', 'application/json')
    if (request.url?.endsWith('/auth.test')) {
      const known = answers.accept && request.headers.authorization === `Bearer ${canaries.SLACK_BOT_TOKEN}`
      response.setHeader('x-oauth-scopes', answers.scopes.join(','))
      response.end(
        JSON.stringify(known ? { ok: true, user: 'qm', team: 'Acme' } : { ok: false, error: 'invalid_auth' }),
      )
    } else if (request.url === `/bot${canaries.TELEGRAM_BOT_TOKEN}/getMe` && answers.accept)
      response.end(JSON.stringify({ ok: true, result: { id: 1, is_bot: true, first_name: 'Q', username: 'qm_bot' } }))
    else response.writeHead(401).end(JSON.stringify({ ok: false, error_code: 401, description: 'Unauthorized' }))
  }

/** Tokens are all that these platforms know: a process that receives would miss the rest. */
const sendsOnly = { QM_ROLES: 'worker' }

const start = (platformUrl: string, more: Record<string, string> = {}) =>
  startBot({
    ...canaries,
    ...more,
    DATABASE_URL: database.url,
    SLACK_API_URL: `${platformUrl}/api/`,
    TELEGRAM_API_ROOT: platformUrl,
    LOG_LEVEL: 'trace',
  })

test('platforms that know the tokens are reported as connected, with the names they gave', async () => {
  const bot = await start(await servePlatform(platform({ scopes: slackScopes, accept: true })), sendsOnly)
  expect(bot.ready?.health).toMatchObject({
    model: { state: 'ok' },
    slack: { state: 'ok', detail: 'Slack answers as qm in Acme.', next: null },
    telegram: { state: 'ok', detail: 'Telegram answers as @qm_bot.', next: null },
  })
})

test('a token that lacks a scope is a warning that names it', async () => {
  const scopes = slackScopes.filter((scope) => scope !== 'chat:write')
  const bot = await start(await servePlatform(platform({ scopes, accept: true })), sendsOnly)
  expect(bot.ready?.health).toMatchObject({
    slack: { state: 'warning', detail: expect.stringContaining('lacks a scope: chat:write.') },
  })
})

test('a refused token is a problem that names the variable, and the bot comes up all the same', async () => {
  const bot = await start(await servePlatform(platform({ scopes: [], accept: false })))
  expect(bot.ready?.health).toMatchObject({
    slack: { state: 'problem', next: expect.stringContaining('SLACK_BOT_TOKEN') },
    telegram: { state: 'problem', next: expect.stringContaining('TELEGRAM_BOT_TOKEN') },
  })
  expect((await fetch(`${bot.url}/healthz/ready`)).status).toBe(200)
})

test('a platform that never answers holds the start up for some seconds at most', async () => {
  const bot = await start(await servePlatform(() => {}))
  expect(bot.ready?.health).toMatchObject({
    slack: { state: 'problem', detail: 'Slack did not answer within 5 s.' },
    telegram: { state: 'problem', detail: 'Telegram did not answer within 5 s.' },
  })
})

test('no secret stands in anything the bot writes, answers or records, at the most talkative level', async () => {
  const urls = [
    await servePlatform(platform({ scopes: [], accept: false })),
    await servePlatform((request) => request.socket.destroy()),
  ]
  for (const url of urls) {
    const bot = await start(url)
    const metrics = await (await fetch(`${bot.url}/metrics`)).text()
    const { rows } = await database.db.pool.query('SELECT health::text FROM processes')
    bot.child.kill('SIGTERM')
    expect(await bot.exited).toMatchObject({ code: 0 })
    const { stdout, stderr } = bot.output()
    const everything = [stdout, stderr, metrics, JSON.stringify(bot.ready), JSON.stringify(rows)].join('\n')
    const password = new URL(database.url).password
    for (const secret of [...Object.values(canaries), password]) expect(everything).not.toContain(secret)
    expect(everything).not.toContain('CANARY')
    // And it did write: silence would prove nothing.
    expect(stdout.split('\n').length).toBeGreaterThan(10)
  }
})
