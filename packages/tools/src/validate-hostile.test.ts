// Schemas and values that were made to hang, crash or fool the validator.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { JSONSchema } from './contract.ts'
import { limits } from './limits.ts'
import { processorMs } from './testing/processor-time.ts'
import { compileSchema, SchemaProblem, type Violation } from './validate.ts'

const check = (schema: JSONSchema, value: unknown) => compileSchema(schema).validate(value)

function violationsOf(schema: JSONSchema, value: unknown): Violation[] {
  const validation = check(schema, value)
  return validation.ok ? [] : validation.violations
}

/** Generous: what it excludes is minutes. */
function inTime<Result>(work: () => Result, ms = 3_000): Result {
  let result: Result | undefined
  const used = processorMs(() => {
    result = work()
  })
  expect(used).toBeLessThan(ms)
  return result as Result
}

describe('hostile schemas', () => {
  const nested = (levels: number) => {
    let schema: JSONSchema = { type: 'string' }
    for (let level = 0; level < levels; level++) schema = { properties: { a: schema } }
    return schema
  }
  const circular: Record<string, unknown> = { type: 'object' }
  circular.properties = { self: circular }

  test.each<[string, JSONSchema, string]>([
    ['nested 100,000 levels deep', nested(100_000), 'nested deeper than'],
    ['an object that contains itself', circular, 'contains itself'],
    ['an enum of 20,000', { enum: Array.from({ length: 20_000 }, (_, index) => index) }, 'has 20000 values'],
    ['megabytes', { description: 'x'.repeat(600_000) }, 'the limit is'],
    [
      'thousands of subschemas',
      { allOf: Array.from({ length: 6_000 }, () => ({ type: 'string' })) },
      'more than 2000 subschemas',
    ],
    ['a reference to another server', { $ref: 'https://evil.test/schema.json' }, 'nothing is ever fetched'],
    ['a reference to a file', { $ref: 'file:///etc/passwd' }, 'nothing is ever fetched'],
    ['a reference to nowhere', { $ref: '#/$defs/gone' }, 'nothing is ever fetched'],
    ['a reference to itself', { $ref: '#' }, 'refers to itself without end'],
    [
      'a ring of references',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
      'refers to itself without end',
    ],
    [
      'a pattern that looks ahead',
      { properties: { a: { pattern: '^(?!x)' } } },
      'The schema at /properties/a/pattern: The pattern "^(?!x)" cannot be used: it looks ahead',
    ],
    ['a pattern that refers back', { patternProperties: { '(a)\\1': true } }, 'refers back'],
    ['a keyword with a wrong value', { type: 'text' }, 'The schema at /type is wrong'],
    ['a property that is no schema', { properties: { a: 1 } }, '/properties/a must be a schema'],
    ['required that is no list', { required: 'a' }, 'The schema at /required is wrong'],
    ['a default with a prototype', { default: JSON.parse('{"a":{"__proto__":{"admin":true}}}') }, '__proto__'],
    [
      'two schemas with one anchor',
      { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x', type: 'null' } } },
      'more than one schema',
    ],
    [
      'several dynamic anchors of one name',
      { $dynamicRef: '#x', $defs: { a: { $id: 'a', $dynamicAnchor: 'x' }, b: { $dynamicAnchor: 'x' } } },
      'several $dynamicAnchor',
    ],
    ['nothing', null as unknown as JSONSchema, 'A schema is an object'],
    [
      'a reference into data',
      { $ref: '#/const/a', const: { a: { allOf: [{ $ref: '#/const/a' }] } } },
      'not the place of a schema',
    ],
    [
      'a reference into a keyword of their own',
      { $ref: '#/x-defs/a', 'x-defs': { a: { $ref: '#/x-defs/a' } } },
      'not the place of a schema',
    ],
    ['a reference into data, in disguise', { $ref: '#/%63onst/a', const: { a: {} } }, 'not the place of a schema'],
    [
      'an anchor in a keyword of their own',
      { $ref: '#evil', 'x-defs': { $anchor: 'evil' } },
      'nothing is ever fetched',
    ],
    [
      'an address in examples',
      { $ref: 'https://x.test/a', examples: [{ $id: 'https://x.test/a' }] },
      'nothing is ever fetched',
    ],
    ['a list', [] as unknown as JSONSchema, 'A schema is an object'],
  ])('%s is refused when it is compiled, in words', (_name, schema, reason) => {
    const error = inTime(() => {
      try {
        compileSchema(schema)
      } catch (thrown) {
        return thrown as Error
      }
    })
    expect(error).toBeInstanceOf(SchemaProblem)
    expect(error?.message).toContain(reason)
  })

  test('what is recursive and goes deeper is accepted', () => {
    const tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } } },
      additionalProperties: false,
    }
    expect(check(tree, { children: [{ children: [] }, {}] }).ok).toBe(true)
    expect(violationsOf(tree, { children: [{ child: [] }] })[0]?.path).toBe('children.0.child')
  })

  test('properties called like keywords can be referred to', () => {
    const schema = {
      properties: {
        const: { properties: { default: { type: 'string' } } },
        b: { $ref: '#/properties/const/properties/default' },
      },
    }
    expect([check(schema, { b: 'a' }).ok, check(schema, { b: 1 }).ok]).toEqual([true, false])
  })

  test('draft-07, which most MCP servers declare, is read with its tuples and definitions', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { pair: { items: [{ type: 'string' }, { $ref: '#/definitions/n' }], additionalItems: false } },
      definitions: { n: { type: 'number' } },
    }
    expect(check(schema, { pair: ['a', 1] }).ok).toBe(true)
    expect(check(schema, { pair: ['a', 'b'] }).ok).toBe(false)
    expect(check(schema, { pair: ['a', 1, 2] }).ok).toBe(false)
  })

  test('$async does not turn every check into a promise, which would count as true', () => {
    expect(check({ $async: true, type: 'object' }, 'text').ok).toBe(false)
  })

  test('a schema cannot give itself more steps', () => {
    expect(check({ 'x-steps': -1e12, type: 'string' }, 'a').ok).toBe(true)
    expect(check({ 'x-steps': 'evil', type: 'string' }, 1).ok).toBe(false)
  })

  test('a schema at the limits compiles and checks in bounded time', () => {
    const properties = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string', minLength: 1 }]))
    const closed = { type: 'object', properties: properties(1_900), additionalProperties: false }
    const unevaluated = { properties: properties(450), unevaluatedProperties: false, anyOf: [{ required: ['p1'] }] }
    inTime(() => expect(check(closed, { p1: 'a' }).ok).toBe(true))
    inTime(() => expect(check(unevaluated, { p1: 'a' }).ok).toBe(true))
    expect(() => compileSchema({ ...unevaluated, properties: properties(600) })).toThrow('at most 500 subschemas')
  })
})

