// What Slack refuses besides its limits, through its own client: who may call, where, and what must be there.
import type { WebClient } from '@slack/web-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callSlack, clientOf } from './call-slack.ts'
import { type Channel, everyScope, type SlackEmulator, startSlackEmulator, type User } from './index.ts'

let slack: SlackEmulator
let web: WebClient
let ada: User
let room: Channel
beforeAll(async () => {
  slack = await startSlackEmulator()
  web = clientOf(slack)
  ada = slack.addUser('Ada')
  room = slack.addChannel('ops', [ada])
})
afterAll(() => slack.close())

type Json = Record<string, unknown>
const call = (method: string, args: Json = {}, client = web) => callSlack(client, method, args)
const post = (more: Json = {}) => call('chat.postMessage', { channel: room.id, text: 'Hello', ...more })

test('a token must be there, known, of the right kind, and not revoked', async () => {
  const own = await startSlackEmulator()
  try {
    expect(await call('auth.test', {}, clientOf(own, ''))).toMatchObject({ error: 'not_authed' })
    expect(await call('auth.test', {}, clientOf(own, 'xoxb-guessed'))).toMatchObject({ error: 'invalid_auth' })
    expect(await call('auth.test', {}, clientOf(own, own.appToken))).toMatchObject({ error: 'not_allowed_token_type' })
    expect(await call('apps.connections.open', {}, clientOf(own))).toMatchObject({ error: 'not_allowed_token_type' })
    const token = own.botToken
    expect(await call('auth.test', {}, clientOf(own))).toMatchObject({
      ok: true,
      team_id: own.team.id,
      user_id: own.bot().userId,
    })
    own.revokeToken()
    expect(await call('auth.test', {}, clientOf(own, token))).toMatchObject({ error: 'token_revoked' })
    const other = own.addTeam('Other', { installed: true })
    const second = own.bot(other).token
    own.uninstall(other)
    expect(await call('auth.test', {}, clientOf(own, second))).toMatchObject({ error: 'account_inactive' })
  } finally {
    await own.close()
  }
})

test('a method that needs a scope says which, and every answer says which there are', async () => {
  const scopes = everyScope.filter((scope) => scope !== 'chat:write' && scope !== 'im:history')
  const own = await startSlackEmulator({ scopes })
  try {
    const person = own.addUser('Ada')
    const said = own.say(person, own.dm(person), 'hello')
    expect(await call('chat.postMessage', { channel: said.channel, text: 'x' }, clientOf(own))).toMatchObject({
      error: 'missing_scope',
      needed: 'chat:write',
      provided: scopes.join(','),
      response_metadata: { scopes },
    })
    const replies = { channel: said.channel, ts: said.ts }
    expect(await call('conversations.replies', replies, clientOf(own))).toMatchObject({
      error: 'missing_scope',
      needed: 'im:history',
    })
    // Without the scope the event does not come either.
    expect(own.events).toEqual([])
  } finally {
    await own.close()
  }
})

test('an unknown method is refused, whatever the body', async () => {
  expect(await call('chat.postMessages', { channel: room.id })).toMatchObject({ error: 'unknown_method' })
})

test('bodies are forms or JSON, and nothing else', async () => {
  const send = async (type: string, body: string) => {
    const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': type }
    return (await (await fetch(`${slack.apiUrl}chat.postMessage`, { method: 'POST', headers, body })).json()) as Json
  }
  const blocks = [{ type: 'divider' }]
  expect(
    await send('application/json; charset=utf-8', JSON.stringify({ channel: room.id, text: 'x', blocks })),
  ).toMatchObject({ ok: true })
  expect(
    await send(
      'application/x-www-form-urlencoded',
      String(new URLSearchParams({ channel: room.id, text: 'x', blocks: JSON.stringify(blocks) })),
    ),
  ).toMatchObject({ ok: true })
  expect(await send('application/json', '{')).toMatchObject({ error: 'invalid_json' })
  expect(await send('application/json', '[]')).toMatchObject({ error: 'json_not_object' })
  expect(await send('text/html', 'x')).toMatchObject({ error: 'invalid_post_type' })
  expect(await send('application/x-www-form-urlencoded', `channel=${room.id}&blocks=[`)).toMatchObject({
    error: 'invalid_blocks_format',
  })
})

