import { expect, test } from 'vitest'
import { buildRequest } from './build-request.ts'
import type { ModelMessage, ModelTool } from './model.ts'
import { checkRequest } from './offline/check-request.ts'
import { withoutServerTools } from './server-tools.ts'
import { lastContextStep } from './shrink-messages.ts'

const tool = (name: string): ModelTool => ({ name, input_schema: { type: 'object' } })
const search = { type: 'web_search_20260318', name: 'web_search' } as const
const finder = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' } as const
const use = (id: string, name: string) => ({ type: 'server_tool_use', id, name, input: {} })
const found = (id: string, size = 10) => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: [{ type: 'web_search_result', title: 'A', url: 'https://a.example/', encrypted_content: 'x'.repeat(size) }],
})
const tools = (id: string, ...names: string[]) => ({
  type: 'tool_search_tool_result',
  tool_use_id: id,
  content: {
    type: 'tool_search_tool_search_result',
    tool_references: names.map((tool_name) => ({ type: 'tool_reference', tool_name })),
  },
})
const cited = { type: 'text', text: 'It is so.', citations: [{ type: 'web_search_result_location', cited_text: 'so' }] }
const messages = (...content: object[]) =>
  [
    { role: 'user', content: 'a' },
    { role: 'assistant', content },
    { role: 'user', content: 'b' },
  ] as unknown as ModelMessage[]
const kept = (content: object[], offered: readonly ModelTool[]) =>
  withoutServerTools(messages(...content), offered)[1]?.content

test('a conversation without any of it is the very same, and what is offered still goes back as it came', () => {
  const plain = messages({ type: 'text', text: 'x' })
  expect(withoutServerTools(plain, [])).toBe(plain)
  const content = [use('s1', 'web_search'), found('s1'), cited]
  expect(kept(content, [search])).toEqual(content)
})

test('without the tool its uses, its results and what points into them are gone, and nothing else', () => {
  const content = [{ type: 'text', text: 'Look:' }, use('s1', 'web_search'), found('s1'), cited]
  expect(kept(content, [tool('a')])).toEqual([
    { type: 'text', text: 'Look:' },
    { type: 'text', text: 'It is so.' },
  ])
  expect(withoutServerTools(messages(use('s1', 'web_search'), found('s1')), [])).toHaveLength(2)
})

test('a use that never had its result is gone, except of an answer that is gone on with', () => {
  const dangling = [{ type: 'text', text: 'x' }, use('s1', 'web_search')]
  expect(kept(dangling, [search])).toEqual([{ type: 'text', text: 'x' }])
  const paused = messages(...dangling).slice(0, 2)
  expect(withoutServerTools(paused, [search])).toEqual(paused)
})

test('a tool that was found and is there no more is not spoken of', () => {
  const content = [use('s2', 'tool_search_tool_bm25'), tools('s2', 'mcp__a__here', 'mcp__a__gone')]
  expect(kept(content, [finder, tool('mcp__a__here')])).toEqual([content[0], tools('s2', 'mcp__a__here')])
})

test('where room is made, what was found goes, and at every step the API takes the conversation', () => {
  const history = Array.from({ length: 6 }, (_, index) =>
    messages(use(`s${index}`, 'web_search'), found(`s${index}`, 20_000), cited).slice(0, 2),
  ).flat()
  const options = { tiers: { fast: 'm', balanced: 'm', deep: 'm' }, contextEdits: false }
  const request = { model: 'm', messages: [...history, { role: 'user' as const, content: 'c' }], webSearch: {} }
  let before = Number.POSITIVE_INFINITY
  for (let step = 0; step <= lastContextStep; step++) {
    const { params, bytes } = buildRequest(request, step, options)
    expect(checkRequest(params, { betas: [], models: null, maxOutputTokens: 128_000 })).toBeNull()
    expect(bytes).toBeLessThanOrEqual(before)
    before = bytes
  }
  expect(before).toBeLessThan(5_000)
})
