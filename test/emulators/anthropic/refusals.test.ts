// Everything that the emulator refuses, through the real SDK: the status, the type and the words of the API.
import { Anthropic, APIError } from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnthropicEmulator, startAnthropicEmulator } from './start-anthropic-emulator.ts'

let emulator: AnthropicEmulator
beforeAll(async () => {
  emulator = await startAnthropicEmulator({
    script: () => ({ content: [{ text: 'Fine.' }] }),
    maxBodyBytes: 1024 * 1024,
  })
})
afterAll(() => emulator.close())

type Params = Record<string, unknown>
const tool = (name: string, more: Params = {}): Params => ({ name, input_schema: { type: 'object' }, ...more })
const mark = { cache_control: { type: 'ephemeral' } }
const text = (words: string, more: Params = {}): Params => ({ type: 'text', text: words, ...more })
const user = (...content: (Params | string)[]): Params => ({
  role: 'user',
  content: content.map((part) => (typeof part === 'string' ? text(part) : part)),
})
const assistant = (...content: Params[]): Params => ({ role: 'assistant', content })
const use = (id: string, more: Params = {}): Params => ({ type: 'tool_use', id, name: 'file_read', input: {}, ...more })
const result = (id: string, more: Params = {}): Params => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'x',
  ...more,
})
const search = { type: 'web_search_20260318', name: 'web_search' }

const good: Params = { model: 'claude-sonnet-5-5', max_tokens: 100, messages: [user('Hello')] }

const client = (more: Partial<ConstructorParameters<typeof Anthropic>[0]> = {}) =>
  new Anthropic({ apiKey: emulator.apiKey, baseURL: emulator.baseUrl, maxRetries: 0, openTelemetry: false, ...more })

/** The answer to a request, or the error that the SDK made of it. */
async function send(params: Params, headers: Record<string, string | null> = {}, sdk = client()) {
  try {
    return await sdk.messages.create({ ...good, ...params } as unknown as Anthropic.MessageCreateParamsNonStreaming, {
      headers,
      // Otherwise the SDK refuses by itself what may take long.
      timeout: 10_000,
    })
  } catch (error) {
    if (error instanceof APIError) return error
    throw error
  }
}

async function expectRefusal(params: Params, words: RegExp, status = 400, type = 'invalid_request_error') {
  const error = await send(params)
  expect(error).toBeInstanceOf(APIError)
  expect(error).toMatchObject({ status, type, requestID: expect.stringMatching(/^req_/) })
  expect((error as APIError).apiMessage).toMatch(words)
}

