import { describe, expect, test } from 'vitest'
import type { JSONSchema } from './contract.ts'
import { limits } from './limits.ts'
import { compileSchema, describeViolations, type Violation } from './validate.ts'

const check = (schema: JSONSchema, value: unknown) => compileSchema(schema).validate(value)

function violationsOf(schema: JSONSchema, value: unknown): Violation[] {
  const validation = check(schema, value)
  return validation.ok ? [] : validation.violations
}

const mail = {
  type: 'object',
  properties: {
    to: { type: 'array', items: { type: 'string', format: 'email' }, minItems: 1 },
    subject: { type: 'string', maxLength: 5 },
    priority: { enum: ['low', 'high'], default: 'low' },
    options: { type: 'object', properties: { copies: { type: 'integer', default: 1 } }, default: {} },
  },
  required: ['to', 'subject'],
  additionalProperties: false,
} as const

describe('what is found', () => {
  test('every violation is listed, with its path, what was expected and what was there', () => {
    expect(
      violationsOf(mail, { to: ['a@b.c', 'nobody'], subject: 'too long', priority: 'mid', colour: 'red' }),
    ).toEqual([
      { path: 'colour', message: 'is not known here; known are to, subject, priority, options' },
      { path: 'to.1', message: 'must be in the format email, got "nobody"' },
      { path: 'subject', message: 'must have at most 5 characters, has 8' },
      { path: 'priority', message: 'must be one of "low", "high", got "mid"' },
    ])
    expect(violationsOf(mail, {})).toContainEqual({ path: 'to', message: 'is required and missing' })
  })

  test('valid arguments are accepted', () => {
    expect(check(mail, { to: ['a@b.c'], subject: 'Hi' })).toMatchObject({ ok: true })
  })

  test.each([
    [{ type: 'integer' }, '1', 'must be integer, got "1"'],
    [{ type: ['string', 'null'] }, 1, 'must be string or null, got 1'],
    [{ const: 'a' }, 'b', 'must be "a", got "b"'],
    [{ minimum: 3 }, 1, 'must be >= 3, got 1'],
    [{ multipleOf: 2 }, 3, 'must be a multiple of 2, got 3'],
    [{ minItems: 2 }, [1], 'must have at least 2 items, has 1'],
    [{ maxProperties: 0 }, { a: 1 }, 'must have at most 0 properties, has 1'],
    [{ pattern: '^a$' }, 'b', 'must match the pattern ^a$, got "b"'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'must not have the same item twice',
    ],
    [{ not: { type: 'string' } }, 'a', 'must not be "a"'],
    [false, 1, 'is not accepted'],
    [{ oneOf: [true, true] }, 1, 'fits more than one of the alternatives, must fit exactly one'],
    [{ type: 'string' }, { a: 1 }, 'must be string, got an object'],
    [{ const: 1 }, 'y'.repeat(70), `must be 1, got "${'y'.repeat(60)}"… (70 characters)`],
  ] as [JSONSchema, unknown, string][])('%j says of %j: %s', (schema, value, message) => {
    expect(violationsOf(schema, value)).toEqual([{ path: '', message }])
  })

  test('nothing is coerced', () => {
    expect(check({ type: 'number' }, '1').ok).toBe(false)
    expect(check({ type: 'boolean' }, 'true').ok).toBe(false)
    expect(check({ type: 'array' }, 'a').ok).toBe(false)
  })

  test('a key that is not a plain word is quoted in the path', () => {
    const schema = { additionalProperties: { type: 'number' } }
    expect(violationsOf(schema, { 'a.b/c~d': 'x' })[0]?.path).toBe('"a.b/c~d"')
  })

  test('the sentence for the model lists as many as the limit, and counts the rest', () => {
    const many = Array.from({ length: 70 }, (_, index) => ({ path: `a.${index}`, message: 'is wrong' }))
    const lines = describeViolations(many).split('\n')
    expect(lines).toHaveLength(1 + limits.violationsListed + 1)
    expect(lines[0]).toContain('70 violations')
    expect(lines.at(-1)).toBe('- and 20 more')
    expect(describeViolations([{ path: '', message: 'must be object, got 1' }])).toContain(
      'the arguments: must be object',
    )
  })

  test('a format that is not known is no reason to refuse, one that is known is', () => {
    expect(check({ format: 'favourite-colour' }, 'x').ok).toBe(true)
    expect(check({ format: 'date' }, '2026-02-30').ok).toBe(false)
    expect(check({ format: 'url' }, 'http://localhost:3000/x').ok).toBe(true)
    expect(check({ format: 'url' }, 'javascript:alert(1)').ok).toBe(false)
    expect(check({ format: 'byte' }, 'QUJD'.repeat(500_000)).ok).toBe(true)
    expect(check({ format: 'byte' }, 'QUJ').ok).toBe(false)
  })
})

describe('defaults', () => {
  test('are filled in, and the object of the caller stays as it was', () => {
    const args = { to: ['a@b.c'], subject: 'Hi', options: {} }
    const before = structuredClone(args)
    expect(check(mail, args)).toEqual({ ok: true, value: { ...args, priority: 'low', options: { copies: 1 } } })
    expect(args).toEqual(before)
  })

  test('are a new object for each call', () => {
    const schema = { type: 'object', properties: { list: { default: [] as string[] } } }
    const first = check(schema, {}) as { value: { list: string[] } }
    first.value.list.push('mine')
    expect(check(schema, {})).toEqual({ ok: true, value: { list: [] } })
  })

  test('do not hide an argument that was given as null or false', () => {
    expect(check({ properties: { a: { default: 1 } } }, { a: null })).toEqual({ ok: true, value: { a: null } })
  })

  test('a schema without any returns the very object it was given', () => {
    const args = { a: 1 }
    expect(check({ properties: { a: { type: 'number' } } }, args)).toEqual({ ok: true, value: args })
    expect((check({ type: 'object' }, args) as { value: unknown }).value).toBe(args)
  })
})

describe('caching', () => {
  test('a schema is compiled once for each object, and once for equal ones', () => {
    const schema = { type: 'object', title: 'cached' }
    expect(compileSchema(schema)).toBe(compileSchema(schema))
    expect(compileSchema({ type: 'object', title: 'cached' })).toBe(compileSchema(schema))
    expect(compileSchema({ type: 'object', title: 'other' })).not.toBe(compileSchema(schema))
  })

  test('a schema changed after it was compiled changes nothing', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const compiled = compileSchema(schema)
    schema.properties.a.type = 'number'
    expect(compiled.validate({ a: 'x' }).ok).toBe(true)
  })

  test('the same $id in two schemas is two schemas', () => {
    const one = { $id: 'https://x.test/args', properties: { a: { type: 'string' } }, $defs: { d: { $id: 'inner' } } }
    const two = {
      $id: 'https://x.test/args',
      properties: { a: { type: 'number' } },
      $defs: { d: { $id: 'inner', title: 'x' } },
    }
    expect([check(one, { a: 'x' }).ok, check(two, { a: 'x' }).ok, check(two, { a: 1 }).ok]).toEqual([true, false, true])
  })
})
