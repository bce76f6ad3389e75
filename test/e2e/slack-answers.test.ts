// Answers on Slack: what becomes of Markdown, files and notices, what a delivery does when Slack refuses it or when its
// process has died, and what people think of an answer.
import { createHash } from 'node:crypto'
import {
  type ClaimedDelivery,
  claimDelivery,
  confirmDelivery,
  type DeliveryClaim,
  enqueueDelivery,
  failDelivery,
} from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DeliveryFailure, type DeliveryPayload } from '../../apps/bot/src/channels/channel.ts'
import { type SlackParts, startSlackParts } from '../contracts/slack-parts.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 60_000 })
const never = new AbortController().signal

async function start(options?: Parameters<typeof startSlackParts>[1]): Promise<SlackParts> {
  const parts = await startSlackParts(database.db, options)
  onTestFinished(() => parts.close())
  return parts
}

async function enqueue({ place, run }: SlackParts, payload: DeliveryPayload): Promise<ClaimedDelivery> {
  const { conversationId } = place
  await enqueueDelivery(database.db, { conversationId, kind: payload.kind, payload, claim: run })
  const delivery = await claimDelivery(database.db, { processId: 'test', conversationId })
  if (!delivery) throw new Error('expected a delivery')
  return delivery
}

async function send(parts: SlackParts, payload: DeliveryPayload): Promise<string | null> {
  const delivery = await enqueue(parts, payload)
  const externalId = await parts.channel.deliver(delivery, never)
  await confirmDelivery(database.db, delivery, externalId)
  return externalId
}

const failureOf = (parts: SlackParts, delivery: ClaimedDelivery) =>
  parts.channel.deliver(delivery, never).then(
    () => null,
    (error: unknown) => error,
  )
const giveUp = (claim: DeliveryClaim) => failDelivery(database.db, claim, 'given up')

const file = (content: Buffer | string, filename = 'report.txt'): DeliveryPayload => ({
  kind: 'media',
  filename,
  mimeType: 'text/plain',
  data: Buffer.from(content as string).toString('base64'),
  caption: 'The *report* <!here>',
})

const markdown = `# A title

A paragraph with **bold**, \`code\`, [a link](https://example.com/a?b=c&d=e) and <@U123>.

| Name | Amount |
| --- | ---: |
| mill | 12 |

\`\`\`ts
const a = 1 < 2 && 'b'
\`\`\`

1. one
   - nested
2. two`

test('Markdown goes to Slack as it is, for Slack to render, with its footer below', async () => {
  const parts = await start()
  await send(parts, { kind: 'text', markdown, step: 1, footer: '1,204 tokens · $0.01' })
  const [message] = parts.ours()
  expect(message?.blocks[0]).toMatchObject({ type: 'markdown', text: markdown })
  expect(message?.blocks[1]).toMatchObject({ type: 'context' })
  expect(message?.text).toContain('1,204 tokens')
  expect(message?.fallback).toContain('A title')
  expect(message?.buttons).toEqual([])
})

test('an answer cannot call everybody', async () => {
  const parts = await start()
  await send(parts, { kind: 'text', markdown: 'Hello <!channel> and <!subteam^S1>', step: 1 })
  await send(parts, { kind: 'notice', text: 'Stopped <!here>' })
  for (const { blocks, fallback } of parts.ours())
    expect(JSON.stringify([blocks, fallback])).not.toMatch(/<!(channel|here|subteam)/)
})

test('the last text of a run can be judged, and what people think of it is kept with the run', async () => {
  const parts = await start()
  await parts.work()
  await enqueueDelivery(database.db, {
    conversationId: parts.place.conversationId,
    kind: 'text',
    payload: { kind: 'text', markdown: 'Done.', step: 1, last: true },
    claim: parts.run,
  })
  const { slack, ada, ours } = parts
  const message = await slack.until(() => ours().find(({ buttons }) => buttons.length === 2))
  const thoughts = () => database.db.pool.query('SELECT good FROM run_feedback WHERE run_id = $1', [parts.run.runId])
  await slack.click(ada, message, 'Bad answer')
  await slack.until(() => slack.ephemerals(ada).length === 1)
  expect((await thoughts()).rows).toEqual([{ good: false }])
  await slack.click(ada, message, 'Good answer')
  await slack.until(() => slack.ephemerals(ada).length === 2)
  expect((await thoughts()).rows).toEqual([{ good: true }])
  const guest = slack.addUser({ name: 'Gus', guest: 'multi' })
  slack.join(parts.room, guest)
  await slack.click(guest, message, 'Bad answer')
  await slack.until(() => slack.ephemerals(guest).length === 1)
  expect((await thoughts()).rows).toEqual([{ good: true }])
})

test('a file goes into the thread, whole, and only once however its sender died', async () => {
  const parts = await start()
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
  await send(parts, file(content, 'data.bin'))
  const hash = (bytes: Buffer | undefined) =>
    createHash('sha256')
      .update(bytes ?? '')
      .digest('hex')
  expect(hash(parts.ours()[0]?.files[0]?.content)).toBe(hash(content))
  expect(parts.ours()[0]?.files[0]?.name).toBe('data.bin')
  for (const method of ['files.getUploadURLExternal', 'files.completeUploadExternal'])
    for (const breaks of ['before', 'after'] as const) {
      const before = parts.ours().length
      const delivery = await enqueue(parts, file(`${method} ${breaks}`))
      parts.slack.failNext(method, { breaks })
      expect(await failureOf(parts, delivery)).not.toBeInstanceOf(DeliveryFailure)
      const again = await parts.another()
      await confirmDelivery(database.db, delivery, await again.deliver({ ...delivery, takenOver: true }, never))
      expect(parts.ours()).toHaveLength(before + 1)
    }
  await send(parts, file('', 'empty.txt'))
  expect(parts.ours().at(-1)?.files[0]?.name).toBe('empty.txt')
})

