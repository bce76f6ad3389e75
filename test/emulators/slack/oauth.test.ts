// Installing the app in a team: Slack's page, the code, the token, and the end of it.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Installation, InstallProvider } from '@slack/oauth'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callSlack, clientOf } from './call-slack.ts'
import { type SlackEmulator, startSlackEmulator } from './index.ts'
import { quietLogger } from './quiet-logger.ts'

let slack: SlackEmulator
let server: Server
let base: string
let installer: InstallProvider
const installed: Installation[] = []
beforeEach(async () => {
  slack = await startSlackEmulator({ team: null })
  installed.length = 0
  installer = new InstallProvider({
    clientId: slack.clientId,
    clientSecret: slack.clientSecret,
    authorizationUrl: slack.authorizeUrl,
    clientOptions: { slackApiUrl: slack.apiUrl },
    stateSecret: 'a secret of this test',
    logger: quietLogger,
    installationStore: {
      storeInstallation: async (installation) => void installed.push(installation as Installation),
      fetchInstallation: async () => installed[0] as Installation,
    },
  })
  server = createServer((request, response) => {
    if (request.url?.startsWith('/install'))
      void installer.handleInstallPath(request, response, undefined, {
        scopes: ['chat:write', 'users:read'],
        redirectUri: `${base}/redirect`,
      })
    else void installer.handleCallback(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await slack.close()
})

/** What the browser of somebody does who follows the link to install. */
async function visit() {
  const page = await fetch(`${base}/install`)
  const [, link] = /href="([^"]*authorize[^"]*)"/.exec(await page.text()) ?? []
  return {
    url: String(link).replaceAll('&amp;', '&'),
    cookie: (page.headers.get('set-cookie') ?? '').split(';')[0] as string,
  }
}

test('each team gets a token of its own, with the scopes that were asked for', async () => {
  const teams = [slack.team, slack.addTeam('Other')]
  for (const team of teams) {
    const person = slack.addUser('Ada', team)
    const { url, cookie } = await visit()
    expect(await (await fetch(url)).text()).toContain(`Allow as Ada of ${team.name}`)
    const done = await fetch(slack.authorize(url, person), { headers: { cookie } })
    expect(done.status).toBe(200)
  }
  expect(installed.map(({ team, bot }) => [team?.id, bot?.scopes])).toEqual(
    teams.map(({ id }) => [id, ['chat:write', 'users:read']]),
  )
  const [one, two] = installed.map(({ bot }) => bot?.token as string)
  expect(one).not.toBe(two)
  expect(await callSlack(clientOf(slack, two), 'auth.test')).toMatchObject({ team_id: teams[1]?.id })
  expect(await callSlack(clientOf(slack, two), 'team.info')).toMatchObject({
    error: 'missing_scope',
    needed: 'team:read',
  })
})

test('somebody can say no', async () => {
  const { url, cookie } = await visit()
  const back = slack.authorize(url, slack.addUser('Ada'), { allow: false })
  expect(new URL(back).searchParams.get('error')).toBe('access_denied')
  await fetch(back, { headers: { cookie } })
  expect(installed).toEqual([])
})

test('a code works once, with the right secret, for ten minutes', async () => {
  const { url } = await visit()
  const person = slack.addUser('Ada')
  const code = () => new URL(slack.authorize(url, person)).searchParams.get('code')
  const exchange = (more: Record<string, unknown>) =>
    callSlack(clientOf(slack, 'none'), 'oauth.v2.access', {
      client_id: slack.clientId,
      client_secret: slack.clientSecret,
      ...more,
    })
  const used = code()
  expect(await exchange({ code: used, client_id: '1.2' })).toMatchObject({ error: 'invalid_client_id' })
  expect(await exchange({ code: used, client_secret: 'guessed' })).toMatchObject({ error: 'bad_client_secret' })
  expect(await exchange({ code: used })).toMatchObject({ ok: true, token_type: 'bot', team: { id: slack.team.id } })
  expect(await exchange({ code: used })).toMatchObject({ error: 'invalid_code' })
  const late = code()
  await slack.advance(11 * 60_000)
  expect(await exchange({ code: late })).toMatchObject({ error: 'code_expired' })
  const page = await fetch(url.replace(slack.clientId, '1.2'))
  expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('invalid_client_id')])
})

test('an app that is thrown out hears of it and of nothing more', async () => {
  const person = slack.addUser('Ada')
  const { url, cookie } = await visit()
  await fetch(slack.authorize(url, person), { headers: { cookie } })
  const dm = slack.dm(person)
  slack.uninstall()
  slack.say(person, dm, 'anybody there?')
  expect(slack.events.map(({ type }) => type)).toEqual(['tokens_revoked', 'app_uninstalled'])
  expect(await callSlack(clientOf(slack, installed[0]?.bot?.token), 'auth.test')).toMatchObject({
    error: 'account_inactive',
  })
})