test('a message goes only where the bot is, and where people can still write', async () => {
  const open = slack.addChannel('open', [ada], { withBot: false })
  const secret = slack.addChannel('secret', [ada], { withBot: false, isPrivate: true })
  const old = slack.addChannel('old', [ada])
  slack.archive(old)
  expect(await post({ channel: 'C0NOWHERE' })).toMatchObject({ error: 'channel_not_found' })
  expect(await post({ channel: open.id })).toMatchObject({ error: 'not_in_channel' })
  expect(await post({ channel: secret.id })).toMatchObject({ error: 'channel_not_found' })
  expect(await post({ channel: old.id })).toMatchObject({ error: 'is_archived' })
  expect(await call('conversations.join', { channel: open.id })).toMatchObject({ ok: true })
  expect(await post({ channel: open.id })).toMatchObject({ ok: true })
  slack.removeBot(open)
  expect(await post({ channel: open.id })).toMatchObject({ error: 'not_in_channel' })
  // A person's id is the direct message with them.
  expect(await post({ channel: ada.id })).toMatchObject({ ok: true, channel: slack.dm(ada).id })
})

test('a message says something, once, in a thread that is there', async () => {
  const { ts } = slack.say(ada, room, 'root')
  const reply = slack.reply(ada, { channel: room.id, ts }, 'reply')
  expect(await post({ text: ' ' })).toMatchObject({ error: 'no_text' })
  expect(await post({ markdown_text: '**x**' })).toMatchObject({ error: 'markdown_text_conflict' })
  expect(await post({ thread_ts: 'soon' })).toMatchObject({ error: 'invalid_thread_ts' })
  expect(await post({ thread_ts: '1700000000.000001' })).toMatchObject({ error: 'thread_not_found' })
  expect(await post({ thread_ts: reply.ts })).toMatchObject({ error: 'cannot_reply_to_message' })
  expect(await post({ thread_ts: ts })).toMatchObject({ ok: true, message: { thread_ts: ts } })
})

const badBlocks: [what: string, block: Json, words: string][] = [
  ['an unknown block', { type: 'poem' }, 'unsupported type: poem [json-pointer:/blocks/0/type]'],
  ['a section of nothing', { type: 'section' }, 'must define either `text` or `fields` [json-pointer:/blocks/0]'],
  [
    'an empty text',
    { type: 'section', text: { type: 'mrkdwn', text: '' } },
    'must be more than 0 characters [json-pointer:/blocks/0/text/text]',
  ],
  [
    'markup in a header',
    { type: 'header', text: { type: 'mrkdwn', text: 'x' } },
    'unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]',
  ],
  [
    'actions without any',
    { type: 'actions', elements: [] },
    'no fewer than 1 items allowed [json-pointer:/blocks/0/elements]',
  ],
  [
    'a feedback button among actions',
    { type: 'actions', elements: [{ type: 'feedback_buttons' }] },
    'unsupported type: feedback_buttons [json-pointer:/blocks/0/elements/0/type]',
  ],
  [
    'two actions of one id',
    {
      type: 'actions',
      elements: ['a', 'b'].map((text) => ({ type: 'button', action_id: 'x', text: { type: 'plain_text', text } })),
    },
    'action_id "x" already exists [json-pointer:/blocks/0/elements/1/action_id]',
  ],
  [
    'a first choice that is none',
    {
      type: 'actions',
      elements: [
        {
          type: 'static_select',
          options: [{ text: { type: 'plain_text', text: 'a' }, value: 'a' }],
          initial_option: { text: { type: 'plain_text', text: 'b' }, value: 'b' },
        },
      ],
    },
    'must match one of the options [json-pointer:/blocks/0/elements/0/initial_option]',
  ],
]
test.each(badBlocks)('refuses %s', async (_, block, words) => {
  expect(await post({ blocks: [block] })).toMatchObject({
    error: 'invalid_blocks',
    errors: [words],
    response_metadata: { messages: [`[ERROR] ${words}`] },
  })
})

test('two blocks of one id are refused', async () => {
  const block = { type: 'divider', block_id: 'same' }
  expect(await post({ blocks: [block, block] })).toMatchObject({
    errors: ['block_id "same" already exists [json-pointer:/blocks/1/block_id]'],
  })
})

test('metadata has a type and a payload, is kept when a message is changed, and is found again', async () => {
  const metadata = { event_type: 'qm_delivery', event_payload: { delivery: 'd1' } }
  expect(await post({ metadata: { event_type: 'x y', event_payload: {} } })).toMatchObject({
    error: 'invalid_metadata_format',
  })
  expect(await post({ metadata: { event_type: 'x', event_payload: { a: null } } })).toMatchObject({
    error: 'invalid_metadata_schema',
  })
  expect(await post({ metadata: { event_type: 'x', event_payload: { a: 'x'.repeat(20_000) } } })).toMatchObject({
    error: 'metadata_too_large',
  })
  const { ts } = await post({ metadata })
  await call('chat.update', { channel: room.id, ts, text: 'Changed' })
  const replies = (more: Json) => call('conversations.replies', { channel: room.id, ts, ...more })
  expect(await replies({ include_all_metadata: true })).toMatchObject({ messages: [{ text: 'Changed', metadata }] })
  expect(((await replies({})) as { messages: Json[] }).messages[0]?.metadata).toEqual({ event_type: 'qm_delivery' })
})

