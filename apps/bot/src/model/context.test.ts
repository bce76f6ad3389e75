import { defaultTiers } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { buildRequest } from './build-request.ts'
import { markForCache, resolveContextEdits } from './context.ts'
import type { ModelMessage, ModelRequest, ModelTool } from './model.ts'
import { checkRequest } from './offline/check-request.ts'
import { lastContextStep, shrinkMessages } from './shrink-messages.ts'

const tool = (name: string, more: object = {}): ModelTool => ({ name, input_schema: { type: 'object' }, ...more })

/** A conversation with turns of some tool calls each. */
function conversation(turns: number, calls: number, size = 1000): ModelMessage[] {
  return Array.from({ length: turns }, (_, turn): ModelMessage[] => [
    { role: 'user', content: `question ${turn}` },
    ...Array.from({ length: calls }, (_, call): ModelMessage[] => [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
          { type: 'text', text: 'Let me see.' },
          {
            type: 'tool_use',
            id: `t${turn}-${call}-a`,
            name: 'file_read',
            input: { path: 'a', content: 'i'.repeat(size) },
          },
          { type: 'tool_use', id: `t${turn}-${call}-b`, name: 'file_read', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: `t${turn}-${call}-a`, content: 'r'.repeat(size) },
          {
            type: 'tool_result',
            tool_use_id: `t${turn}-${call}-b`,
            content: [{ type: 'text', text: 's'.repeat(size) }],
          },
          ...(call === 1 ? [{ type: 'text' as const, text: `by the way ${turn}` }] : []),
        ],
      },
    ]).flat(),
    ...(turn < turns - 1 ? [{ role: 'assistant' as const, content: `answer ${turn}` }] : []),
  ]).flat()
}

const refused = (messages: readonly ModelMessage[]) =>
  checkRequest({ model: 'm', max_tokens: 1, messages }, { betas: [], models: null, maxOutputTokens: 100 })
const size = (value: unknown) => JSON.stringify(value).length

test('at every step the conversation is one that the API takes, and it never grows', () => {
  for (const [turns, calls] of [
    [1, 1],
    [1, 80],
    [30, 2],
    [15, 0],
  ] as const) {
    const messages = conversation(turns, calls, 30_000)
    expect(refused(messages)).toBeNull()
    let before = size(messages)
    for (let step = 0; step <= lastContextStep; step++) {
      const shrunk = shrinkMessages(messages, step)
      expect(refused(shrunk), `step ${step} of ${turns} × ${calls}`).toBeNull()
      expect(size(shrunk)).toBeLessThanOrEqual(before + 100)
      before = size(shrunk)
    }
    expect(before).toBeLessThan(80_000)
  }
})

test('the oldest tool results go first; the newest ones, and everything people said, stay', () => {
  const messages = conversation(3, 4)
  const text = JSON.stringify(shrinkMessages(messages, 1))
  expect(text.match(/was left out/g)).toHaveLength(24 - 10)
  expect(text.indexOf('was left out')).toBeLessThan(text.indexOf('rrrr'))
  for (const said of ['question 0', 'by the way 0', 'answer 0', 'question 2', 'by the way 2'])
    expect(text).toContain(said)
})

test('what people said in this turn stays to the last', () => {
  const text = JSON.stringify(shrinkMessages(conversation(3, 40), lastContextStep))
  expect(text).toContain('question 2')
  expect(text).toContain('by the way 2')
  expect(text).not.toContain('question 0')
  expect(text).toContain('beginning of this conversation was left out')
})

test('leaving out changes nothing in the stored conversation, and is the same each time', () => {
  const messages = conversation(3, 3)
  const stored = structuredClone(messages)
  expect(shrinkMessages(messages, 4)).toEqual(shrinkMessages(messages, 4))
  expect(messages).toEqual(stored)
  expect(shrinkMessages(messages, 0)).toEqual(stored)
})

test('old pictures are left out before anything that people said, and the newest picture stays', () => {
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const
  const messages: ModelMessage[] = [
    { role: 'user', content: [picture, { type: 'text', text: 'old' }] },
    { role: 'assistant', content: 'I see.' },
    { role: 'user', content: [picture, { type: 'text', text: 'new' }] },
  ]
  const shrunk = shrinkMessages(messages, 2)
  expect(JSON.stringify(shrunk[0])).toContain('picture or document was left out')
  expect(shrunk[2]).toEqual(messages[2])
})

