import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyConfig, parseConfig } from './config.ts'
import type { AnyTool } from './contract.ts'
import { echoTool } from './testing/sample-tools.ts'
import { compileSchema } from './validate.ts'

const search: AnyTool = {
  ...(echoTool as AnyTool),
  name: 'email.search',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string' },
      inbox_id: { $ref: '#/$defs/address' },
      limit: { type: 'integer', default: 10, minimum: 1, maximum: 50 },
      unread: { type: 'boolean' },
    },
    required: ['query'],
    additionalProperties: false,
    $defs: { address: { type: 'string', format: 'email' } },
  },
}
const withOwn: AnyTool = {
  ...search,
  configSchema: {
    type: 'object',
    properties: { provider: { enum: ['brave', 'tavily'], default: 'brave' }, max_limit: { type: 'string' } },
    additionalProperties: false,
  },
}
const errorsOf = (tool: AnyTool, json: unknown) => {
  const parsed = parseConfig(tool, json)
  return parsed.ok ? [] : parsed.errors
}

describe('parsing a configuration', () => {
  test('the presets of every tool are accepted', () => {
    const config = { default_limit: 20, max_limit: 30, fixed_inbox_id: 'a@b.c' }
    expect(parseConfig(search, config)).toEqual({ ok: true, config })
  })

  test('nothing is the empty configuration', () => {
    for (const nothing of [null, undefined, {}]) expect(parseConfig(search, nothing)).toEqual({ ok: true, config: {} })
  })

  test("the tool's own settings are valid by its schema, with their defaults", () => {
    expect(parseConfig(withOwn, { default_limit: 5 })).toEqual({
      ok: true,
      config: { provider: 'brave', default_limit: 5 },
    })
    expect(errorsOf(withOwn, { provider: 'bing' })).toEqual(['provider: must be one of "brave", "tavily", got "bing".'])
    expect(errorsOf(withOwn, { colour: 'red' })[0]).toContain('colour: is not known here')
  })

  test('a key that the tool has in its own schema is its own', () => {
    expect(parseConfig(withOwn, { max_limit: 'many' }).ok).toBe(true)
    expect(errorsOf(withOwn, { max_limit: 3 })[0]).toContain('max_limit: must be string')
  })

  test.each<[unknown, string]>([
    [{ default_limit: 'many' }, 'default_limit: must be integer, got "many".'],
    [{ default_limit: 51 }, 'default_limit: must be <= 50, got 51.'],
    [{ fixed_inbox_id: 'nobody' }, 'fixed_inbox_id: must be in the format email, got "nobody".'],
    [{ max_limit: '30' }, 'max_limit: must be a number.'],
    [{ max_query: 3 }, 'max_query: query is not a number.'],
    [{ default_colour: 'red' }, 'default_colour: email.search has no such setting or argument.'],
    [{ limit: 20 }, 'limit: email.search has no such setting or argument.'],
    [{ default_limit: 20, max_limit: 10 }, 'default_limit: 20 is more than max_limit, which is 10.'],
    [
      { default_unread: true, fixed_unread: false },
      'fixed_unread: default_unread is given as well, and would never be used.',
    ],
    [JSON.parse('{"__proto__": 1}'), '__proto__: email.search has no such setting or argument.'],
    [{ default___proto__: 1 }, 'default___proto__: email.search has no such setting or argument.'],
    [{ default_constructor: 1 }, 'default_constructor: email.search has no such setting or argument.'],
    ['text', 'A configuration is an object.'],
    [[], 'A configuration is an object.'],
  ])('%j is refused, and the error names the key', (json, error) => {
    expect(errorsOf(search, json)).toEqual([error])
  })

  test('every error is listed', () => {
    expect(errorsOf(search, { default_limit: 'a', max_query: 1, colour: 1 })).toHaveLength(3)
  })
})

describe('applying a configuration', () => {
  test('a default fills in what the model left out, and nothing else', () => {
    expect(applyConfig(search, { default_limit: 20 }, { query: 'a' })).toEqual({ query: 'a', limit: 20 })
    expect(applyConfig(search, { default_limit: 20 }, { query: 'a', limit: 5 })).toEqual({ query: 'a', limit: 5 })
  })

  test("a cap lowers a number, also the schema's own default", () => {
    expect(applyConfig(search, { max_limit: 20 }, { query: 'a', limit: 50 })).toEqual({ query: 'a', limit: 20 })
    expect(applyConfig(search, { max_limit: 20 }, { query: 'a', limit: 5 })).toEqual({ query: 'a', limit: 5 })
    expect(applyConfig(search, { max_limit: 3 }, { query: 'a' })).toEqual({ query: 'a', limit: 3 })
    expect(applyConfig(search, { max_limit: 20 }, { query: 'a' })).toEqual({ query: 'a' })
  })

  test('what is fixed cannot be overridden', () => {
    expect(applyConfig(search, { fixed_inbox_id: 'a@b.c' }, { query: 'a', inbox_id: 'x@y.z' })).toEqual({
      query: 'a',
      inbox_id: 'a@b.c',
    })
    expect(applyConfig(search, { fixed_inbox_id: 'a@b.c' }, { query: 'a' })).toEqual({ query: 'a', inbox_id: 'a@b.c' })
  })

  test("a tool's own setting with such a name changes no argument", () => {
    expect(applyConfig(withOwn, { max_limit: '3' }, { limit: 50 })).toEqual({ limit: 50 })
  })

  test('arguments that are no object, and arguments that need nothing, come back as they are', () => {
    const args = { query: 'a', limit: 5 }
    expect(applyConfig(search, {}, args)).toBe(args)
    expect(applyConfig(search, { max_limit: 20, default_limit: 7 }, args)).toBe(args)
    for (const bad of [null, undefined, 'text', 42, [1]]) expect(applyConfig(search, { fixed_limit: 1 }, bad)).toBe(bad)
  })

  test('whatever the model says, a valid call stays valid, within the cap and with what is fixed', () => {
    const limit = fc.integer({ min: 1, max: 50 })
    const config = fc.record(
      { default_limit: limit, max_limit: limit, fixed_unread: fc.boolean() },
      { requiredKeys: [] },
    )
    const args = fc.record({ query: fc.string(), limit, unread: fc.boolean() }, { requiredKeys: ['query'] })
    fc.assert(
      fc.property(config, args, (json, call) => {
        const parsed = parseConfig(search, json)
        if (!parsed.ok) return
        const before = structuredClone(call)
        const validation = compileSchema(search.inputSchema).validate(applyConfig(search, parsed.config, call))
        expect(call).toEqual(before)
        const value = (validation as { value: { limit: number; unread?: boolean } }).value
        expect(value.limit).toBeLessThanOrEqual(json.max_limit ?? 50)
        if (json.fixed_unread !== undefined) expect(value.unread).toBe(json.fixed_unread)
      }),
    )
  })

  test('prototype keys among the arguments stay what they are', () => {
    const args = JSON.parse('{"__proto__": {"limit": 99}}')
    const applied = applyConfig(search, { default_limit: 20 }, args) as object
    expect(Object.keys(applied)).toEqual(['__proto__', 'limit'])
    expect(Object.getPrototypeOf(applied)).toBe(Object.prototype)
  })
})