describe('work that would never end', () => {
  const doubling = (levels: number) => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let level = 1; level <= levels; level++)
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] }
    return { properties: { a: { $ref: `#/$defs/d${levels}` } }, $defs }
  }
  const branching = {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        anyOf: [1, 2, 3].map((kind) => ({
          properties: { next: { $ref: '#/$defs/node' }, kind: { const: kind } },
          required: ['kind'],
        })),
      },
    },
  }
  const chain = (levels: number) => {
    let value: Record<string, unknown> = { kind: 9 }
    for (let level = 0; level < levels; level++) value = { next: value, kind: 9 }
    return value
  }

  test.each<[string, JSONSchema, unknown]>([
    ['allOf of allOf, 2⁴⁰ ways', doubling(40), { a: 'x' }],
    ['a recursive anyOf, 3⁴⁰ ways', branching, chain(40)],
    [
      'an enum of 9,000 objects over a list of 100,000',
      { items: { enum: Array.from({ length: 9_000 }, (_, id) => ({ id })) } },
      Array(100_000).fill({ id: -1 }),
    ],
    [
      'nine hundred conditions over a list of 100,000',
      { items: { allOf: Array.from({ length: 900 }, (_, n) => ({ not: { const: n } })) } },
      Array(100_000).fill('a'),
    ],
    [
      'a heavy pattern over megabytes',
      { items: { pattern: '^[\\s\\S]{1,1000}x$' } },
      Array(10).fill('a'.repeat(400_000)),
    ],
    ['a format with long texts', { items: { format: 'uri' } }, Array(500).fill(`http://1:${'1:'.repeat(4_000)}`)],
    [
      'lengths of a long text, a thousand times',
      { allOf: Array.from({ length: 1_000 }, (_, n) => ({ maxLength: 5_000_000 + n })) },
      'é'.repeat(4_000_000),
    ],
  ])('%s ends in a refusal', (_name, schema, value) => {
    const compiled = compileSchema(schema)
    const validation = inTime(() => compiled.validate(value), 10_000)
    expect(validation.ok).toBe(false)
  })

  test('uniqueItems over 100,000 objects is one pass, and right', () => {
    const items = Array.from({ length: 100_000 }, (_, id) => ({ id, tags: ['a'] }))
    inTime(() => expect(check({ uniqueItems: true }, items).ok).toBe(true))
    expect(check({ uniqueItems: true }, [...items, { tags: ['a'], id: 5 }]).ok).toBe(false)
    expect(check({ uniqueItems: true }, [1, '1', [1], ['1'], null, 'null', true, 'true', {}, []]).ok).toBe(true)
    expect(check({ uniqueItems: true }, [[['a', 1]], { a: 1 }]).ok).toBe(true)
  })

  test('a million violations are not collected', () => {
    const compiled = compileSchema({ items: { type: 'string' } })
    const validation = inTime(() => compiled.validate(Array(1_000_000).fill(1)))
    expect(validation.ok ? 0 : validation.violations.length).toBeLessThan(2 * limits.violationsCollected)
  })

  test('the same schema is healthy afterwards', () => {
    const compiled = compileSchema(doubling(40))
    compiled.validate({ a: 'x' })
    expect(compiled.validate({}).ok).toBe(true)
  })

  test('what is large but simple is checked and accepted', () => {
    const compiled = compileSchema({
      items: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    })
    expect(compiled.validate(Array.from({ length: 300_000 }, (_, a) => ({ a }))).ok).toBe(true)
  })
})

