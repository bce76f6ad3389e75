import { describe, expect, test } from 'vitest'
import { processorMs } from '../testing/processor-time.ts'
import { compileCondition, compileConditions, type Reading } from './conditions.ts'
import { compileGlob } from './glob.ts'
import type { Condition } from './policy-config.ts'

const holds = (condition: Condition, args: unknown, reading: Reading = 'surely') =>
  compileCondition(condition, reading)(args)

describe('holds', () => {
  test.each<[Condition, unknown]>([
    [{ path: 'a', equals: 1 }, { a: 1 }],
    [{ path: 'a', equals: null }, { a: null }],
    [{ path: 'a', equals: { x: [1, { y: 2 }] } }, { a: { x: [1, { y: 2 }] } }],
    [{ path: 'headers.accept', equals: 'x' }, { headers: { accept: 'x' } }],
    [{ path: 'files.1', equals: 'b' }, { files: ['a', 'b'] }],
    [{ path: 'a', oneOf: ['x', 'y'] }, { a: 'y' }],
    [{ path: 'a', glob: '*.md' }, { a: 'notes/x.md' }],
    [{ path: 'a', glob: '*.md' }, { a: ['x.md', 'y.md'] }],
    [{ path: 'a', max: 10 }, { a: 10 }],
    [{ path: 'a', present: true }, { a: null }],
    [{ path: 'a', present: false }, {}],
    [{ path: 'a', not: { path: 'a', equals: 1 } }, {}],
    [{ path: 'a', not: { path: 'a', equals: 1 } }, { a: 2 }],
    [{ path: 'u', host: ['example.com'] }, { u: 'https://example.com:8443/x?y' }],
    [{ path: 'u', host: ['example.com'] }, { u: 'HTTPS://EXAMPLE.COM./' }],
    [{ path: 'u', host: ['*.example.com'] }, { u: 'https://a.b.example.com' }],
    [{ path: 'u', host: ['münchen.de'] }, { u: 'https://xn--mnchen-3ya.de/' }],
    [{ path: 'u', host: ['127.0.0.1'] }, { u: 'http://0x7f.1/' }],
    [{ path: 'p', under: ['src'] }, { p: 'src/a.ts' }],
    [{ path: 'p', under: ['src/'] }, { p: './src//a/../b.ts' }],
    [{ path: 'p', under: ['/data'] }, { p: '/data/x' }],
    [{ path: 'p', under: ['.'] }, { p: 'a/b' }],
    [{ path: 'command', command: 'git status*' }, { command: 'git status' }],
    [{ path: 'command', command: 'git status*' }, { command: ['git', 'status'] }],
    [
      { path: 'command', command: 'git status*' },
      { command: 'git', args: ['status'] },
    ],
  ])('%j of %j', (condition, args) => {
    expect(holds(condition, args)).toBe(true)
  })
})

describe('does not hold', () => {
  test.each<[Condition, unknown]>([
    [{ path: 'a', equals: 1 }, {}],
    [{ path: 'a', equals: 1 }, { a: '1' }],
    [{ path: 'a', equals: undefined }, {}],
    [{ path: 'a', equals: [1] }, { a: { 0: 1 } }],
    [{ path: 'a', equals: { x: 1 } }, { a: { x: 1, y: 2 } }],
    [{ path: 'a.b', equals: 1 }, { a: 'b' }],
    [{ path: 'a', equals: 1 }, null],
    [{ path: 'a', equals: 1 }, 'a'],
    [{ path: 'constructor.name', equals: 'Object' }, {}],
    [{ path: '__proto__', present: true }, {}],
    [{ path: 'toString', present: true }, {}],
    [{ path: 'a.length', equals: 2 }, { a: [1, 2] }],
    [{ path: 'a', oneOf: [] }, { a: 1 }],
    [{ path: 'a', glob: '*' }, { a: 7 }],
    [{ path: 'a', glob: '*.md' }, { a: ['x.md', 'y.sh'] }],
    [{ path: 'a', glob: '*' }, { a: [] }],
    [{ path: 'a', max: 10 }, { a: 11 }],
    [{ path: 'a', max: 10 }, { a: '5' }],
    [{ path: 'a', max: 10 }, { a: Number.NaN }],
    [{ path: 'a', present: true }, {}],
    [{ path: 'a', not: { path: 'a', equals: 1 } }, { a: 1 }],
    [{ path: 'u', host: ['example.com'] }, { u: 'https://example.com.evil.org/' }],
    [{ path: 'u', host: ['example.com'] }, { u: 'https://example.com@evil.org/' }],
    [{ path: 'u', host: ['example.com'] }, { u: 'https://evil.org\\@example.com/' }],
    [{ path: 'u', host: ['example.com'] }, { u: 'https://sub.example.com/' }],
    [{ path: 'u', host: ['*.example.com'] }, { u: 'https://example.com/' }],
    [{ path: 'u', host: ['*.example.com'] }, { u: 'https://notexample.com/' }],
    [{ path: 'u', host: ['example.com'] }, { u: 'example.com' }],
    [{ path: 'u', host: ['example.com'] }, { u: 'data:text/plain,example.com' }],
    [{ path: 'p', under: ['src'] }, { p: 'src/../secret' }],
    [{ path: 'p', under: ['src'] }, { p: 'srcx/a' }],
    [{ path: 'p', under: ['src'] }, { p: '/src/a' }],
    [{ path: 'p', under: ['.'] }, { p: '../x' }],
    [{ path: 'p', under: ['/data'] }, { p: '/data/../etc/passwd' }],
    [{ path: 'p', under: ['/'] }, { p: '../../etc' }],
    [{ path: 'p', under: ['.'] }, { p: '~/x' }],
    [{ path: 'p', under: ['src'] }, { p: 'src/a\0b' }],
    [{ path: 'p', under: ['src'] }, { p: 'src\\..\\x' }],
    [
      { path: 'command', command: 'git status*' },
      { command: 'git', args: 'status' },
    ],
    [{ path: 'command', command: 'git status*' }, { command: 7 }],
    [{ path: 'command', command: 'git status*' }, { command: ['git', 'status', '$(rm x)'] }],
  ])('%j of %j', (condition, args) => {
    expect(holds(condition, args)).toBe(false)
  })
})