const refused: [what: string, params: Params, words: RegExp][] = [
  ['a field that the API does not have', { colour: 'red' }, /^colour: Extra inputs are not permitted$/],
  ['temperature', { temperature: 0 }, /^temperature: Extra inputs are not permitted$/],
  ['top_p', { top_p: 0.5 }, /^top_p: Extra inputs are not permitted$/],
  ['top_k', { top_k: 5 }, /^top_k: Extra inputs are not permitted$/],
  ['context_management without its beta', { context_management: { edits: [] } }, /^context_management: Extra inputs/],
  ['no model', { model: undefined }, /^model: Field required$/],
  ['no max_tokens', { max_tokens: undefined }, /^max_tokens: Field required$/],
  ['a max_tokens that is no integer', { max_tokens: 1.5 }, /^max_tokens: Input should be a valid integer$/],
  ['a max_tokens below zero', { max_tokens: -1 }, /^max_tokens: Input should be greater/],
  ['a max_tokens beyond the model', { max_tokens: 128_001 }, /^max_tokens: 128001 > 128000, which is the maximum/],
  ['no messages at all', { messages: [] }, /at least one message is required/],
  ['messages that are no list', { messages: 'Hello' }, /^messages: Input should be a valid list$/],
  ['an unknown role', { messages: [{ role: 'tool', content: 'x' }] }, /^messages\.0\.role: Input should be 'user'/],
  [
    'a conversation that the assistant begins',
    { messages: [assistant(text('x')), user('y')] },
    /first message must use the "user" role/,
  ],
  [
    'a half-written answer at the end',
    { messages: [user('x'), assistant(text('y'))] },
    /does not support assistant message prefill/,
  ],
  ['empty content', { messages: [user()] }, /non-empty content/],
  ['an empty string', { messages: [{ role: 'user', content: '' }] }, /text content blocks must be non-empty/],
  ['an empty text', { messages: [user('')] }, /text content blocks must be non-empty/],
  ['a text of blanks', { messages: [user(' \n ')] }, /must contain non-whitespace text/],
  ['an unknown field of a message', { messages: [{ ...user('x'), name: 'Ada' }] }, /^messages\.0\.name: Extra inputs/],
  ['an unknown block', { messages: [user({ type: 'video' })] }, /Input tag 'video'/],
  [
    'thinking without its signature',
    { messages: [user('x'), assistant({ type: 'thinking', thinking: 'y' }), user('z')] },
    /signature: Field required/,
  ],
  [
    'a dot in a tool name',
    { tools: [tool('file.read')] },
    /^tools\.0\.custom\.name: String should match pattern '\^\[a-zA-Z0-9_-\]\{1,64\}\$'$/,
  ],
  ['an empty tool name', { tools: [tool('')] }, /String should match pattern/],
  ['a tool name of 65 characters', { tools: [tool('x'.repeat(65))] }, /String should match pattern/],
  ['two tools of one name', { tools: [tool('a'), tool('a')] }, /^tools: Tool names must be unique\.$/],
  ['a tool without a schema', { tools: [{ name: 'a' }] }, /^tools\.0\.custom\.input_schema: Field required$/],
  [
    'a schema that is no object',
    { tools: [tool('a', { input_schema: { type: 'array' } })] },
    /input_schema\.type: Input should be 'object'$/,
  ],
  ['an unknown field of a tool', { tools: [tool('a', { effect: 'read' })] }, /^tools\.0\.custom\.effect: Extra inputs/],
  [
    'an unknown kind of tool',
    { tools: [{ type: 'web_search_19990101', name: 'web_search' }] },
    /Input tag 'web_search_19990101'/,
  ],
  ['a server tool under another name', { tools: [{ ...search, name: 'google' }] }, /Input should be 'web_search'/],
  [
    'a search with both lists of domains',
    { tools: [{ ...search, allowed_domains: ['a.b'], blocked_domains: ['c.d'] }] },
    /Only one of allowed_domains or blocked_domains/,
  ],
  [
    'only tools that are loaded later',
    { tools: [tool('a', { defer_loading: true })] },
    /At least one tool must have defer_loading=false/,
  ],
  [
    'a choice of a tool that is not there',
    { tools: [tool('a')], tool_choice: { type: 'tool', name: 'b' } },
    /Tool 'b' not found/,
  ],
  ['a choice without tools', { tool_choice: { type: 'auto' } }, /while providing tools/],
  [
    'a tool call without a result',
    { messages: [user('x'), assistant(use('t1')), user('y')] },
    /`tool_use` ids were found without `tool_result` blocks immediately after: t1/,
  ],
  [
    'one result of two',
    { messages: [user('x'), assistant(use('t1'), use('t2')), user(result('t1'))] },
    /immediately after: t2/,
  ],
  [
    'a result that comes after a text',
    { messages: [user('x'), assistant(use('t1')), user('y', result('t1'))] },
    /immediately after: t1/,
  ],
  [
    'a result that comes too late',
    { messages: [user('x'), assistant(use('t1')), user('y'), assistant(text('z')), user(result('t1'))] },
    /immediately after: t1/,
  ],
  [
    'a result that nobody asked for',
    { messages: [user(result('t9'))] },
    /unexpected `tool_use_id` found in `tool_result` blocks: t9/,
  ],
  [
    'two results of one call',
    { messages: [user('x'), assistant(use('t1')), user(result('t1'), result('t1'))] },
    /single result/,
  ],
  [
    'two calls of one id',
    { messages: [user('x'), assistant(use('t1')), user(result('t1')), assistant(use('t1')), user(result('t1'))] },
    /ids must be unique/,
  ],
  ['a call in a message of the user', { messages: [user(use('t1'))] }, /can only be in `assistant` messages/],
  [
    'a result in a message of the assistant',
    { messages: [user('x'), assistant(result('t1')), user('y')] },
    /can only be in `user` messages/,
  ],
  [
    'a call whose name has a dot',
    { messages: [user('x'), assistant(use('t1', { name: 'file.read' })), user(result('t1'))] },
    /tool_use\.name: String should match pattern/,
  ],
  [
    'a call whose input is a string',
    { messages: [user('x'), assistant(use('t1', { input: '{}' })), user(result('t1'))] },
    /tool_use\.input: Input should be a valid dictionary/,
  ],
  [
    'five marks for the cache',
    { messages: [user(...Array.from({ length: 5 }, () => text('x', mark)))] },
    /A maximum of 4 blocks with cache_control may be provided\. Found 5\./,
  ],
  [
    'a mark on a tool that is loaded later',
    { tools: [tool('a'), tool('b', { defer_loading: true, ...mark })] },
    /defer_loading=true cannot have cache_control/,
  ],
  [
    'a mark on thinking',
    {
      messages: [
        user('x'),
        assistant({ type: 'thinking', thinking: 'y', signature: 's', ...mark }, text('z')),
        user('z'),
      ],
    },
    /cannot be set for thinking/,
  ],
  [
    'an unknown lifetime of a mark',
    { messages: [user(text('x', { cache_control: { type: 'ephemeral', ttl: '1d' } }))] },
    /cache_control\.ttl: Input should be '5m', '1h'/,
  ],
  ['an unknown kind of thinking', { thinking: { type: 'deep' } }, /^thinking\.type: Input should be/],
  ['an unknown effort', { output_config: { effort: 'extreme' } }, /^output_config\.effort: Input should be/],
  ['a person under another name', { metadata: { email: 'a@b.c' } }, /^metadata\.email: Extra inputs/],
  ['a picture as an instruction', { system: [{ type: 'image' }] }, /^system\.0\.type: Input should be 'text'$/],
]