describe('values out of JSON that JavaScript trips over', () => {
  afterEach(() => expect(({} as Record<string, unknown>).polluted).toBeUndefined())

  test('100,000 levels of nesting are refused, with and without a recursive schema', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 100_000; level++) deep = level % 2 ? [deep] : { a: deep }
    for (const schema of [
      { type: 'object' },
      { properties: { a: { $ref: '#' } }, items: { $ref: '#' } },
      { default: 1 },
    ])
      expect(violationsOf(schema, { a: deep })).toEqual([
        { path: '', message: expect.stringContaining('nested deeper') },
      ])
  })

  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    '%s is a property like any other',
    (name) => {
      const value = JSON.parse(`{"${name}": {"polluted": true}}`)
      expect(check({ additionalProperties: false }, value).ok).toBe(false)
      expect(check({ required: [name] }, {}).ok).toBe(false)
      expect(check({ required: [name] }, value).ok).toBe(true)
      const schema = JSON.parse(`{"properties": {"${name}": {"type": "string"}}, "additionalProperties": false}`)
      expect(violationsOf(schema, value)[0]?.path).toBe(name)
      expect(check(schema, JSON.parse(`{"${name}": "a"}`)).ok).toBe(true)
      expect(check(schema, {}).ok).toBe(true)
      const withDefault = JSON.parse(
        `{"properties": {"${name}": {"default": {"polluted": true}}, "b": {"default": 1}}}`,
      )
      const filled = check(withDefault, value) as { value: object }
      expect(Object.getPrototypeOf(filled.value)).toBe(Object.prototype)
      expect(Object.keys(filled.value)).toEqual([name, 'b'])
      expect(Object.getPrototypeOf((check(withDefault, {}) as { value: object }).value)).toBe(Object.prototype)
    },
  )
})

test('control: Ajv alone falls for each of these', () => {
  const ajv = () => new Ajv2020({ strict: false, useDefaults: true, validateSchema: false })
  const rejects = ajv().compile({ $async: true, type: 'object' })('text') as unknown as Promise<unknown>
  expect(rejects).toBeInstanceOf(Promise)
  rejects.catch(() => {})
  expect(ajv().compile({ required: ['constructor'] })({})).toBe(true)
  const filled: { a?: { admin?: boolean } } = {}
  ajv().compile({ properties: { a: { default: JSON.parse('{"__proto__": {"admin": true}}') } } })(filled)
  expect(filled.a?.admin).toBe(true)
  let steps = 0
  const counting = ajv()
  counting.addKeyword({ keyword: 'count', validate: () => ++steps > 0 })
  counting.compile({
    $ref: '#/$defs/d12',
    $defs: Object.fromEntries(
      Array.from({ length: 13 }, (_, level) => [
        `d${level}`,
        level === 0
          ? { count: true }
          : { allOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] },
      ]),
    ),
  })('x')
  expect(steps).toBe(2 ** 12)
})

test('whatever schema is accepted can be used: no value makes it throw', () => {
  const { schema } = fc.letrec<{ schema: JSONSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.boolean(),
      fc.record(
        {
          type: fc.constantFrom('object', 'array', 'string', 'integer', ['string', 'null']),
          enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 }),
          default: fc.jsonValue({ maxDepth: 1 }),
          pattern: fc.constantFrom('^a', '[', '(?=x)', '\\d+'),
          format: fc.constantFrom('date', 'uri', 'unknown'),
          required: fc.array(fc.constantFrom('a', 'b', '__proto__'), { maxLength: 2 }),
          nullable: fc.boolean(),
          id: fc.constant('x'),
          $id: fc.constantFrom('https://x.test/a', '#bad'),
          $ref: fc.constantFrom('#', '#/$defs/a', '#/properties/a'),
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), tie('schema'), { maxKeys: 2 }),
          $defs: fc.dictionary(fc.constant('a'), tie('schema'), { maxKeys: 1 }),
          anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          if: tie('schema'),
          items: tie('schema'),
          contains: tie('schema'),
          unevaluatedProperties: tie('schema'),
          unevaluatedItems: tie('schema'),
          not: tie('schema'),
          uniqueItems: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    ),
  }))
  let usable = 0
  fc.assert(
    fc.property(
      schema,
      fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 3, maxLength: 3 }),
      (candidate, values) => {
        let compiled: ReturnType<typeof compileSchema>
        try {
          compiled = compileSchema(candidate)
        } catch (error) {
          expect(error).toBeInstanceOf(SchemaProblem)
          return
        }
        usable += 1
        for (const value of [{}, [], ...values]) {
          const validation = compiled.validate(value)
          if (!validation.ok) {
            expect(validation.violations.length).toBeGreaterThan(0)
            expect(validation.violations[0]?.message).not.toContain('cannot be compiled')
          }
        }
      },
    ),
    { numRuns: 400 },
  )
  expect(usable).toBeGreaterThan(100)
})
