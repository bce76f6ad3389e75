import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson, digestOf } from './digest.ts'

const jsonObject = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString')),
  fc.jsonValue(),
)

it('is the same whatever the order of the keys', () => {
  fc.assert(
    fc.property(jsonObject, (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse())
      expect(canonicalJson(turned)).toBe(canonicalJson(value))
    }),
  )
})

it('is the same before and after a trip through the database', () => {
  fc.assert(
    fc.property(jsonObject, (value) => {
      expect(canonicalJson(JSON.parse(JSON.stringify(value)))).toBe(canonicalJson(value))
    }),
  )
  expect(canonicalJson({ a: undefined, b: [undefined, -0] })).toBe('{"b":[null,0]}')
})

it('differs where anything differs', () => {
  fc.assert(
    fc.property(jsonObject, jsonObject, (a, b) => {
      const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
      expect(digestOf('v', a, '/w') === digestOf('v', b, '/w')).toBe(same)
    }),
  )
  const one = digestOf('v1', { a: 1 }, '/work')
  expect(one).toMatch(/^[0-9a-f]{64}$/)
  for (const other of [
    digestOf('v2', { a: 1 }, '/work'),
    digestOf('v1', { a: '1' }, '/work'),
    digestOf('v1', { a: 1 }, '/other'),
    digestOf('v1', { a: 1 }, undefined),
  ]) {
    expect(other).not.toBe(one)
  }
})

it('does not let one part run into the next', () => {
  expect(digestOf('v","x', {}, 'y')).not.toBe(digestOf('v', {}, 'x","y'))
})

it('counts own keys only, and a key named __proto__ among them', () => {
  const inherited = Object.create({ admin: true })
  inherited.a = 1
  expect(canonicalJson(inherited)).toBe('{"a":1}')
  expect(canonicalJson(JSON.parse('{"__proto__":{"admin":true}}'))).toBe('{"__proto__":{"admin":true}}')
})

it('refuses what JSON cannot say', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol('x')]) {
    expect(() => canonicalJson({ value })).toThrow(TypeError)
  }
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [key, sorted(entry)])
}
