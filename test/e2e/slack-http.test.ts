import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test, vi } from 'vitest'
import { callbackPath, createInstallLink, installPath } from '../../apps/bot/src/channels/slack/connect/install-link.ts'
import { requestPath } from '../../apps/bot/src/channels/slack/connect/mount-requests.ts'
import { askShortcut } from '../../apps/bot/src/channels/slack/receive/ask-about-message.ts'
import { eventsDone, type SlackSetup, setUpSlack, until } from './slack-setup.ts'

const database = useTestDatabase()
// Bots are started here, on machines that may have other things to do.
vi.setConfig({ testTimeout: 120_000 })
const stateSecret = 'a-state-secret-for-the-tests-0123456789'

/** The bot without Socket Mode: Slack sends signed requests to its gateway. */
async function connectByHttp({ slack, start }: SlackSetup, environment: Record<string, string> = {}) {
  const bot = await start({
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    ...environment,
  })
  const url = `${bot.url}${requestPath}`
  const carrier = slack.useHttp({ events: url, interactivity: url, commands: url })
  expect(await carrier.verify()).toBe(true)
  return { bot, url }
}

test('over HTTP people talk, command, fill in forms and click as over a socket', async () => {
  const setup = await setUpSlack(database, (_, index) => ({
    content:
      index === 0 ? [{ tool: toApiName('sample.ask'), input: { question: 'Which colour?' } }] : [{ text: 'Done.' }],
  }))
  const { slack, channel } = setup
  const ada = slack.addUser('Ada Byron')
  const room = slack.addChannel('ops', [ada])
  await connectByHttp(setup)
  const asked = slack.mention(ada, room, 'ask me')
  await slack.until(() => slack.thread(room, asked.ts).some(({ text }) => text.includes('Which colour?')))
  expect(await slack.slash(ada, room, '/qm', 'status')).toMatchObject({ acked: true })
  await slack.until(() => slack.ephemerals(ada).some(({ text }) => text.includes('answers here')))
  await slack.shortcut(ada, askShortcut, asked)
  await slack.until(() => slack.modal(ada))
  expect(await slack.submitModal(ada, {})).toMatchObject({ acked: true, errors: {} })
  await slack.until(() => !slack.modal(ada))
  await slack.until(() => slack.messages(slack.dm(ada)).length > 1)
  await eventsDone(slack)
  expect(slack.events.every(({ acked }) => acked)).toBe(true)
  expect(await channel()).toMatchObject({ status: 'connected' })
})

/** Events as Slack would sign them, also such as people cannot make in the emulator. */
function signedEvents({ slack }: SlackSetup, url: string) {
  const post = async (body: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })).status
  let number = 0
  const bodyOf = (event: Record<string, unknown>) =>
    JSON.stringify({
      type: 'event_callback',
      event_id: `EvTest${number++}`,
      team_id: slack.team.id,
      api_app_id: slack.appId,
      authorizations: [
        { team_id: slack.team.id, user_id: slack.bot().userId, is_bot: true, is_enterprise_install: false },
      ],
      event: { type: 'message', event_ts: '1700000000.000001', ...event },
    })
  const send = (event: Record<string, unknown>) => {
    const body = bodyOf(event)
    return post(body, slack.sign(body))
  }
  return { post, bodyOf, send }
}

test('forged, stale and replayed requests change nothing', async () => {
  const setup = await setUpSlack(database)
  const { slack, runs, answer } = setup
  const ada = slack.addUser('Ada Byron')
  const dm = slack.dm(ada)
  const { url } = await connectByHttp(setup)
  const said = slack.say(ada, dm, 'hello')
  await answer(dm, said.ts)

  const { post, bodyOf } = signedEvents(setup, url)
  const event = (ts: string) => bodyOf({ channel: dm.id, channel_type: 'im', user: ada.id, text: 'forged', ts })
  const body = event('1700000000.000100')
  const old = Math.floor(Date.now() / 1000) - 301
  expect(await post(body, {})).toBe(401)
  expect(await post(body, slack.sign(event('1700000000.000200')))).toBe(401)
  expect(await post(body, slack.sign(body, old))).toBe(401)
  expect(await runs()).toHaveLength(1)

  // The same one, signed, is taken: so it was the signature that kept the others out. A replay is not taken again.
  const signed = slack.sign(body)
  expect(await post(body, signed)).toBe(200)
  expect(await post(body, signed)).toBe(200)
  expect(await post(body, slack.sign(body, Math.floor(Date.now() / 1000) - 2))).toBe(200)
  expect(await runs()).toHaveLength(2)
  // Of a team that has not installed the app nothing is taken, however well it is signed.
  const foreign = body.replaceAll(slack.team.id, 'T0FOREIGN')
  expect(await post(foreign, slack.sign(foreign))).toBe(200)
  expect(await runs()).toHaveLength(2)
})

