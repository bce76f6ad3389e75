import { describeBuiltinTools } from '@quartermaster/tools'
import { describe, expect, test } from 'vitest'
import { mistakesBelow, mistakesOf, mistakesOfText, pointerTo } from './mistakes.ts'
import { chooseAlternative, describeLimits, follow, type Schema, schemaOfExtra, shapeOf, startValue } from './shape.ts'

const kind = (schema: Schema) => shapeOf(schema, schema).kind

describe('what a schema is asked for as', () => {
  test('each plain kind of value is a field of its own', () => {
    expect(
      [
        { type: 'string' },
        { type: 'integer' },
        { type: 'number' },
        { type: 'boolean' },
        { enum: ['a', 'b'] },
        { const: 'a' },
        { type: 'array', items: { type: 'string' } },
        { type: 'object', properties: {} },
        { oneOf: [{ type: 'string' }, { type: 'number' }] },
        { type: ['string', 'null'] },
      ].map(kind),
    ).toEqual('text number number boolean choice constant list object alternatives alternatives'.split(' '))
  })

  test('what no field can express is asked for as JSON, also a schema that refers to itself without end', () => {
    const endless = { $ref: '#' }
    expect(
      [{}, { not: {} }, { type: 'array', prefixItems: [{}] }, { allOf: [{ anyOf: [] }] }, endless].map(kind),
    ).toEqual(Array(5).fill('json'))
  })

  test('a reference within the document is followed, with what stands beside it', () => {
    const root = { $defs: { 'a/b': { type: 'string' } }, type: 'object' }
    expect(follow({ $ref: '#/$defs/a~1b', description: 'Own' }, root)).toEqual({ type: 'string', description: 'Own' })
  })

  test('every builtin tool’s arguments and configuration are fields, and none is plain JSON at the top', () => {
    for (const { name, inputSchema, configSchema } of describeBuiltinTools())
      for (const schema of [inputSchema, configSchema ?? inputSchema])
        expect([name, shapeOf(schema as Schema, schema as Schema).kind]).toEqual([name, 'object'])
  })
})

describe('what a form begins with', () => {
  test('only what is required and certain; defaults are left to the server', () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { const: 'x' },
        text: { type: 'string' },
        path: { type: 'string', minLength: 1 },
        flag: { type: 'boolean', default: false },
        more: { type: 'string' },
      },
      required: ['kind', 'text', 'path', 'flag'],
    }
    expect(startValue(schema, schema)).toEqual({ kind: 'x', text: '' })
  })

  test('the alternative that a value does not contradict', () => {
    const alternatives = [
      { type: 'object', properties: { kind: { const: 'a' } }, required: ['kind'] },
      { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
      { type: 'null' },
    ]
    expect([{ kind: 'b' }, null, { kind: 'a' }, 7].map((value) => chooseAlternative(alternatives, value, {}))).toEqual([
      1, 2, 0, 0,
    ])
  })

  test('keys of one’s own are offered where the schema takes them, and only there', () => {
    const extra = (schema: Schema) => schemaOfExtra(schema, schema)
    expect(extra({ type: 'object', additionalProperties: { type: 'string' } })).toEqual({ type: 'string' })
    expect(extra({ type: 'object', patternProperties: { '^x': { type: 'number' } } })).toEqual({ type: 'number' })
    expect(extra({ type: 'object', properties: {}, additionalProperties: false })).toBeNull()
  })

  test('limits are said in words', () => {
    expect(describeLimits({ minimum: 1, maximum: 5000 })).toBe('1 to 5,000')
    expect(describeLimits({ minLength: 1, maxLength: 200 })).toBe('at most 200 characters')
  })
})

describe('mistakes', () => {
  test('the server’s paths become pointers, quoted keys and dots within them included', () => {
    expect(
      mistakesOf([
        { path: '', message: 'is wrong' },
        { path: 'files.0.name', message: 'is required and missing' },
        { path: 'headers."X.Y/Z"', message: 'must be string, got 7' },
      ]),
    ).toEqual({
      '': 'Is wrong.',
      '/files/0/name': 'Is required and missing.',
      '/headers/X.Y~1Z': 'Must be string, got 7.',
    })
  })

  test('the sentence that lists them is read as well', () => {
    const text =
      'The arguments do not fit the schema; there are 2 violations:\n- path: is required and missing\n- a.0: must be "x", got 1'
    expect(mistakesOfText(text)).toEqual({ '/path': 'Is required and missing.', '/a/0': 'Must be "x", got 1.' })
  })

  test('a place knows its own and those below it, and not those of a namesake', () => {
    expect(mistakesBelow({ '/a': '1', '/a/b': '2', '/ab': '3' }, pointerTo('', 'a'))).toEqual([
      ['/a', '1'],
      ['/a/b', '2'],
    ])
  })
})