test('the cache is marked at tools, instructions, and the last two messages of people: four marks at most', () => {
  const marked = markForCache(
    'Be kind.',
    [tool('a'), tool('b'), tool('c', { defer_loading: true })],
    conversation(2, 2),
  )
  expect(JSON.stringify(marked).match(/cache_control/g)).toHaveLength(4)
  expect(marked.tools[1]).toHaveProperty('cache_control')
  expect(marked.system?.[0]).toHaveProperty('cache_control')
  const users = marked.messages.filter(({ role }) => role === 'user').slice(-2)
  for (const { content } of users) expect((content as object[]).at(-1)).toHaveProperty('cache_control')
})

test('the mark of one turn is still there in the next one, so that what was cached is found', () => {
  const now = conversation(2, 2)
  const next: ModelMessage[] = [...now, { role: 'assistant', content: 'Done.' }, { role: 'user', content: 'Thanks' }]
  const marks = (messages: ModelMessage[]) =>
    markForCache(undefined, [], messages).messages.flatMap((message, index) =>
      JSON.stringify(message).includes('cache_control') ? [index] : [],
    )
  expect(marks(next)).toContain(marks(now).at(-1))
})

test('a mark that is already there is taken away, and none is set on thinking or nothing', () => {
  const stale = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } } as const
  const messages: ModelMessage[] = [
    { role: 'user', content: [stale, stale, stale] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'y' },
        { type: 'thinking', thinking: 'z', signature: 's' },
      ],
    },
    { role: 'user', content: [stale, stale] },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'z', signature: 's' }] },
  ]
  const marked = JSON.stringify(markForCache(undefined, [], messages))
  expect(marked.match(/cache_control/g)).toHaveLength(1)
})

const build = (request: Partial<ModelRequest>, contextEdits = true) =>
  buildRequest({ model: 'deep', messages: [{ role: 'user', content: 'Hi' }], ...request }, request.contextStep ?? 0, {
    tiers: defaultTiers,
    contextEdits,
  })

test('a short conversation is a plain request; a long one asks the API to clear and to summarize', () => {
  expect(build({})).toMatchObject({ betas: [] })
  expect(build({}).params).not.toHaveProperty('context_management')
  const long = build({ messages: conversation(1, 20, 10_000) })
  expect(long.betas).toEqual(['context-management-2025-06-27', 'compact-2026-01-12'])
  expect(long.params.context_management?.edits?.map(({ type }) => type)).toEqual([
    'clear_tool_uses_20250919',
    'compact_20260112',
  ])
  const limits = { betas: long.betas, models: null, maxOutputTokens: 128_000 }
  expect(checkRequest(long.params, limits)).toBeNull()
  expect(checkRequest(long.params, { ...limits, betas: [] })).toMatchObject({ status: 400 })
})

test('a model with a small window is asked to clear earlier', () => {
  const clearAt = (model: string) => resolveContextEdits(model, 10_000_000, false)?.config.edits?.[0]
  expect(clearAt('claude-opus-5-5')).toMatchObject({ trigger: { value: 150_000 } })
  expect(clearAt('local')).toMatchObject({ trigger: { value: 120_000 } })
})

test('a summary that the API made goes back to it as it is, and never to a server that makes none', () => {
  const messages: ModelMessage[] = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'compaction', content: 'They said hi.', signature: 's' }] },
    { role: 'user', content: 'And now?' },
  ]
  expect(build({ messages }).betas).toContain('compact-2026-01-12')
  expect(build({ messages }).params.messages[1]).toEqual(messages[1])
  expect(build({ messages }, false)).toMatchObject({ betas: [] })
  expect(JSON.stringify(build({ messages }, false).params)).not.toContain('compaction')
})

test('a request too large to be sent at all is made smaller before it is sent', () => {
  const built = build({ messages: conversation(1, 20, 1_000_000) })
  expect(built.contextStep).toBeGreaterThan(0)
  expect(built.bytes).toBeLessThan(30 * 1024 * 1024)
})

test('fields that the API no longer has are never sent', () => {
  const { params } = build({
    thinking: { type: 'adaptive' },
    effort: 'low',
    personId: 'mem_1',
    system: 'Be kind.',
    tools: [tool('a')],
  })
  expect(Object.keys(params).sort()).toEqual(
    ['max_tokens', 'messages', 'metadata', 'model', 'output_config', 'stream', 'system', 'thinking', 'tools'].sort(),
  )
})
