// What people see on Slack while a run works, and how it becomes the answer: never twice, whoever dies in between. The
// channel and its deliveries are real; the run is played by calling the presenter as the run loop does.
import { claimDelivery, confirmDelivery, enqueueDelivery } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { DeliveryPayload } from '../../apps/bot/src/channels/channel.ts'
import { raceBehind } from '../../packages/db/src/testing-workspace.ts'
import { type SlackParts, startSlackParts } from '../contracts/slack-parts.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 60_000 })
const never = new AbortController().signal

async function start(options?: Parameters<typeof startSlackParts>[1]): Promise<SlackParts> {
  const parts = await startSlackParts(database.db, options)
  onTestFinished(() => parts.close())
  return parts
}

/** As the loop records it with the step; sent by this process, or by another one. */
async function enqueue({ place, run }: SlackParts, payload: DeliveryPayload) {
  const { conversationId } = place
  await enqueueDelivery(database.db, { conversationId, kind: payload.kind, payload, claim: run })
  const delivery = await claimDelivery(database.db, { processId: 'test', conversationId })
  if (!delivery) throw new Error('expected a delivery')
  return delivery
}

async function send(parts: SlackParts, payload: DeliveryPayload, channel = parts.channel) {
  const delivery = await enqueue(parts, payload)
  await confirmDelivery(database.db, delivery, await channel.deliver(delivery, never))
}

/** Waits until the process has noted which message it streams into. */
const noted = ({ place }: SlackParts) =>
  vi.waitFor(
    async () => {
      const notes = await database.db.prisma.conversationNote.findMany({
        where: { conversationId: place.conversationId },
      })
      expect(notes.some(({ value }) => (value as { ts?: unknown }).ts)).toBe(true)
    },
    { timeout: 20_000 },
  )

const answer = (markdown: string, step = 1, last = false): DeliveryPayload => ({
  kind: 'text',
  markdown,
  step,
  ...(last ? { last: true } : {}),
})

const call = (id: string, title: string) => ({ toolUseId: id, tool: 'file.read', title })

test('what is written while a slow database keeps the note of the stream is shown after it, and not lost', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.text(1, 'one ')
  await slack.until(() => ours()[0]?.text.includes('one'))
  await noted(parts)
  const sql = 'SELECT 1 FROM conversation_notes WHERE conversation_id = $1 FOR UPDATE'
  await raceBehind(database.db, { sql, id: place.conversationId, waiting: 1 }, async (untilWaiting) => {
    presenter.text(1, 'two ')
    await untilWaiting(1)
    presenter.text(1, 'three ')
  })
  presenter.text(1, 'four')
  const shown = await slack.until(() => ours().find(({ text }) => text.includes('four')))
  expect(shown.text).toContain('one two three four')
  presenter.stepEnd(1)
  await presenter.end()
})

test.each([
  ['a channel', false],
  ['a direct message', true],
])('in %s tools and text stream into one message, and that message becomes the answer', async (_, direct) => {
  const parts = await start({ direct })
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.activity({ ...call('u1', 'Reads a file'), state: 'running' })
  await slack.until(() => ours()[0]?.tasks[0]?.status === 'in_progress')
  expect(slack.session(parts.room, parts.root)?.status).toBe('processing')
  presenter.activity({ ...call('u1', 'Reads a file'), state: 'done', line: '12 lines' })
  presenter.text(1, 'It says **that**')
  const streamed = await slack.until(() => ours().find(({ text }) => text.includes('It says')))
  expect(streamed).toMatchObject({ streaming: 'in_progress', tasks: [{ status: 'complete' }] })
  presenter.text(1, ' and more.')
  presenter.stepEnd(1)
  await send(parts, answer('It says **that** and more.', 1, true))
  await presenter.end()
  expect(ours()).toHaveLength(1)
  expect(ours()[0]).toMatchObject({
    ts: streamed.ts,
    streaming: 'completed',
    edited: false,
    tasks: [{ title: 'Reads a file', status: 'complete' }],
    metadata: { event_type: 'qm_delivery' },
  })
  expect(ours()[0]?.text).toContain('It says **that** and more.')
  expect(ours()[0]?.buttons.map(({ text }) => text)).toEqual(['Good answer', 'Bad answer'])
  await slack.until(
    () =>
      slack.session(parts.room, parts.root)?.status === 'active' ||
      slack.session(parts.room, parts.root)?.status === 'suspended',
  )
  expect(await database.db.prisma.conversationNote.count({ where: { conversationId: place.conversationId } })).toBe(0)
})