test('only own messages that are there can be changed or deleted, and no ephemeral', async () => {
  const said = slack.say(ada, room, 'mine')
  const { ts } = await post()
  const { message_ts } = await call('chat.postEphemeral', { channel: room.id, user: ada.id, text: 'psst' })
  const update = (ts: unknown, more: Json = {}) => call('chat.update', { channel: room.id, ts, text: 'x', ...more })
  expect(await update(said.ts)).toMatchObject({ error: 'cant_update_message' })
  expect(await update(message_ts)).toMatchObject({ error: 'message_not_found' })
  expect(await update(ts, { text: 'x'.repeat(4001) })).toMatchObject({ error: 'msg_too_long' })
  expect(await update(ts)).toMatchObject({ ok: true, text: 'x' })
  expect(await call('chat.delete', { channel: room.id, ts: said.ts })).toMatchObject({ error: 'cant_delete_message' })
  expect(await call('chat.delete', { channel: room.id, ts })).toMatchObject({ ok: true })
  expect(await call('chat.delete', { channel: room.id, ts })).toMatchObject({ error: 'message_not_found' })
  const stranger = slack.addUser('Eve')
  expect(await call('chat.postEphemeral', { channel: room.id, user: stranger.id, text: 'x' })).toMatchObject({
    error: 'user_not_in_channel',
  })
})

test('a thread is read in pages, in order, with its root on each', async () => {
  const root = slack.say(ada, room, 'root')
  for (const text of ['1', '2', '3', '4', '5']) slack.reply(ada, root, text)
  const texts: string[][] = []
  for await (const page of web.paginate('conversations.replies', { channel: room.id, ts: root.ts, limit: 3 }))
    texts.push((page as unknown as { messages: { text: string }[] }).messages.map(({ text }) => text))
  expect(texts).toEqual([
    ['root', '1', '2'],
    ['root', '3', '4', '5'],
  ])
  expect(await call('conversations.replies', { channel: room.id, ts: '1700000000.000001' })).toMatchObject({
    error: 'thread_not_found',
  })
  expect(await call('conversations.replies', { channel: room.id, ts: root.ts, cursor: '!' })).toMatchObject({
    error: 'invalid_cursor',
  })
})

test('a guest and somebody of another team are told apart from members', async () => {
  const other = slack.addTeam('Other')
  const stranger = slack.addUser('Eve', other)
  const guest = slack.addUser({ name: 'Gil', guest: 'single' })
  const info = (user: User) => call('users.info', { user: user.id })
  expect(await info(stranger)).toMatchObject({ error: 'user_not_visible' })
  slack.addChannel('shared', [ada, stranger, guest])
  expect(await info(stranger)).toMatchObject({ user: { team_id: other.id, is_stranger: true } })
  expect(((await info(stranger)) as { user: { profile: Json } }).user.profile).not.toHaveProperty('email')
  expect(await info(guest)).toMatchObject({ user: { is_restricted: true, is_ultra_restricted: true } })
  expect(await info(ada)).toMatchObject({ user: { is_restricted: false, profile: { email: 'ada@acme.example' } } })
  expect(await call('users.lookupByEmail', { email: 'ada@acme.example' })).toMatchObject({ user: { id: ada.id } })
  expect(await call('users.lookupByEmail', { email: 'nobody@acme.example' })).toMatchObject({
    error: 'users_not_found',
  })
  expect(await call('conversations.open', { users: stranger.id })).toMatchObject({ error: 'user_not_found' })
})

test('a modal with an input has a button to submit it, and a view is changed by who knows its last state', async () => {
  const view = (text: string) => ({ type: 'home', blocks: [{ type: 'section', text: { type: 'plain_text', text } }] })
  const first = (await call('views.publish', { user_id: ada.id, view: view('a') })) as {
    view: { hash: string; id: string }
  }
  expect(await call('views.publish', { user_id: ada.id, view: view('b'), hash: first.view.hash })).toMatchObject({
    ok: true,
  })
  expect(await call('views.publish', { user_id: ada.id, view: view('c'), hash: first.view.hash })).toMatchObject({
    error: 'hash_conflict',
  })
  expect(slack.home(ada)?.text).toBe('b')
  expect(await call('views.update', { view_id: 'V0NONE', view: view('d') })).toMatchObject({ error: 'not_found' })
  expect(await call('views.publish', { user_id: ada.id, view: { ...view('e'), type: 'modal' } })).toMatchObject({
    error: 'invalid_arguments',
  })
})