test('a delivery that was sent by somebody who died is found in a long thread, and not sent again', async () => {
  const parts = await start()
  const { slack, ada, room, root } = parts
  for (let count = 0; count < 450; count++) slack.say(ada, room, `word ${count}`, { thread: root })
  const delivery = await enqueue(parts, { kind: 'text', markdown: 'Only once', step: 1 })
  const sent = await parts.channel.deliver(delivery, never)
  for (let count = 0; count < 450; count++) slack.say(ada, room, `word ${count}`, { thread: root })
  expect(await (await parts.another()).deliver({ ...delivery, takenOver: true }, never)).toBe(sent)
  expect(parts.ours()).toHaveLength(1)
})

test('of what Slack refuses, it is told what will never be taken, when to come back, and what nobody knows', async () => {
  const parts = await start()
  const { slack } = parts
  const payload: DeliveryPayload = { kind: 'notice', text: 'Hello' }
  for (const error of ['channel_not_found', 'is_archived', 'not_in_channel', 'msg_too_long', 'restricted_action']) {
    const delivery = await enqueue(parts, payload)
    slack.failNext('chat.postMessage', { error })
    const failure = await failureOf(parts, delivery)
    expect(failure).toBeInstanceOf(DeliveryFailure)
    expect(failure).toMatchObject({ retryAfterMs: null, message: expect.stringContaining(error) })
    await giveUp(delivery)
  }
  for (const fault of [{ error: 'internal_error' }, { status: 503 }, { breaks: 'before' as const }]) {
    const delivery = await enqueue(parts, payload)
    slack.failNext('chat.postMessage', fault)
    expect(await failureOf(parts, delivery)).not.toBeInstanceOf(DeliveryFailure)
    await giveUp(delivery)
  }
  slack.storm({ percent: 100, minSeconds: 17, maxSeconds: 17, methods: ['chat.postMessage'] })
  expect(await failureOf(parts, await enqueue(parts, payload))).toMatchObject({ retryAfterMs: 17_000 })
})

test('where Slack does not take the blocks of an answer, its words go out without them', async () => {
  const parts = await start()
  parts.slack.failNext('chat.postMessage', { error: 'invalid_blocks' })
  await send(parts, { kind: 'text', markdown: 'A | b & c', step: 1, footer: 'foot' })
  expect(parts.ours()).toMatchObject([{ text: 'A | b & c\n\nfoot', blocks: [] }])
  // Once, and not for ever.
  const delivery = await enqueue(parts, { kind: 'text', markdown: 'B', step: 2 })
  parts.slack.failNext('chat.postMessage', { error: 'invalid_blocks' }, { error: 'invalid_blocks' })
  expect(await failureOf(parts, delivery)).toMatchObject({ retryAfterMs: null })
})

test('half of all calls are refused for a while: nothing is lost, the order stays, nobody comes back too early', {
  timeout: 180_000,
}, async () => {
  const parts = await start()
  const { slack, place, run } = parts
  slack.storm({ percent: 50, minSeconds: 1, maxSeconds: 3 })
  await parts.work()
  const { conversationId } = place
  for (let count = 1; count <= 8; count++) {
    const payload = { kind: 'text', markdown: `Answer ${count}`, step: count }
    await enqueueDelivery(database.db, { conversationId, kind: 'text', payload, claim: run })
  }
  await slack.until(() => parts.ours().length === 8, 150_000)
  expect(parts.ours().map(({ text }) => text)).toEqual(Array.from({ length: 8 }, (_, count) => `Answer ${count + 1}`))
  expect(slack.requests.some(({ status }) => status === 429)).toBe(true)
  expect(slack.calls('chat.postMessage').filter(({ tooEarly }) => tooEarly)).toEqual([])
})

test('files that people sent are fetched with our token, and nobody else is shown it', async () => {
  const parts = await start()
  const { slack, channel, ada, room, place } = parts
  const sent = slack.uploadFile(ada, room, { name: 'notes.txt', content: 'the notes' })
  const id = sent.files?.[0]?.id as string
  const reference = { kind: 'file' as const, id, name: 'notes.txt', mimeType: 'text/plain', size: null }
  expect(await channel.fetch?.(reference, place, never)).toMatchObject({
    name: 'notes.txt',
    content: Buffer.from('the notes'),
  })
  await expect(channel.fetch?.({ ...reference, id: 'F0' }, place, never)).rejects.toThrow(/notes.txt/)
})

test('a thread is read up to where the conversation begins, with the names of those who spoke', async () => {
  const parts = await start()
  const { slack, channel, ada, room, place } = parts
  const bob = slack.addUser('Bob Moore')
  slack.join(room, bob)
  const root = slack.say(ada, room, `The mill is loud, <@${bob.id}>`)
  slack.reply(bob, root, 'Since &lt;Tuesday&gt;')
  const asked = slack.reply(ada, root, 'what now?')
  slack.reply(bob, root, 'too late')
  const reference = { kind: 'thread' as const, id: `${room.id}:${root.ts}`, before: asked.ts }
  const fetched = await channel.fetch?.(reference, place, never)
  expect(fetched).toMatchObject({
    kind: 'thread',
    messages: [
      { name: expect.stringContaining('Ada'), text: expect.stringContaining('The mill is loud, @Bob') },
      { name: expect.stringContaining('Bob'), text: 'Since <Tuesday>' },
    ],
  })
})
