import { type LiveNotice, listen, liveChannel, requestStop } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, onTestFinished, test } from 'vitest'
import { deliveriesOf, type RunSetup, setUpRuns } from './run-setup.ts'
import { until } from './start-bot.ts'

const database = useTestDatabase()

const stop = ({ workspace }: RunSetup, runId: string) =>
  requestStop(database.db, {
    workspaceId: workspace.workspaceId,
    runId,
    actor: { kind: 'member', id: workspace.members.member },
  })

const mark = (ms: number) => ({ tool: toApiName('sample.mark'), input: { text: 'a', ms } })

/** The text that people are shown as it comes. */
async function watchLive(): Promise<string[]> {
  const texts: string[] = []
  const over = new AbortController()
  onTestFinished(() => over.abort())
  await listen(
    database.url,
    [liveChannel],
    (notice) => {
      if (notice.kind === 'gap') return
      const { event } = JSON.parse(notice.payload) as LiveNotice
      if (event.kind === 'text') texts.push(event.text)
    },
    { signal: over.signal, name: 'test-live' },
  )
  return texts
}

test('a stop ends the model in the middle of its answer: the rest is not waited for, and what was said stays', async () => {
  const { db } = database
  const setup = await setUpRuns(database, (_request, index) =>
    index === 0
      ? { content: [{ text: ['slow', 'ly'] }], fault: { kind: 'hang', afterEvents: 4 } }
      : { content: [{ text: 'Again.' }] },
  )
  const seen = await watchLive()
  const { runId, conversationId } = await setup.say('hello', { conversationKey: 'cut' })
  await setup.start()
  await until(
    async () => seen.join(''),
    (text) => text.includes('slow'),
  )
  expect(await stop(setup, runId)).toBe('stopping')
  expect(await setup.ended(runId, 3_000)).toMatchObject({ status: 'stopped', steps: 1 })
  expect(await deliveriesOf(db, conversationId)).toMatchObject([
    { kind: 'text', markdown: expect.stringMatching(/^slow/) },
    { kind: 'notice', text: 'Stopped.' },
  ])
  // The model knows what people have read of it.
  const next = await setup.say('go on', { conversationKey: 'cut' })
  expect(await setup.ended(next.runId)).toMatchObject({ status: 'succeeded' })
  const roles = [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }]
  expect(setup.emulator.requests.at(-1)?.body).toMatchObject({ messages: roles })
})

test('a stop before the model said anything leaves only the notice', async () => {
  const setup = await setUpRuns(database, [{ content: [{ text: 'late' }], fault: { kind: 'hang', afterEvents: 1 } }])
  const { runId, conversationId } = await setup.say('hello')
  await setup.start()
  await until(
    async () => setup.emulator.requests.length,
    (count) => count === 1,
  )
  expect(await stop(setup, runId)).toBe('stopping')
  expect(await setup.ended(runId, 3_000)).toMatchObject({ status: 'stopped', steps: 0 })
  expect(await deliveriesOf(database.db, conversationId)).toMatchObject([{ kind: 'notice', text: 'Stopped.' }])
})

test('a stop aborts a running tool, and the next message is answered all the same', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [{ content: [mark(60_000)] }, { content: [{ text: 'Yes?' }] }])
  const { runId } = await setup.say('mark', { conversationKey: 'stopped' })
  await setup.start()
  await until(
    async () => setup.effects().length,
    (count) => count === 1,
  )
  expect(await stop(setup, runId)).toBe('stopping')
  expect(await setup.ended(runId, 5_000)).toMatchObject({ status: 'stopped' })
  expect(await db.prisma.toolCall.findMany({ where: { runId } })).toMatchObject([{ status: 'failed' }])
  const next = await setup.say('are you there?', { conversationKey: 'stopped' })
  expect(await setup.ended(next.runId)).toMatchObject({ status: 'succeeded', steps: 1 })
})

test('a bot that stops in order gives its runs back, and another one goes on at once', async () => {
  const setup = await setUpRuns(database, (_request, index) =>
    index === 0
      ? { content: [{ text: ['slow', 'ly'] }], fault: { kind: 'hang', afterEvents: 4 } }
      : { content: [{ text: 'Here I am.' }] },
  )
  const { runId } = await setup.say('hello')
  const first = await setup.start()
  await until(
    async () => setup.emulator.requests.length,
    (count) => count === 1,
  )
  const second = await setup.start()
  first.child.kill('SIGTERM')
  expect(await first.exited).toMatchObject({ code: 0 })
  expect(await setup.ended(runId, 4_000)).toMatchObject({ status: 'succeeded', steps: 1, lostClaims: 0 })
  expect(second.child.exitCode).toBeNull()
})

test('what people write while a tool runs is read with its result, in order, and answered in the same run', async () => {
  const setup = await setUpRuns(database, [{ content: [mark(700)] }, { content: [{ text: 'Both, and marked.' }] }])
  const first = await setup.say('message 1', { conversationKey: 'tool' })
  await setup.start()
  await until(
    async () => setup.effects().length,
    (count) => count === 1,
  )
  for (const text of ['message 2', 'message 3']) {
    const more = await setup.say(text, { conversationKey: 'tool' })
    expect(more.runId).toBe(first.runId)
  }
  expect(await setup.ended(first.runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.emulator.requests[1]?.body?.messages.at(-1)).toMatchObject({
    role: 'user',
    content: [{ type: 'tool_result', content: 'marked a' }, { text: 'message 2' }, { text: 'message 3' }],
  })
})

test('messages that arrive while a run works are added to it at its next step, in order', async () => {
  const { db } = database
  const setup = await setUpRuns(database, (request, index) => ({
    ...(index === 0 ? { delayMs: 400 } : {}),
    content: [
      {
        text: `I read ${JSON.stringify(request.messages)
          .match(/message \d/g)
          ?.join(', ')}`,
      },
    ],
  }))
  const first = await setup.say('message 1', { conversationKey: 'busy' })
  await setup.start()
  await until(
    async () => setup.emulator.requests.length,
    (count) => count === 1,
  )
  await setup.say('message 2', { conversationKey: 'busy' })
  await setup.say('message 3', { conversationKey: 'busy' })
  expect(await setup.ended(first.runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(await deliveriesOf(db, first.conversationId)).toMatchObject([
    { markdown: 'I read message 1' },
    { markdown: 'I read message 1, message 1, message 2, message 3' },
  ])
})