describe('what is unclear', () => {
  test.each<[Condition, unknown]>([
    [{ path: 'u', host: ['example.com'] }, { u: 'https://exa mple' }],
    [{ path: 'u', host: ['example.com'] }, { u: 'example.com/x' }],
    [{ path: 'p', under: ['secrets'] }, { p: '/work/secrets/x' }],
    [{ path: 'p', under: ['/work/secrets'] }, { p: 'secrets/x' }],
    [{ path: 'p', under: ['/etc'] }, { p: '../../../etc/passwd' }],
    [{ path: 'a', glob: '*.env' }, { a: ['x.md', 'y.env'] }],
    [{ path: 'command', command: 'rm *' }, { command: 'sudo rm x' }],
    [{ path: 'command', command: 'rm *' }, { command: 7 }],
    [
      { path: 'command', command: 'rm *' },
      { command: 'sh', args: ['-c', 'rm x'] },
    ],
  ])('%j of %j holds for a deny, and does not for an allow; turned round by not', (condition, args) => {
    expect(holds(condition, args, 'possibly')).toBe(true)
    expect(holds(condition, args, 'surely')).toBe(false)
    const not: Condition = { path: condition.path, not: condition }
    expect(holds(not, args, 'possibly')).toBe(true)
    expect(holds(not, args, 'surely')).toBe(false)
  })
  test('a deny of a folder leaves alone what is plainly elsewhere', () => {
    for (const p of ['src/a', '/work/src/a', 'a/secretsx', 'my/secret'])
      expect(holds({ path: 'p', under: ['secrets'] }, { p }, 'possibly')).toBe(false)
  })
})

test('several conditions must all hold, and none hold for every call', () => {
  const both = compileConditions(
    [
      { path: 'a', equals: 1 },
      { path: 'b', equals: 2 },
    ],
    'surely',
  )!
  expect(both({ a: 1, b: 2 })).toBe(true)
  expect(both({ a: 1 })).toBe(false)
  expect(compileConditions([], 'surely')).toBeNull()
})

test.each([
  [{ path: '', equals: 1 }, 'names the argument'],
  [{ path: 'a..b', equals: 1 }, 'has an empty part'],
  [{ path: 'a' }, 'a condition says one of'],
  [{ path: 'a', host: ['exa mple'] }, 'is not a host'],
  [{ path: 'a', host: ['*.'] }, 'is not a host'],
  [{ path: 'a', host: ['https://x'] }, 'is not a host'],
  [{ path: 'a', host: ['a*b.com'] }, 'is not a host'],
  [{ path: 'a', command: 'a; b' }, 'the command pattern'],
])('%j is a clear error', (condition, message) => {
  expect(() => compileCondition(condition as Condition, 'surely')).toThrow(message)
})

test('globs are anchored, and evil ones end soon', () => {
  expect(compileGlob('a*b*c')('a-b-c')).toBe(true)
  expect(compileGlob('a*b*c')('a-c-b')).toBe(false)
  expect(compileGlob('ab*ba')('aba')).toBe(false)
  expect(compileGlob('*')('')).toBe(true)
  expect(compileGlob('')('')).toBe(true)
  expect(compileGlob('a.c')('abc')).toBe(false)
  const glob = compileGlob(`${'a*'.repeat(100)}b`)
  expect(processorMs(() => void glob('a'.repeat(1_000_000)))).toBeLessThan(500)
})
