// The model port against the strict emulator: whole conversations, and everything that goes wrong on the way.
import {
  createAnthropicModel,
  type Model,
  ModelError,
  type ModelMessage,
  type ModelTool,
} from '@quartermaster/bot/model'
import { type Fault, faults, offlineFooter, startOfflineModel } from '@quartermaster/bot/offline-model'
import { afterEach, expect, test } from 'vitest'
import {
  type AnthropicEmulator,
  type AnthropicEmulatorOptions,
  apiVersion,
  startAnthropicEmulator,
} from './start-anthropic-emulator.ts'

let emulator: AnthropicEmulator
afterEach(() => emulator?.close())

const tools: ModelTool[] = ['file_list', 'file_read', 'shell_exec'].map((name) => ({
  name,
  description: `Does ${name}. `.repeat(50),
  input_schema: { type: 'object', properties: { path: { type: 'string' }, command: { type: 'string' } } },
}))

async function start(options: AnthropicEmulatorOptions = {}): Promise<Model> {
  emulator = await startAnthropicEmulator(options)
  return createAnthropicModel({
    apiKey: emulator.apiKey,
    baseUrl: emulator.baseUrl,
    backoffMs: 5,
    idleMs: 700,
    contextEdits: true,
  })
}

/** The loop of a run in its smallest form: every tool returns the same text. */
async function converse(model: Model, said: string[], output = 'some output') {
  const messages: ModelMessage[] = []
  const turns = []
  let shown = ''
  for (const words of said) {
    messages.push({ role: 'user', content: words })
    for (;;) {
      let text = ''
      const turn = await model.stream(
        { model: 'balanced', system: 'Be kind. '.repeat(50), messages, tools },
        {
          signal: AbortSignal.timeout(10_000),
          onText: (more) => {
            text += more
          },
          onRestart: ({ keep }) => {
            text = text.slice(0, keep)
          },
        },
      )
      turns.push(turn)
      shown += text
      messages.push({
        role: 'assistant',
        content: turn.content as Extract<ModelMessage, { role: 'assistant' }>['content'],
      })
      const uses = turn.content.filter((block) => block.type === 'tool_use')
      if (!uses.length) break
      messages.push({
        role: 'user',
        content: uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: output })),
      })
    }
  }
  return { messages, turns, shown }
}

test('a conversation with tools is one that the API takes from beginning to end', async () => {
  const model = await start()
  const { turns } = await converse(model, ['list files in src, then read README.md', 'run npm test', 'thanks'])
  expect(turns.map(({ stopReason }) => stopReason)).toEqual([
    'tool_use',
    'tool_use',
    'end_turn',
    'tool_use',
    'end_turn',
    'end_turn',
  ])
  expect(emulator.requests.every(({ status }) => status === 200)).toBe(true)
  expect(emulator.requests[0]?.headers).toMatchObject({ 'anthropic-version': apiVersion })
})

test('from the second turn on, nearly the whole prompt is read from the cache', async () => {
  const model = await start()
  const { turns } = await converse(model, ['list files', 'read a.txt', 'run npm test', 'help'])
  expect(turns[0]?.usage).toMatchObject({ cacheReadTokens: 0 })
  for (const { usage } of turns.slice(1)) {
    expect(usage.cacheReadTokens).toBeGreaterThan(usage.inputTokens + usage.cacheWrite5mTokens)
    expect(usage.inputTokens).toBeLessThan(10)
  }
})

const everyFault: [string, Fault][] = [
  ['an overload', faults.overload()],
  ['a server error', faults.serverError()],
  ['a rate limit', faults.rateLimit(0)],
  ['a connection that is closed', { kind: 'break', afterEvents: 0 }],
  ['a break at the start', { kind: 'break', afterEvents: 1 }],
  ['a break in the text', { kind: 'break', afterEvents: 4 }],
  ['a break in the arguments', { kind: 'break', afterEvents: 7 }],
  ['a break just before the end', { kind: 'break', afterEvents: 10 }],
  ['an early end', { kind: 'end', afterEvents: 6 }],
  ['an error in mid-stream', { kind: 'error', afterEvents: 6, type: 'overloaded_error', message: 'Overloaded' }],
  ['silence', { kind: 'hang', afterEvents: 6 }],
]

test.each(everyFault)('%s in any turn changes nothing of what people see and of what is kept', async (_, fault) => {
  const model = await start()
  const said = ['list files in src, then read README.md', 'help']
  const calm = await converse(model, said)
  emulator.failNext(fault, fault)
  const rough = await converse(model, said)
  expect(rough.shown).toBe(calm.shown)
  const withoutIds = (value: unknown) => JSON.stringify(value).replace(/toolu_\w+/g, 'id')
  expect(withoutIds(rough.messages)).toBe(withoutIds(calm.messages))
  expect(rough.turns[0]?.attempts).toBe(3)
})

test('a conversation that outgrows the window goes on, and is stored whole', async () => {
  const model = await start({ contextTokens: 20_000 })
  const { turns, messages } = await converse(
    model,
    Array.from({ length: 12 }, () => 'read a.txt'),
    'x'.repeat(12_000),
  )
  expect(turns.at(-1)).toMatchObject({ stopReason: 'end_turn' })
  expect(turns.at(-1)?.contextStep).toBeGreaterThan(0)
  expect(JSON.stringify(messages)).not.toContain('left out')
  expect(emulator.requests.filter(({ status }) => status === 400).length).toBeGreaterThan(0)
})

test('many turns at once under a rate limit all come through', async () => {
  const model = await start({ requestsPerSecond: 8, script: () => ({ content: [{ text: 'Hi.' }] }) })
  const turns = await Promise.all(
    Array.from({ length: 20 }, () =>
      model.stream(
        { model: 'fast', messages: [{ role: 'user', content: 'Hi' }] },
        { signal: AbortSignal.timeout(15_000) },
      ),
    ),
  )
  expect(turns.every(({ stopReason }) => stopReason === 'end_turn')).toBe(true)
  expect(emulator.requests.some(({ status }) => status === 429)).toBe(true)
})

test('turns that are stopped are seen by the server as left, each of them', async () => {
  const model = await start({
    script: () => ({ content: [{ text: 'Hello' }], fault: { kind: 'hang', afterEvents: 4 } }),
  })
  const turns = Array.from({ length: 10 }, async () => {
    const stop = new AbortController()
    const request = { model: 'fast', messages: [{ role: 'user' as const, content: 'Hi' }] }
    const turn = model.stream(request, { signal: stop.signal, onText: () => setTimeout(() => stop.abort(), 5) })
    await expect(turn).rejects.toBeInstanceOf(ModelError)
  })
  await Promise.all(turns)
  expect(await Promise.all(emulator.requests.map(({ ended }) => ended))).toEqual(
    Array.from({ length: 10 }, () => 'left'),
  )
})

test('the offline model is a model like any other, free, and says what it is', async () => {
  const offline = await startOfflineModel()
  try {
    const model = createAnthropicModel(offline)
    const { turns, shown } = await converse(model, ['list files in src'])
    expect(turns.map(({ stopReason, costMicros }) => [stopReason, costMicros])).toEqual([
      ['tool_use', 0],
      ['end_turn', 0],
    ])
    expect(shown.endsWith(offlineFooter)).toBe(true)
    const stranger = createAnthropicModel({ ...offline, apiKey: 'guessed' })
    await expect(converse(stranger, ['help'])).rejects.toMatchObject({ kind: 'authentication' })
  } finally {
    await offline.close()
  }
})