test('an answer that was sent before anything of it was shown is there once', async () => {
  const parts = await start()
  const presenter = parts.channel.present(parts.place)
  presenter.text(1, 'Short.')
  await send(parts, answer('Short.'))
  presenter.stepEnd(1)
  await presenter.end()
  expect(parts.ours().map(({ text }) => text)).toEqual(['Short.'])
})

test('each step’s text is a message of its own, and tools that follow it begin the next', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.text(1, 'Let me look.')
  await slack.until(() => ours()[0]?.text.includes('Let me look.'))
  presenter.stepEnd(1)
  await send(parts, answer('Let me look.'))
  presenter.activity({ ...call('u1', 'Reads a file'), state: 'running' })
  await slack.until(() => ours()[1]?.tasks.length === 1)
  presenter.activity({ ...call('u1', 'Reads a file'), state: 'failed' })
  presenter.text(2, 'It is not there.')
  await slack.until(() => ours()[1]?.text.includes('It is not there.'))
  presenter.stepEnd(2)
  await send(parts, answer('It is not there.', 2))
  await presenter.end()
  expect(ours().map(({ text }) => text)).toEqual(['Let me look.', '[error] Reads a file\nIt is not there.'])
})

test('an answer whose stream was overtaken by what belongs before it is posted below that', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.text(2, 'The second')
  await slack.until(() => ours()[0]?.text.includes('The second'))
  await send(parts, answer('The first.', 1))
  presenter.stepEnd(2)
  await send(parts, answer('The second.', 2))
  await presenter.end()
  expect(ours().map(({ text }) => text)).toEqual(['The first.', 'The second.'])
})

test('what the answer says otherwise than the stream did is written anew, with what tools did below', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.activity({ ...call('u1', 'Reads a file'), state: 'done' })
  presenter.text(1, 'One thing')
  await slack.until(() => ours()[0]?.text.includes('One thing'))
  await send(parts, answer('Another thing'))
  presenter.stepEnd(1)
  await presenter.end()
  expect(ours().map(({ text }) => text)).toEqual(['Another thing\n✓ Reads a file'])
})

test('another process that sends the answer turns the stream of this one into it, and what comes late changes nothing', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.text(1, 'The answer is')
  await slack.until(() => ours()[0]?.text.includes('The answer is'))
  presenter.text(1, ' being written')
  await send(parts, answer('The answer is forty-two.'), await parts.another())
  presenter.text(1, ' still')
  presenter.stepEnd(1)
  await presenter.end()
  expect(ours().map(({ text }) => text)).toEqual(['The answer is forty-two.'])
})

test('a process that dies while it streams leaves a message that the next one goes on with', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  channel.present(place).text(1, 'Half of')
  await slack.until(() => ours()[0]?.text.includes('Half of'))
  await noted(parts)
  // Nobody hears of the first presenter again. Slack still takes its message for a stream.
  const next = await parts.another()
  const presenter = next.present(place)
  presenter.text(1, 'Another beginning')
  await slack.until(() => ours()[0]?.text.includes('Another') || slack.calls('chat.update').length > 0)
  presenter.stepEnd(1)
  await send(parts, answer('Another beginning, and an end.'), next)
  await presenter.end()
  expect(ours().map(({ text }) => text)).toEqual(['Another beginning, and an end.'])
})

test('a stream whose process died before Slack had told its ts is found, and becomes the answer', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  slack.failNext('chat.startStream', { breaks: 'after' })
  const presenter = channel.present(place)
  presenter.text(1, 'Lost and')
  await slack.until(() => ours()[0]?.text.includes('Lost and'))
  await send(parts, answer('Lost and found.'), await parts.another())
  await presenter.end()
  expect(ours().map(({ text }) => text)).toEqual(['Lost and found.'])
})

test('a delivery that dies anywhere while it turns a stream into the answer is repeated without a trace', async () => {
  // Another process does not know what the stream shows, and changes the message after it has ended the stream.
  for (const [method, by] of [
    ['chat.stopStream', 'this'],
    ['chat.stopStream', 'another'],
    ['chat.update', 'another'],
  ] as const)
    for (const breaks of ['before', 'after'] as const) {
      const parts = await start()
      const { slack, channel, place, ours } = parts
      const presenter = channel.present(place)
      presenter.text(1, 'Once')
      await slack.until(() => ours()[0]?.text.includes('Once'))
      await noted(parts)
      presenter.stepEnd(1)
      const delivery = await enqueue(parts, answer('Once only.'))
      slack.failNext(method, { breaks })
      const sender = by === 'this' ? channel : await parts.another()
      await expect(sender.deliver(delivery, never)).rejects.toThrow()
      await (await parts.another()).deliver({ ...delivery, takenOver: true }, never)
      await presenter.end()
      expect(ours().map(({ text }) => text)).toEqual(['Once only.'])
    }
})

