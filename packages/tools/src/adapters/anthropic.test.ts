import type { MessageCreateParams, ToolUnion } from '@anthropic-ai/sdk/resources/messages'
import { describe, expect, it } from 'vitest'
import type { AnyTool, JSONSchema } from '../contract.ts'
import { testTool } from '../executor/testing.ts'
import { ToolRegistry } from '../registry.ts'
import { type AnthropicTool, type AnthropicToolsOptions, toAnthropicTools } from './anthropic.ts'
import { strictCostOf } from './strict-schema.ts'

const named = (name: string, more: Partial<AnyTool> = {}) => testTool(undefined, { name, ...more })
const closed = (properties: Record<string, JSONSchema> = {}, required = Object.keys(properties)): JSONSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

function convert(tools: readonly AnyTool[], options?: AnthropicToolsOptions, allowed = tools.map((tool) => tool.name)) {
  const registry = new ToolRegistry()
  registry.registerMany(tools)
  return toAnthropicTools(registry, allowed, options)
}
const definitions = (tools: readonly AnyTool[], options?: AnthropicToolsOptions) =>
  convert(tools, options).tools as AnthropicTool[]

it("fits the SDK's own types", () => {
  const tools: ToolUnion[] = convert([named('file.read')]).tools
  const request: Pick<MessageCreateParams, 'tools'> = { tools: convert([named('file.read')], { deferAbove: 0 }).tools }
  expect(tools.length + (request.tools?.length ?? 0)).toBe(3)
})

it('has API names, eager streaming where the tool says so, and a breakpoint on the last', () => {
  expect(definitions([named('file.read', { eagerInputStreaming: true }), named('mcp:github:search')])).toEqual([
    {
      name: 'file-read',
      description: 'A tool for tests.',
      input_schema: { type: 'object' },
      eager_input_streaming: true,
    },
    {
      name: 'mcp__github__search',
      description: 'A tool for tests.',
      input_schema: { type: 'object' },
      cache_control: { type: 'ephemeral' },
    },
  ])
  expect(definitions([named('a')], { cache: '1h' })[0]?.cache_control).toEqual({ type: 'ephemeral', ttl: '1h' })
  expect(definitions([named('a')], { cache: false })[0]).not.toHaveProperty('cache_control')
})

it('is the same to the byte whatever the order of registration and of the names', () => {
  const tools = ['web.fetch', 'file.read', 'mcp:b:x', 'mcp:a:y', 'Zoo'].map((name) => named(name))
  const one = JSON.stringify(convert(tools))
  expect(JSON.stringify(convert([...tools].reverse()))).toBe(one)
})

it('contains what is allowed and registered, once each, and says what it left out', () => {
  const { tools, leftOut } = convert([named('a'), named('b')], {}, ['b', 'b', 'c'])
  expect(tools.map((tool) => tool.name)).toEqual(['b'])
  expect(leftOut).toEqual([{ name: 'c', reason: 'There is no such tool.' }])
})

it('leaves out a tool for which the API would refuse the whole request', () => {
  const odd = named('odd', { inputSchema: { type: 'object', properties: { 'no spaces, please': {} } } })
  const { tools, leftOut } = convert([odd, named('fine')])
  expect(tools.map((tool) => tool.name)).toEqual(['fine'])
  expect(leftOut[0]?.reason).toContain('no spaces, please')
})

it('moves choices at the top of a schema into the description, where the API takes them', () => {
  const choice = named('choice', {
    inputSchema: { type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
  })
  const [definition] = definitions([choice])
  expect(definition?.input_schema).toEqual({ type: 'object', properties: { a: {}, b: {} } })
  expect(definition?.description).toContain('"anyOf":[{"required":["a"]},{"required":["b"]}]')
})

describe('with hundreds of tools', () => {
  const many = Array.from({ length: 300 }, (_, index) => named(`mcp:server:tool${index}`))

  it('loads those to keep and lets the model search for the rest', () => {
    const { tools } = convert([...many, named('file.read')], { deferAbove: 40, keep: ['file.read'] })
    expect(tools[0]).toEqual({ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' })
    expect(tools[1]).toMatchObject({ name: 'file-read', cache_control: { type: 'ephemeral' } })
    expect(tools).toHaveLength(302)
    for (const tool of tools.slice(2)) {
      expect(tool).toMatchObject({ defer_loading: true })
      expect(tool).not.toHaveProperty('cache_control')
    }
  })

  it('loads all of them where they are not too many', () => {
    expect(definitions(many.slice(0, 40), { deferAbove: 40 }).some((tool) => tool.defer_loading)).toBe(false)
  })
})

describe('strict', () => {
  it('is set where the schema allows it, and can be turned off', () => {
    const tools = [named('open'), named('closed', { inputSchema: closed({ path: { type: 'string' } }) })]
    expect(definitions(tools).map((tool) => [tool.name, tool.strict])).toEqual([
      ['closed', true],
      ['open', undefined],
    ])
    expect(definitions(tools, { strict: false }).some((tool) => tool.strict)).toBe(false)
  })

  it('stays within what one request may have', () => {
    const optional = (name: string, count: number) =>
      named(name, {
        inputSchema: closed(
          Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }])),
          [],
        ),
      })
    const strictOf = (tools: AnyTool[]) =>
      definitions(tools)
        .filter((tool) => tool.strict)
        .map((tool) => tool.name)
    expect(strictOf([optional('a', 20), optional('b', 5), optional('c', 4)])).toEqual(['a', 'c'])
    expect(
      strictOf(Array.from({ length: 30 }, (_, index) => named(`t${index}`, { inputSchema: closed() }))),
    ).toHaveLength(20)
  })

  const allowed: JSONSchema[] = [
    closed(),
    closed({
      a: { type: 'string', format: 'date', description: 'x', default: 'y' },
      b: { enum: ['x', 1, null] },
      c: { const: 'x' },
    }),
    closed({ list: { type: 'array', items: closed({ x: { type: ['string', 'null'] } }), minItems: 1 } }),
    closed({ either: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }),
    {
      ...(closed({ a: { $ref: '#/$defs/point' }, b: { $ref: '#/$defs/point' } }) as object),
      $defs: { point: closed({ x: { type: 'number' } }) },
    },
  ]
  it.each(allowed.map((schema) => [JSON.stringify(schema), schema]))('allows %s', (_, schema) => {
    expect(strictCostOf(schema as JSONSchema)).not.toBeNull()
  })

  const refused: JSONSchema[] = [
    true,
    { type: 'object', properties: {} },
    { type: 'object', properties: {}, additionalProperties: true },
    closed({ a: { type: 'object', properties: {} } }),
    closed({ a: { type: 'integer', minimum: 1 } }),
    closed({ a: { type: 'string', maxLength: 5 } }),
    closed({ a: { type: 'string', pattern: '^a' } }),
    closed({ a: { type: 'string', format: 'regex' } }),
    closed({ a: { type: 'array', items: { type: 'string' }, minItems: 2 } }),
    closed({ a: { enum: [{ x: 1 }] } }),
    closed({ a: {} }),
    closed({ a: { not: { type: 'string' } } }),
    closed({ a: { $ref: 'https://example.com/schema' } }),
    closed({ a: { type: 'string' } }, ['a', 'b']),
    {
      ...(closed({ a: { $ref: '#/$defs/tree' } }) as object),
      $defs: { tree: closed({ left: { $ref: '#/$defs/tree' } }) },
    },
  ]
  it.each(refused.map((schema) => [JSON.stringify(schema), schema]))('does not allow %s', (_, schema) => {
    expect(strictCostOf(schema as JSONSchema)).toBeNull()
  })
})
