import { expect, test } from 'vitest'
import { MessageAssembly } from './assemble-message.ts'

type Event = Parameters<MessageAssembly['add']>[0]

function assemble(events: object[], listener = { text() {}, toolStart() {} }) {
  const assembly = new MessageAssembly(listener)
  for (const event of events) assembly.add(event as Event)
  return assembly
}

const start = { type: 'message_start', message: { model: 'm', usage: { input_tokens: 3, output_tokens: 1 } } }
const end = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]
const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]

test('a message is whole only after its end was told', () => {
  expect(assemble([start, ...block(0, { type: 'text', text: 'x' })]).finish()).toBeNull()
  expect(assemble([start, ...end.slice(0, 1)]).finish()).toBeNull()
  expect(assemble([start, ...end]).finish()).toMatchObject({ usage: { inputTokens: 3, outputTokens: 9 } })
})

test('a block that never ended counts as cut, even if its arguments look complete', () => {
  const open = [
    start,
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'n', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a": 1}' } },
    ...end,
  ]
  expect(assemble(open).finish()?.brokenToolUses).toMatchObject([{ id: 't', reason: 'cut' }])
})

test('a tool without any arguments is whole when its block ended, and cut when it did not', () => {
  const tool = { type: 'tool_use', id: 't', name: 'n', input: {} }
  expect(assemble([start, ...block(0, tool), ...end]).finish()?.brokenToolUses).toEqual([])
  const open = [start, { type: 'content_block_start', index: 0, content_block: tool }, ...end]
  expect(assemble(open).finish()?.brokenToolUses).toMatchObject([{ reason: 'cut' }])
})

test('citations, summaries and blocks of a newer API are kept as they came', () => {
  const cited = { type: 'char_location', cited_text: 'x' }
  const message = assemble([
    start,
    ...block(
      0,
      { type: 'text', text: '', citations: null },
      { type: 'citations_delta', citation: cited },
      { type: 'text_delta', text: 'a' },
    ),
    ...block(
      1,
      { type: 'compaction', content: null },
      { type: 'compaction_delta', content: 'sum', encrypted_content: 'e' },
    ),
    ...block(2, { type: 'hologram', depth: 3 }, { type: 'hologram_delta', x: 1 }),
    { type: 'applause' },
    ...end,
  ]).finish()
  expect(message?.content).toEqual([
    { type: 'text', text: 'a', citations: [cited] },
    { type: 'compaction', content: 'sum', encrypted_content: 'e' },
    { type: 'hologram', depth: 3 },
  ])
})

test('counts at the end replace those of the start, and what the end leaves out stays', () => {
  const begin = {
    input_tokens: 10,
    output_tokens: 1,
    cache_creation_input_tokens: 8,
    cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 5 },
  }
  const summary = { type: 'compaction', input_tokens: 100, output_tokens: 20 }
  const message = assemble([
    { type: 'message_start', message: { model: 'm', usage: begin } },
    {
      ...end[0],
      usage: { input_tokens: null, output_tokens: 7, cache_creation_input_tokens: 8, iterations: [summary] },
    },
    { type: 'message_stop' },
  ]).finish()
  expect(message?.usage).toMatchObject({
    inputTokens: 110,
    outputTokens: 27,
    cacheWrite5mTokens: 3,
    cacheWrite1hTokens: 5,
  })
})

test('events out of order are an error, not a message', () => {
  expect(() => assemble([start, ...block(1, { type: 'text', text: '' })])).toThrow('block')
  expect(() => assemble([start, { type: 'content_block_stop', index: 0 }])).toThrow('not open')
})

test('arguments named like the inside of an object stay arguments', () => {
  const json = '{"__proto__": {"admin": true}, "constructor": 1}'
  const tool = { type: 'tool_use', id: 't', name: 'n', input: {} }
  const message = assemble([
    start,
    ...block(0, tool, { type: 'input_json_delta', partial_json: json }),
    ...end,
  ]).finish()
  expect(JSON.stringify(message?.content)).toContain(`"input":${json.replaceAll(' ', '')}`)
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
})

test('an answer cut before or inside the last arguments names them, and only them', () => {
  const cut = [{ ...end[0], delta: { stop_reason: 'max_tokens' } }, end[1] as object]
  const tool = (id: string) => ({ type: 'tool_use', id, name: 'n', input: {} })
  const half = { type: 'input_json_delta', partial_json: '{"command": "rm -rf /tmp' }
  const broken = (events: object[]) => assemble([start, ...events, ...cut]).finish()?.brokenToolUses
  expect(broken([...block(0, tool('a')), ...block(1, tool('b'))])).toMatchObject([{ id: 'b', reason: 'cut' }])
  expect(broken([...block(0, tool('a'), half)])).toMatchObject([{ id: 'a', reason: 'cut' }])
  expect(broken([...block(0, tool('a')), ...block(1, { type: 'text', text: '' })])).toEqual([])
})

test('hundreds of thousands of small pieces are put together in a moment', () => {
  const began = performance.now()
  const assembly = assemble([
    start,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ])
  const piece = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'abc' } } as Event
  for (let count = 0; count < 300_000; count++) assembly.add(piece)
  for (const event of [{ type: 'content_block_stop', index: 0 }, ...end]) assembly.add(event as Event)
  expect(assembly.finish()?.content).toEqual([{ type: 'text', text: 'abc'.repeat(300_000) }])
  expect(performance.now() - began).toBeLessThan(2000)
})
