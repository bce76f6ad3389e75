// Every way in which a model's answer can end, and every way in which it can go wrong, with what people see of it.
import { type LiveNotice, listen, liveChannel } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, onTestFinished, test } from 'vitest'
import { faults } from '../../apps/bot/src/model/offline/reply.ts'
import { startAnthropicEmulator } from '../emulators/anthropic/start-anthropic-emulator.ts'
import { deliveriesOf, setUpRuns, transcriptOf } from './run-setup.ts'

const database = useTestDatabase()

const said = async (conversationId: string) =>
  (await deliveriesOf(database.db, conversationId)).map(({ kind, markdown, text }) => `${kind}: ${markdown ?? text}`)

/** What a page shows of the answer of a step, as it follows the notices. */
async function watchShown(): Promise<() => string> {
  let shown = ''
  const over = new AbortController()
  onTestFinished(() => over.abort())
  await listen(
    database.url,
    [liveChannel],
    (notice) => {
      if (notice.kind === 'gap') return
      const { event } = JSON.parse(notice.payload) as LiveNotice
      if (event.kind === 'text') shown = shown.slice(0, event.from) + event.text
      if (event.kind === 'restart') shown = shown.slice(0, event.keep)
    },
    { signal: over.signal, name: 'test-live' },
  )
  return () => shown
}

test('an answer that is paused goes on in the next step as one and the same', async () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  const setup = await setUpRuns(database, [
    { content: [{ text: 'First.' }, { block: search }], stopReason: 'pause_turn' },
    { content: [{ block: found }, { text: 'Second.' }] },
  ])
  const { runId, conversationId } = await setup.say('go')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(await said(conversationId)).toEqual(['text: First.', 'text: Second.'])
  expect(setup.emulator.requests[1]?.body?.messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }])
})

test('a refusal ends the run as failed, and people are told in our words', async () => {
  const refusal = { category: 'cyber', explanation: 'That would harm somebody.' }
  const mark = { tool: toApiName('sample.mark'), input: { text: 'a' } }
  const setup = await setUpRuns(database, [{ content: [{ text: 'I' }, mark], stopReason: 'refusal', refusal }])
  const { runId, conversationId } = await setup.say('do harm')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'failed', errorCode: 'model_refusal', steps: 1 })
  expect((await said(conversationId)).at(-1)).toBe('notice: The model declined to answer this.')
  expect(setup.effects()).toEqual([])
})

test('an answer that is cut is gone on with, and one that is cut again ends there and says so', async () => {
  const cut = (text: string) => ({ content: [{ text }], stopReason: 'max_tokens' as const })
  const setup = await setUpRuns(database, [
    cut('One'),
    { content: [{ text: 'and two.' }] },
    cut('Three'),
    cut('and four'),
  ])
  await setup.start()
  const first = await setup.say('count')
  expect(await setup.ended(first.runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(await said(first.conversationId)).toEqual(['text: One', 'text: and two.'])
  expect(setup.emulator.requests[1]?.body?.messages.at(-1)).toMatchObject({
    content: [{ text: 'Your answer was cut. Go on exactly where it stopped.' }],
  })
  const second = await setup.say('count')
  expect(await setup.ended(second.runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(await said(second.conversationId)).toEqual([
    'text: Three',
    'text: and four',
    'notice: The answer was too long and ends here. Ask for the rest if you need it.',
  ])
})

test('a call whose arguments are cut does not run, and the model is told', async () => {
  const setup = await setUpRuns(database, [
    { content: [{ tool: toApiName('sample.mark'), json: ['{"text": "del', 'ete every'] }], stopReason: 'max_tokens' },
    { content: [{ text: 'Once more, then.' }] },
  ])
  const { runId, conversationId } = await setup.say('mark')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.effects()).toEqual([])
  expect((await transcriptOf(database.db, conversationId))[2]?.content).toMatchObject([
    { is_error: true, content: expect.stringContaining('Your answer was cut inside the arguments of this call') },
  ])
})

test('an answer that fills the window is given again with less to read, and what was shown of it is taken back', async () => {
  const shown = await watchShown()
  const setup = await setUpRuns(database, [
    { content: [{ text: 'This is getting' }], stopReason: 'model_context_window_exceeded' },
    { content: [{ text: 'Short.' }] },
  ])
  const { runId, conversationId } = await setup.say('tell me everything')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 1 })
  expect(await said(conversationId)).toEqual(['text: Short.'])
  expect(shown()).toBe('Short.')
})

test('one that fills the window however little it is given ends there, and no error of the API reaches people', async () => {
  const full = { content: [{ text: 'So far' }], stopReason: 'model_context_window_exceeded' as const }
  const setup = await setUpRuns(database, () => full)
  const { runId, conversationId } = await setup.say('tell me everything')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 1 })
  expect(await said(conversationId)).toEqual([
    'text: So far',
    'notice: The answer was too long and ends here. Ask for the rest if you need it.',
  ])
  expect(setup.emulator.requests.length).toBeLessThanOrEqual(6)
})

test('a conversation that outgrows the window goes on, and nobody is told of tokens', async () => {
  const long = { content: [{ tool: toApiName('sample.echo'), input: { text: 'word '.repeat(2_000), times: 4 } }] }
  const small = await startAnthropicEmulator({
    contextTokens: 40_000,
    script: (_request, index) => (index < 6 ? long : { content: [{ text: 'Done.' }] }),
  })
  onTestFinished(() => small.close())
  const setup = await setUpRuns(database, [])
  const { runId, conversationId } = await setup.say('echo a lot')
  await setup.start({ ANTHROPIC_BASE_URL: small.baseUrl })
  expect(await setup.ended(runId, 60_000)).toMatchObject({ status: 'succeeded', steps: 7 })
  expect(await said(conversationId)).toEqual(['text: Done.'])
  expect(small.requests.some(({ status }) => status === 400)).toBe(true)
})

test('a provider that is busy, broken or cut off is asked again, and no text is shown or sent twice', async () => {
  const shown = await watchShown()
  const text = 'The whole answer, from its beginning to its end.'
  const setup = await setUpRuns(database, () => ({ content: [{ text }] }))
  setup.emulator.failNext(
    faults.rateLimit(0),
    faults.overload(),
    faults.serverError(503),
    { kind: 'break', afterEvents: 5 },
    { kind: 'error', afterEvents: 5, type: 'overloaded_error', message: 'Overloaded' },
  )
  const { runId, conversationId } = await setup.say('hello')
  await setup.start()
  expect(await setup.ended(runId, 60_000)).toMatchObject({ status: 'succeeded', steps: 1 })
  expect(setup.emulator.requests.map(({ status }) => status)).toEqual([429, 529, 503, 200, 200, 200])
  expect(await said(conversationId)).toEqual([`text: ${text}`])
  expect(shown()).toBe(text)
}, 90_000)

test('a provider that stays away ends the run with a sentence, and the next message is answered', async () => {
  const setup = await setUpRuns(database, [{ content: [{ text: 'Here again.' }] }])
  setup.emulator.failNext(faults.overload(), ...Array.from({ length: 5 }, () => faults.overload()))
  const { runId, conversationId } = await setup.say('hello', { conversationKey: 'away' })
  await setup.start()
  expect(await setup.ended(runId, 60_000)).toMatchObject({ status: 'failed', errorCode: 'model_overloaded' })
  expect(await said(conversationId)).toEqual(['notice: I could not go on. The model is overloaded.'])
  const next = await setup.say('hello?', { conversationKey: 'away' })
  expect(await setup.ended(next.runId)).toMatchObject({ status: 'succeeded' })
}, 90_000)