test('text that is taken back is written anew, which a stream cannot do', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.text(1, 'Once upon a tomb')
  await slack.until(() => ours()[0]?.text.includes('tomb'))
  presenter.restart(1, 'Once upon a t'.length)
  presenter.text(1, 'ime')
  await slack.until(() => ours()[0]?.text === 'Once upon a time')
  presenter.text(1, ' there was')
  await slack.until(() => ours()[0]?.text === 'Once upon a time there was')
  await presenter.end()
})

test('a stream that Slack has ended goes on by edits of the same message', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.text(1, 'Slowly')
  await slack.until(() => ours()[0]?.text.includes('Slowly'))
  slack.advance(6 * 60_000)
  presenter.text(1, ' but surely')
  await slack.until(() => ours()[0]?.text === 'Slowly but surely')
  expect(slack.requests.some(({ answer: { error } }) => error === 'message_not_in_streaming_state')).toBe(true)
  presenter.stepEnd(1)
  await send(parts, answer('Slowly but surely.'))
  await presenter.end()
  expect(ours().map(({ text }) => text)).toEqual(['Slowly but surely.'])
})

test('when somebody deletes the message while it streams, the work goes on and the answer is a message of its own', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.text(1, 'Go away')
  const streamed = await slack.until(() => ours()[0])
  slack.delete(streamed)
  presenter.text(1, ' please')
  await slack.until(() => slack.requests.some(({ answer: { error } }) => error === 'message_not_found'))
  presenter.text(1, ' now')
  presenter.stepEnd(1)
  await send(parts, answer('Go away please now.'))
  await presenter.end()
  expect(ours().map(({ text }) => text)).toEqual(['Go away please now.'])
  // Deleted in the very moment in which the answer is made of it: the same.
  const second = channel.present(place)
  second.text(2, 'Again')
  slack.delete(await slack.until(() => ours()[1]))
  second.stepEnd(2)
  await send(parts, answer('Again.', 2))
  await second.end()
  expect(ours().map(({ text }) => text)).toEqual(['Go away please now.', 'Again.'])
})

test('where Slack refuses to begin a stream, the status is what is shown, and the answer comes', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  slack.storm({ percent: 100, minSeconds: 30, maxSeconds: 30, methods: ['chat.startStream'] })
  const presenter = channel.present(place)
  presenter.text(1, 'Nobody sees this')
  await slack.until(() => slack.calls('chat.startStream').length === 1)
  presenter.text(1, ' being written')
  expect(slack.session(parts.room, parts.root)?.status).toBe('processing')
  presenter.stepEnd(1)
  await send(parts, answer('But this.'))
  await presenter.end()
  expect(slack.calls('chat.startStream')).toHaveLength(1)
  expect(ours().map(({ text }) => text)).toEqual(['But this.'])
})

test('a card is posted after what streams has ended', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  const presenter = channel.present(place)
  presenter.activity({ ...call('u1', 'Reads a file'), state: 'running' })
  await slack.until(() => ours()[0]?.tasks.length === 1)
  await noted(parts)
  await send(parts, { kind: 'question', questionId: parts.questionId })
  presenter.activity({ ...call('u2', 'Writes a file'), state: 'waiting' })
  const methods = slack.requests.map(({ method }) => method)
  expect(methods.indexOf('chat.stopStream')).toBeLessThan(methods.indexOf('chat.postMessage'))
  await presenter.end()
  expect(ours()).toHaveLength(2)
  expect(ours().map(({ streaming }) => streaming)).toEqual(['completed', null])
  expect(ours()[1]?.buttons.length).toBeGreaterThan(0)
  await slack.until(() => slack.session(parts.room, parts.root)?.status === 'suspended')
})

test('what is shown keeps to Slack’s rates, however much is written', async () => {
  const parts = await start()
  const { slack, channel, place, ours } = parts
  slack.setRates('slack')
  const presenter = channel.present(place)
  for (let word = 0; word < 60; word++) {
    presenter.text(1, `word ${word} `)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  presenter.stepEnd(1)
  await presenter.end()
  expect(slack.requests.filter(({ status }) => status === 429)).toEqual([])
  expect(slack.calls('chat.appendStream').length).toBeLessThan(8)
  expect(ours()[0]?.text).toContain('word 59')
})