test('a file is announced, uploaded to the byte, shared, and read with the token only', async () => {
  const root = slack.say(ada, room, 'a file, please')
  const announced = (await call('files.getUploadURLExternal', { filename: 'log.txt', length: 5 })) as {
    upload_url: string
    file_id: string
  }
  const complete = (more: Json = {}) =>
    call('files.completeUploadExternal', {
      files: [{ id: announced.file_id, title: 'Log' }],
      channel_id: room.id,
      thread_ts: root.ts,
      ...more,
    })
  expect(await complete()).toMatchObject({ error: 'file_not_found' })
  const upload = async (body: string) => (await fetch(announced.upload_url, { method: 'POST', body })).status
  expect(await upload('too long')).toBe(400)
  expect(await upload('a log')).toBe(200)
  expect(await complete({ channel_id: 'C0NOWHERE' })).toMatchObject({ error: 'invalid_channel' })
  expect(await complete()).toMatchObject({ ok: true, files: [{ id: announced.file_id, title: 'Log' }] })
  expect(slack.thread(room, root.ts)[1]?.files).toMatchObject([{ name: 'log.txt', content: Buffer.from('a log') }])

  const { file } = (await call('files.info', { file: announced.file_id })) as { file: { url_private_download: string } }
  const read = (headers: Record<string, string>) => fetch(file.url_private_download, { headers })
  expect(await (await read({ authorization: `Bearer ${slack.botToken}` })).text()).toBe('a log')
  const login = await read({})
  expect([login.status, login.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await (await read({ authorization: 'Bearer xoxb-guessed' })).text()).toContain('Sign in')
})

test("Slack's own way to upload works, and a voice clip comes with its words", async () => {
  await web.filesUploadV2({ channel_id: room.id, filename: 'a.png', file: Buffer.from([1, 2, 3]) })
  expect(slack.messages(room).at(-1)?.files).toMatchObject([
    { name: 'a.png', mimetype: 'image/png', content: Buffer.from([1, 2, 3]) },
  ])
  const said = slack.uploadFile(ada, slack.dm(ada), {
    name: 'audio_message.webm',
    content: 'x',
    voice: { transcript: 'Hello there' },
  })
  const event = slack.events.find(({ event }) => event.ts === said.ts)?.event
  expect(event).toMatchObject({
    subtype: 'file_share',
    files: [{ subtype: 'slack_audio', mimetype: 'audio/webm', transcription: { preview: { content: 'Hello there' } } }],
  })
})

test('a fault happens to the next call of a method, before the deed or after it', async () => {
  const count = () => slack.messages(room).length
  const before = count()
  slack.failNext(
    'chat.postMessage',
    { breaks: 'before' },
    { breaks: 'after' },
    { error: 'fatal_error' },
    { status: 503 },
  )
  await expect(post()).rejects.toMatchObject({ code: 'slack_webapi_request_error' })
  expect(count()).toBe(before)
  await expect(post()).rejects.toMatchObject({ code: 'slack_webapi_request_error' })
  expect(count()).toBe(before + 1)
  expect(await post()).toMatchObject({ error: 'fatal_error' })
  await expect(post()).rejects.toMatchObject({ statusCode: 503 })
  expect(await post()).toMatchObject({ ok: true })
})

test('in a storm half of all calls are refused, and who comes back too early is noticed', async () => {
  const own = await startSlackEmulator()
  try {
    const client = clientOf(own)
    const place = own.addChannel('ops', [])
    own.storm({ seed: 7 })
    const posts = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        call('chat.postMessage', { channel: place.id, text: `${index}` }, client),
      ),
    )
    const refused = posts.flatMap((answer, index) => (answer.ok ? [] : [{ index, wait: answer.retryAfter as number }]))
    expect(refused.length).toBeGreaterThan(30)
    expect(refused.length).toBeLessThan(70)
    expect(refused.every(({ wait }) => wait >= 1 && wait <= 30)).toBe(true)
    const [first] = refused
    const again = { channel: place.id, text: `${first?.index}` }
    expect(await call('chat.postMessage', again, client)).toMatchObject({ error: 'ratelimited' })
    expect(own.requests.filter(({ tooEarly }) => tooEarly)).toHaveLength(1)
    await own.advance((first?.wait ?? 0) * 1000)
    own.storm(null)
    expect(await call('chat.postMessage', again, client)).toMatchObject({ ok: true })
    expect(own.requests.filter(({ tooEarly }) => tooEarly)).toHaveLength(1)
  } finally {
    await own.close()
  }
})
