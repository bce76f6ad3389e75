import fc from 'fast-check'
import { expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { problemOfJson } from './measure-json.ts'

it('accepts every JSON of an ordinary size', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      fc.pre(!JSON.stringify(value).includes('"__proto__"'))
      expect(problemOfJson(value, 1_000_000)).toBeNull()
    }),
  )
})

it('refuses what is larger than the limit, wherever the bytes are', () => {
  const large = 'x'.repeat(2_000)
  for (const value of [large, [large], { a: { b: large } }, { [large]: 1 }, Array(2_000).fill(0), 'é'.repeat(600)]) {
    expect(problemOfJson(value, 1_000)).toBe('larger than 1,000 bytes')
  }
  expect(problemOfJson('x'.repeat(900), 1_000)).toBeNull()
})

it('ends on cycles, bottomless nesting and endless arrays', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  for (const value of [cycle, deep])
    expect(problemOfJson(value, 1e9)).toBe(`nested more than ${limits.jsonDepth} levels deep`)
  expect(problemOfJson(new Array(4_000_000_000), 1_000)).toContain('larger')
})

it('refuses what is no JSON, and keys that change prototypes', () => {
  for (const value of [Number.NaN, 1n, () => 1, Symbol('x'), new Date(), new Map()]) {
    expect(problemOfJson({ value }, 1_000)).toMatch(/^not JSON/)
  }
  expect(problemOfJson(JSON.parse('{"a":{"__proto__":1}}'), 1_000)).toContain('__proto__')
  expect(problemOfJson(JSON.parse('{"constructor":{"prototype":1}}'), 1_000)).toBeNull()
  expect(problemOfJson(Object.create(null), 1_000)).toBeNull()
})
