import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyAlias } from './aliases.ts'
import { aliasesOf, aliasRank, builtinAliases } from './builtin-aliases.ts'
import type { Alias } from './contract.ts'
import { isCanonicalName } from './names.ts'
import { matchesTool } from './policy/pattern.ts'

const edit = aliasesOf('file.edit')[0]!
const given = (alias: Alias, args: unknown) => applyAlias(alias, args)

describe('applying an alias', () => {
  test('renames what it maps and keeps the rest', () => {
    expect(given(edit, { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: true })).toEqual({
      ok: true,
      arguments: { path: 'a', search: 'b', replace: 'c', replace_all: true },
    })
  })

  test('our own names work too, but not both at once', () => {
    expect(given(edit, { path: 'a' })).toEqual({ ok: true, arguments: { path: 'a' } })
    for (const both of [
      { file_path: 'a', path: 'a' },
      { path: 'a', file_path: 'b' },
    ])
      expect(given(edit, both)).toMatchObject({ ok: false, error: expect.stringContaining('file_path') })
  })

  test('fills in what their tool does without being told; what the caller says wins', () => {
    const alias: Alias = { name: 'x', system: 'lynkr', arguments: { max: 'limit' }, defaults: { limit: 5, mode: 'a' } }
    expect(given(alias, {})).toEqual({ ok: true, arguments: { limit: 5, mode: 'a' } })
    expect(given(alias, { max: 1 })).toEqual({ ok: true, arguments: { limit: 1, mode: 'a' } })
    expect(given(alias, { limit: null })).toEqual({ ok: true, arguments: { limit: null, mode: 'a' } })
  })

  test.each([null, undefined, 'text', 42, [], [{}]])('%j is no object, and passes for the schema to refuse', (args) => {
    expect(given(edit, args)).toEqual({ ok: true, arguments: args })
  })

  test('prototype keys are arguments like any other, on both sides', () => {
    const args = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": 2}')
    const mapped = given(edit, args) as { arguments: Record<string, unknown> }
    expect(Object.keys(mapped.arguments)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(mapped.arguments)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('never changes what it was given, and never loses or invents a value', () => {
    const key = fc.constantFrom('file_path', 'path', 'old_string', 'search', 'other', 'constructor')
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), (args) => {
        const before = structuredClone(args)
        const mapped = given(edit, args)
        expect(args).toEqual(before)
        if (mapped.ok) expect(Object.values(mapped.arguments as object)).toEqual(Object.values(args))
      }),
    )
  })
})

describe('the aliases of the five systems', () => {
  test('every name is one, and no tool has one twice', () => {
    for (const [canonical, aliases] of builtinAliases) {
      expect(isCanonicalName(canonical)).toBe(true)
      expect(new Set(aliases.map(({ name }) => name)).size).toBe(aliases.length)
      for (const { name } of aliases) expect(isCanonicalName(name)).toBe(true)
    }
  })

  test('policies and registries mean the same tools by them', () => {
    for (const [canonical, aliases] of builtinAliases)
      for (const { name } of aliases) {
        expect([name, matchesTool(name, { name: canonical, aliases })]).toEqual([name, true])
        expect([name, matchesTool(name, { name: 'mcp:a:b' })]).toEqual([name, false])
      }
  })

  test.each([
    ['file.read', 'Read', { file_path: 'a', offset: 5 }, { path: 'a', offset: 5, line_numbers: true, limit: 2000 }],
    ['file.read', 'read_file', { path: 'a' }, { path: 'a' }],
    ['file.write', 'Write', { file_path: 'a', content: 'b' }, { path: 'a', content: 'b' }],
    ['shell.exec', 'bash', { command: 'ls', timeout_ms: 5 }, { command: 'ls', timeout: 5 }],
    ['shell.exec', 'Bash', { command: 'ls', timeout: 5 }, { command: 'ls', timeout: 5, max_lines: 1000 }],
    ['vfs.list', 'list_files', {}, { path: '/' }],
    ['memory.search', 'memory_search', { query: 'a' }, { query: 'a', limit: 5 }],
    ['email.search', 'email_search', { query: 'a', inbox_id: 'b' }, { query: 'a', inbox_id: 'b' }],
    ['tool.run', 'glee_tool', { name: 'a', params: {} }, { name: 'a', params: {} }],
  ])('%s takes the arguments of %s', (canonical, name, theirs, ours) => {
    const alias = aliasesOf(canonical).find((one) => one.name === name)!
    expect(given(alias, theirs)).toEqual({ ok: true, arguments: ours })
  })

  test('of two tools with one alias the first of the table is meant', () => {
    expect(aliasRank('file.read')).toBeLessThan(aliasRank('vfs.read'))
    expect(aliasRank('mcp:a:b')).toBe(Number.POSITIVE_INFINITY)
    expect(aliasesOf('__proto__')).toEqual([])
  })
})
