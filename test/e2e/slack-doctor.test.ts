import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createManifest } from '../../apps/bot/src/channels/slack/manifest.ts'
import { checkSlackApp } from '../../scripts/doctor/check-slack-app.ts'

/** A Slack that knows one app with this manifest, one bot of it, and one token for app configuration. */
async function serveSlack(manifest: unknown): Promise<string> {
  const answers: Record<string, (token: string, body: URLSearchParams) => unknown> = {
    'auth.test': () => ({ ok: true, bot_id: 'B1' }),
    'bots.info': (_, body) => ({ ok: true, bot: { id: body.get('bot'), app_id: 'A1' } }),
    'apps.manifest.export': (token, body) =>
      token !== 'Bearer xoxe.xoxp-1-good'
        ? { ok: false, error: 'invalid_auth' }
        : body.get('app_id') === 'A1'
          ? { ok: true, manifest }
          : { ok: false, error: 'invalid_app_id' },
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const answer = answers[request.url?.replace('/api/', '') ?? '']
    response.setHeader('content-type', 'application/json')
    const token = request.headers.authorization ?? ''
    response.end(JSON.stringify(answer?.(token, new URLSearchParams(body)) ?? { ok: false, error: 'unknown_method' }))
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/api/`
}

const bot = { botToken: 'xoxb-1', signingSecret: 'x' }
const good = 'xoxe.xoxp-1-good'

test('an app that was made with our manifest lacks nothing', async () => {
  const apiUrl = await serveSlack(createManifest())
  for (const slack of [
    { ...bot, apiUrl },
    { appToken: 'xapp-1-A1-123-abc', apiUrl },
  ])
    expect(await checkSlackApp(slack, good)).toMatchObject([{ state: 'ok' }])
})

test('events and scopes that an app lacks are named', async () => {
  const manifest = createManifest()
  const events = manifest.settings?.event_subscriptions?.bot_events?.filter((event) => event !== 'app_home_opened')
  const scopes = manifest.oauth_config?.scopes?.bot?.filter((scope) => scope !== 'im:write')
  const apiUrl = await serveSlack({
    settings: { event_subscriptions: { bot_events: events } },
    oauth_config: { scopes: { bot: scopes } },
  })
  expect(await checkSlackApp({ ...bot, apiUrl }, good)).toMatchObject([
    {
      state: 'warning',
      detail: 'It lacks events: app_home_opened; scopes: im:write.',
      fix: expect.stringContaining('slack:manifest'),
    },
  ])
  const [nothing] = await checkSlackApp({ ...bot, apiUrl: await serveSlack(undefined) }, good)
  expect(nothing?.detail).toContain('message.im')
})

test('without a token for app configuration it says that it did not look; a refused one is a problem', async () => {
  const apiUrl = await serveSlack(createManifest())
  expect(await checkSlackApp({ ...bot, apiUrl }, undefined)).toMatchObject([
    { state: 'ok', detail: expect.stringContaining('SLACK_CONFIG_TOKEN') },
  ])
  expect(await checkSlackApp({ ...bot, apiUrl }, 'xoxe.xoxp-1-bad')).toMatchObject([
    { state: 'problem', detail: expect.stringContaining('invalid_auth') },
  ])
  expect(await checkSlackApp(null, good)).toEqual([])
})
