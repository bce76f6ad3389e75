// Messages that are written bit by bit, and the session that they belong to.
import type { WebClient } from '@slack/web-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callSlack, clientOf } from './call-slack.ts'
import { type Channel, type Message, type SlackEmulator, startSlackEmulator, type User } from './index.ts'

let slack: SlackEmulator
let web: WebClient
let ada: User
let room: Channel
let asked: Message
beforeEach(async () => {
  slack = await startSlackEmulator()
  web = clientOf(slack)
  ada = slack.addUser('Ada')
  room = slack.addChannel('ops', [ada])
  asked = slack.mention(ada, room, 'go')
})
afterEach(() => slack.close())

type Json = Record<string, unknown>
const call = (method: string, args: Json) => callSlack(web, method, args)
const start = (more: Json = {}) =>
  call('chat.startStream', {
    channel: room.id,
    thread_ts: asked.ts,
    recipient_team_id: slack.team.id,
    recipient_user_id: ada.id,
    ...more,
  })
const append = (ts: unknown, more: Json) => call('chat.appendStream', { channel: room.id, ts, ...more })
const stop = (ts: unknown, more: Json = {}) => call('chat.stopStream', { channel: room.id, ts, ...more })

test('a stream grows into a message with its tasks, its blocks and its metadata', async () => {
  const { ts } = await start({ task_display_mode: 'plan', markdown_text: 'One ' })
  await append(ts, { markdown_text: 'two.' })
  await append(ts, {
    chunks: [
      { type: 'plan_update', title: 'Sending' },
      { type: 'task_update', id: '1', title: 'Look', status: 'in_progress' },
    ],
  })
  expect(slack.thread(room, asked.ts)[1]).toMatchObject({
    streaming: 'in_progress',
    tasks: [{ title: 'Look', status: 'in_progress' }],
  })
  await append(ts, { chunks: [{ type: 'task_update', id: '1', title: 'Looked', status: 'complete', output: 'Found' }] })
  const footer = { type: 'context', elements: [{ type: 'plain_text', text: 'fast · $0.01' }] }
  const metadata = { event_type: 'qm_delivery', event_payload: { delivery: 'd1' } }
  await stop(ts, { blocks: [footer], metadata, session_status: 'active' })
  expect(slack.thread(room, asked.ts)[1]).toMatchObject({
    streaming: 'completed',
    text: 'Sending\n[complete] Looked\nFound\nOne two.\nfast · $0.01',
    tasks: [{ title: 'Looked', status: 'complete' }],
    metadata,
  })
  expect(slack.session(room, asked.ts)?.status).toBe('active')
})

test('outside direct messages Slack must know for whom it is', async () => {
  expect(await start({ recipient_team_id: undefined })).toMatchObject({ error: 'missing_recipient_team_id' })
  expect(await start({ recipient_user_id: undefined })).toMatchObject({ error: 'missing_recipient_user_id' })
  expect(await start({ recipient_user_id: 'U0NOBODY' })).toMatchObject({ error: 'user_not_found' })
  const said = slack.say(ada, slack.dm(ada), 'go')
  expect(await call('chat.startStream', { channel: said.channel, thread_ts: said.ts })).toMatchObject({ ok: true })
})

test('a stream that is left alone for five minutes is over, and can then be changed like any message', async () => {
  const { ts } = await start({ markdown_text: 'Half' })
  await slack.advance(4 * 60_000)
  expect(await append(ts, { markdown_text: ' of it' })).toMatchObject({ ok: true })
  await slack.advance(4 * 60_000)
  const update = () => call('chat.update', { channel: room.id, ts, text: 'All of it' })
  expect(await update()).toMatchObject({ error: 'streaming_state_conflict' })
  await slack.advance(2 * 60_000)
  expect(await append(ts, { markdown_text: '.' })).toMatchObject({ error: 'message_not_in_streaming_state' })
  expect(await stop(ts)).toMatchObject({ error: 'message_not_in_streaming_state' })
  expect(await update()).toMatchObject({ ok: true })
  expect(slack.thread(room, asked.ts)[1]).toMatchObject({ text: 'All of it', streaming: null })
})

test('what is no chunk is refused, and nothing of the call is kept', async () => {
  const { ts } = await start()
  const refused = async (chunk: Json, words: RegExp) => {
    const answer = await append(ts, { chunks: [{ type: 'markdown_text', text: 'kept?' }, chunk] })
    expect(answer).toMatchObject({
      error: 'invalid_chunks',
      response_metadata: { messages: [expect.stringMatching(words)] },
    })
  }
  await refused({ type: 'poem' }, /unsupported type: poem/)
  await refused(
    { type: 'task_update', id: '1', title: 'x', status: 'done' },
    /must be one of: pending, in_progress, complete, error/,
  )
  await refused({ type: 'plan_update' }, /missing required field: title/)
  expect(await append(ts, {})).toMatchObject({ error: 'no_text' })
  expect(await stop(ts, { markdown_text: 'Only this.' })).toMatchObject({ message: { text: 'Only this.' } })
  expect(await append(ts, { markdown_text: 'more' })).toMatchObject({ error: 'message_not_in_streaming_state' })
})

test('a stream whose message somebody deleted is not there any more', async () => {
  const { ts } = await start({ markdown_text: 'Oh' })
  slack.delete({ channel: room.id, ts: String(ts) })
  expect(await append(ts, { markdown_text: 'no' })).toMatchObject({ error: 'message_not_found' })
  expect(slack.thread(room, asked.ts)).toHaveLength(1)
})

test('Stop is there while the session is processing, and ends its streams', async () => {
  const status = (status: string) =>
    call('agents.sessions.setStatus', { channel_id: room.id, thread_ts: asked.ts, status })
  expect(await status('thinking')).toMatchObject({ error: 'invalid_arguments' })
  await status('processing')
  const { ts } = await start({ markdown_text: 'Working' })
  slack.pressStop(ada, asked)
  expect(slack.events.at(-1)?.event).toMatchObject({
    type: 'agent_session_stopped',
    channel: room.id,
    thread_ts: asked.ts,
    user: ada.id,
    streaming_message_ts: [ts],
  })
  expect(await append(ts, { markdown_text: 'on' })).toMatchObject({ error: 'message_not_in_streaming_state' })
  // Slack leaves the status to the app.
  expect(slack.session(room, asked.ts)?.status).toBe('processing')
  await status('suspended')
  expect(() => slack.pressStop(ada, asked)).toThrow('no Stop button')
})

test('an app that has not subscribed to Stop is warned', async () => {
  const own = await startSlackEmulator({ events: ['app_mention'] })
  try {
    const person = own.addUser('Ada')
    const place = own.addChannel('ops', [person])
    const { ts } = own.say(person, place, 'go')
    const args = { channel_id: place.id, thread_ts: ts, status: 'processing' }
    expect(await callSlack(clientOf(own), 'agents.sessions.setStatus', args)).toMatchObject({
      ok: true,
      warning: 'missing_agent_session_stopped_event_subscription',
    })
  } finally {
    await own.close()
  }
})
