import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { fromApiName, isCanonicalName, problemOfName, toApiName } from './names.ts'

/** Any string at all, biased to the characters and shapes where two names could meet. */
const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: fc.constantFrom('a', 'x', '_', '-', '.', ':', 'é', '5', 'f'), maxLength: 90 }),
  fc.stringMatching(/^mcp:[a-z_.-]{1,8}:[a-z_.-]{1,8}$/),
  fc.stringMatching(/^mcp__[a-z_-]{1,12}$/),
  fc.stringMatching(/^x---[a-f0-9_]{0,12}$/),
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', 'mcp', 'x---', '\ud800'),
)

test('common names stay readable', () => {
  const readable: Record<string, string> = {
    'file.read': 'file-read',
    ask_user: 'ask_user',
    web_search: 'web_search',
    'web.search': 'web-search',
    'my-custom-tool': 'my--custom--tool',
    'mcp:github:search_issues': 'mcp__github__search_issues',
    'mcp:brave-search:web-search': 'mcp__brave-search__web-search',
    'mcp:files:file.read': 'mcp__files__file--read',
    __proto__x: '__proto__x',
  }
  for (const [canonical, apiName] of Object.entries(readable)) expect(toApiName(canonical)).toBe(apiName)
})

test('every API name is one that the model API accepts', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      expect(toApiName(name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    }),
    { numRuns: 5_000 },
  )
})

test('two names never share an API name', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyName, { minLength: 2, maxLength: 40 }), (names) => {
      expect(new Set(names.map(toApiName)).size).toBe(names.length)
    }),
    { numRuns: 1_000 },
  )
})

test('a name is read back from its API name, unless it was too long and is hashed', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      const back = fromApiName(toApiName(name))
      if (back === null) expect(toApiName(name)).toMatch(/^[A-Za-z0-9_]{29}---[0-9a-f]{32}$/)
      else expect(back).toBe(name)
    }),
    { numRuns: 5_000 },
  )
})

test('a name is read back only from its own API name: no second spelling leads to a tool', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ax_-]{1,10}$|^mcp__[a_-]{1,10}$|^x---[a4156_]{0,10}$/), (apiName) => {
      const canonical = fromApiName(apiName)
      if (canonical !== null) expect(toApiName(canonical)).toBe(apiName)
    }),
    { numRuns: 5_000 },
  )
  expect(fromApiName('x---41')).toBeNull()
})

test('names that look alike to a careless mapping differ', () => {
  const alike = [
    'a.b',
    'a_b',
    'a-b',
    'a:b',
    'a--b',
    'a..b',
    'a.-b',
    'a-.b',
    'mcp:a:b',
    'mcp__a__b',
    'mcp.a.b',
    'mcp:a:_b',
    'mcp:a_:b',
  ]
  expect(new Set(alike.map(toApiName)).size).toBe(alike.length)
  for (const name of alike) expect(fromApiName(toApiName(name))).toBe(name)
})

test('two very long names that differ only at their end differ', () => {
  const long = `mcp:server:${'a'.repeat(180)}`
  expect(toApiName(`${long}1`)).toHaveLength(limits.apiNameLength)
  expect(toApiName(`${long}1`)).not.toBe(toApiName(`${long}2`))
  expect(toApiName(`${long}1`)).toContain('mcp_server_aaa')
})

test.each([
  'file.read',
  'ask_user',
  'mcp:github:search',
  'mcp:x:a/b',
  'my-tool',
  '__proto__',
  'constructor',
  'k8s.pods',
])('%s is a canonical name', (name) => expect(problemOfName(name)).toBeNull())

test.each([
  [undefined, 'a string, not undefined'],
  ['', 'empty'],
  ['a b', 'a space'],
  ['a\u202eb', 'outside of ASCII'],
  ['a\0', 'outside of ASCII'],
  ['été', 'outside of ASCII'],
  ['fіle.read', 'outside of ASCII'],
  ['file.*', 'only patterns'],
  ['group:fs', 'names groups'],
  ['mcp:x', 'mcp:<server>:<tool>'],
  ['mcp::x', 'mcp:<server>:<tool>'],
  ['mcp:a:b:c', 'mcp:<server>:<tool>'],
  ['a:b', 'a colon'],
  ['.a', 'empty part'],
  ['a..b', 'empty part'],
  ['\ud800', 'outside of ASCII'],
  ['a'.repeat(300), 'the limit is'],
])('%j is refused as a name, with the reason', (name, reason) => {
  expect(problemOfName(name)).toContain(reason)
  expect(isCanonicalName(name)).toBe(false)
})