test('what is said in unusual ways is understood, and what nobody said starts nothing', async () => {
  const setup = await setUpSlack(database)
  const { slack, runs, emulator } = setup
  const ada = slack.addUser('Ada Byron')
  const dm = slack.dm(ada)
  const { url } = await connectByHttp(setup)
  const { send } = signedEvents(setup, url)
  const told = () => JSON.stringify(emulator.requests.map(({ body }) => body))
  const direct = { channel: dm.id, channel_type: 'im', user: ada.id }
  const forwarded = {
    is_share: true,
    author_name: 'Bob Moore',
    text: 'the mill\nstands &lt;still&gt;',
    from_url: 'https://acme.example/p1',
  }
  expect(await send({ ...direct, text: 'why?', ts: '1700000000.000100', attachments: [forwarded] })).toBe(200)
  expect(await send({ ...direct, text: 'waves', ts: '1700000000.000200', subtype: 'me_message' })).toBe(200)
  await until(runs, (all) => all.length === 2 && all.every(({ status }) => status === 'succeeded'), 45_000)
  expect(told()).toContain('Forwarded message of Bob Moore (https://acme.example/p1):\\n> the mill\\n> stands <still>')
  expect(told()).toContain('waves')

  const nobody = [
    { ...direct, text: 'joined', ts: '1700000000.000300', subtype: 'channel_join' },
    { ...direct, text: 'from an app', ts: '1700000000.000400', bot_id: 'B1' },
    { ...direct, text: 'from Slack', ts: '1700000000.000500', user: 'USLACKBOT' },
    { ...direct, text: 'from us', ts: '1700000000.000600', user: slack.bot().userId },
    { channel: dm.id, channel_type: 'im', text: 'from nobody', ts: '1700000000.000700' },
    { ...direct, text: 'x', ts: '1700000000.000800', subtype: 'something_new' },
    { ...direct, subtype: 'message_changed', ts: '1700000000.000900', message: 'no object' },
    { ...direct, subtype: 'message_deleted', ts: '1700000000.001000' },
    { ...direct, text: 'no time' },
    { type: 'something_else', channel: dm.id },
  ]
  for (const event of nobody) expect(await send(event), JSON.stringify(event)).toBe(200)
  expect(await runs()).toHaveLength(2)

  // A thread's first message is not deleted but becomes a stone; a preview that Slack adds is no edit.
  const root = { user: ada.id, text: 'why?', ts: '1700000000.000100' }
  const stone = { ...root, subtype: 'tombstone', user: 'USLACKBOT', text: 'This message was deleted.' }
  expect(await send({ ...direct, subtype: 'message_changed', ts: '1', message: root, previous_message: root })).toBe(
    200,
  )
  expect(await send({ ...direct, subtype: 'message_changed', ts: '2', message: stone, previous_message: root })).toBe(
    200,
  )
  const { rows } = await database.db.pool.query(
    `SELECT m.content::text FROM messages m JOIN conversations c ON c.id = m.conversation_id
     WHERE c.external_key = $1 AND m.role = 'user'`,
    [`${dm.id}:1700000000.000100`],
  )
  expect(rows).toHaveLength(1)
  expect(rows[0].content).not.toContain('the mill')
})

test('teams install the app with a link of ours and no other, each with a token of its own, until they remove it', async () => {
  const setup = await setUpSlack(database, undefined, { team: null })
  const { slack, start } = setup
  const bot = await start({
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_CLIENT_ID: slack.clientId,
    SLACK_CLIENT_SECRET: slack.clientSecret,
    SLACK_STATE_SECRET: stateSecret,
  })
  const url = `${bot.url}${requestPath}`
  slack.useHttp({ events: url, interactivity: url, commands: url })

  expect((await fetch(`${bot.url}${installPath}`)).status).toBe(403)
  const forged = createInstallLink(bot.url, 'another-secret-of-the-same-length-000000')
  expect((await fetch(forged)).status).toBe(403)

  /** As a browser does it: the link, Slack's page, and back with the code and the cookie. */
  async function install(user: ReturnType<typeof slack.addUser>, { withCookie = true } = {}) {
    const begun = await fetch(createInstallLink(bot.url, stateSecret), { redirect: 'manual' })
    expect(begun.status).toBe(302)
    const page = new URL(begun.headers.get('location') ?? '')
    expect(page.href.startsWith(slack.authorizeUrl)).toBe(true)
    // The app has one redirect address at Slack, which is used where none is named.
    page.searchParams.set('redirect_uri', `${bot.url}${callbackPath}`)
    const back = slack.authorize(page.href, user)
    const cookie = withCookie
      ? begun.headers
          .getSetCookie()
          .map((one) => one.split(';')[0])
          .join('; ')
      : ''
    return fetch(back, { headers: { cookie } })
  }
  const teams = [slack.team, slack.addTeam('Bright & Sons')]
  for (const team of teams) {
    const person = slack.addUser('Ada Byron', team)
    expect((await install(person, { withCookie: false })).status).toBe(400)
    expect(team.bot).toBeNull()
    const installed = await install(person)
    expect(installed.status).toBe(200)
    expect(await installed.text()).toContain(team.name.replace('&', '&amp;'))
    const dm = slack.dm(person, team)
    const said = slack.say(person, dm, `hello from ${team.name}`)
    await slack.until(() => slack.thread(dm, said.ts).some(({ text }) => text.includes('You said: hello from')), 45_000)
  }
  const { rows } = await database.db.pool.query(
    `SELECT external_id, status FROM channels WHERE kind = 'slack' AND external_id = ANY($1)`,
    [teams.map(({ id }) => id)],
  )
  expect(rows.map(({ status }) => status)).toEqual(['connected', 'connected'])
  const tokens = teams.map((team) => slack.bot(team).token)
  const dump = await database.db.pool.query('SELECT row_to_json(i)::text AS row FROM installations i')
  for (const token of tokens) expect(JSON.stringify(dump.rows)).not.toContain(token)
  expect(JSON.stringify(bot.output())).not.toContain(tokens[0])

  slack.uninstall(teams[1])
  const statusOf = async (id?: string) =>
    (await database.db.pool.query(`SELECT status FROM channels WHERE external_id = $1`, [id])).rows[0]?.status
  await until(
    () => statusOf(teams[1]?.id),
    (status) => status === 'failing',
  )
  expect(await statusOf(teams[0]?.id)).toBe('connected')
  const left = await database.db.pool.query('SELECT external_id FROM installations')
  expect(left.rows).toEqual([{ external_id: teams[0]?.id }])
})