test.each(refused)('refuses %s', async (_, params, words) => {
  await expectRefusal(params, words)
})

const taken: [what: string, params: Params][] = [
  ['a plain request', {}],
  ['a string as content', { messages: [{ role: 'user', content: 'Hello' }] }],
  ['messages of one side in a row', { messages: [user('x'), user('y')] }],
  ['a tool name of 64 characters', { tools: [tool('x'.repeat(64))] }],
  [
    'calls with all their results, and a text after them',
    {
      messages: [user('x'), assistant(text('y'), use('t1'), use('t2')), user(result('t2'), result('t1'), 'z')],
      tools: [tool('file_read')],
    },
  ],
  [
    'results in two messages in a row',
    { messages: [user('x'), assistant(use('t1'), use('t2')), user(result('t1')), user(result('t2'))] },
  ],
  ['four marks for the cache', { messages: [user(...Array.from({ length: 4 }, () => text('x', mark)))] }],
  [
    'a server tool, thinking and an effort',
    { tools: [search], thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
  ],
  ['the most tokens there are', { max_tokens: 128_000 }],
  [
    'a paused answer that is sent back',
    {
      messages: [user('x'), assistant({ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} })],
      tools: [search],
    },
  ],
]

test.each(taken)('takes %s', async (_, params) => {
  expect(await send(params)).toMatchObject({
    type: 'message',
    content: [{ type: 'text', text: 'Fine.' }],
    stop_reason: 'end_turn',
  })
})

test('refuses a model that it does not know, as not found', async () => {
  await expectRefusal({ model: 'gpt-9' }, /^model: gpt-9$/, 404, 'not_found_error')
})

test('refuses a body that is too large, and takes one that just is not', async () => {
  await expectRefusal(
    { messages: [user('x'.repeat(1024 * 1024))] },
    /exceeds the maximum size/,
    413,
    'request_too_large',
  )
  expect(await send({ messages: [user('x'.repeat(1024 * 1023))] })).toMatchObject({ type: 'message' })
})

test('refuses a key that it does not know, and a request without one', async () => {
  const wrong = await send({}, {}, client({ apiKey: 'sk-ant-wrong' }))
  expect(wrong).toMatchObject({ status: 401, type: 'authentication_error', apiMessage: 'invalid x-api-key' })
  const none = await send({}, { authorization: null, 'x-api-key': null })
  expect(none).toMatchObject({ status: 401, type: 'authentication_error' })
  expect(await send({}, { authorization: null, 'x-api-key': emulator.apiKey })).toMatchObject({ type: 'message' })
})

test('refuses a version of the API that there is not, and a request without one', async () => {
  const old = await send({}, { 'anthropic-version': '2023-06-01' })
  expect(old).toMatchObject({ status: 400, apiMessage: expect.stringContaining('is not a valid version') })
  const none = await send({}, { 'anthropic-version': null })
  expect(none).toMatchObject({ status: 400, apiMessage: expect.stringContaining('header is required') })
})

test('refuses a body that is not declared as JSON, or is none', async () => {
  const post = (body: string, type: string) =>
    fetch(`${emulator.baseUrl}/v1/messages`, {
      method: 'POST',
      body,
      headers: { 'content-type': type, 'x-api-key': emulator.apiKey, 'anthropic-version': '2026-10-21' },
    })
  expect((await post(JSON.stringify(good), 'text/plain')).status).toBe(400)
  expect((await post('{', 'application/json')).status).toBe(400)
  expect((await post('null', 'application/json')).status).toBe(400)
  expect((await post(JSON.stringify(good), 'application/json')).status).toBe(200)
})

test('refuses paths and methods that it does not have', async () => {
  expect((await fetch(`${emulator.baseUrl}/v1/complete`, { method: 'POST' })).status).toBe(404)
  expect((await fetch(`${emulator.baseUrl}/v1/messages`)).status).toBe(405)
})

test('takes the edits of a long conversation with their betas, and refuses each without its own', async () => {
  const edit = (type: string) => ({ context_management: { edits: [{ type }] } })
  const betas = (names: string) => ({ 'anthropic-beta': names })
  const both = 'context-management-2025-06-27,compact-2026-01-12'
  expect(await send(edit('compact_20260112'), betas(both))).toMatchObject({ type: 'message' })
  expect(await send(edit('compact_20260112'), betas('context-management-2025-06-27'))).toMatchObject({ status: 400 })
  expect(await send(edit('forget_all'), betas(both))).toMatchObject({ status: 400 })
})
