import { describe, expect, test } from 'vitest'
import { matchesTool, PatternIndex, parsePattern } from './pattern.ts'
import { tool } from './testing.ts'

describe('a pattern matches', () => {
  test.each([
    ['file.read', 'file.read'],
    ['file.*', 'file.read'],
    ['mcp:github:*', 'mcp:github:search'],
    ['mcp:*', 'mcp:github:search'],
    ['mcp:github:issues.*', 'mcp:github:issues.create'],
    ['group:fs', 'file.write'],
    ['group:fs', 'vfs.read'],
    ['group:runtime', 'process.start'],
    ['group:mcp', 'mcp:x:y'],
    ['group:gmail', 'google.gmail'],
    ['group:cron', 'task.create'],
    ['*', 'anything'],
    ['*', '__proto__'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['Bash', 'shell.exec'],
    ['bash', 'shell.exec'],
    ['read_file', 'file.read'],
    ['read_file', 'vfs.read'],
    ['glee_tool_create', 'tool.create'],
  ])('%s: %s', (pattern, name) => {
    expect(matchesTool(pattern, tool(name))).toBe(true)
  })
})

describe('a pattern does not match', () => {
  test.each([
    ['file.read', 'file.reader'],
    ['file.*', 'file'],
    ['file.*', 'files.read'],
    ['file.*', 'mcp:file.read'],
    ['file.*', 'profile.read'],
    ['mcp:github:*', 'mcp:github2:search'],
    ['mcp:github:*', 'mcp:github'],
    ['group:fs', 'fs'],
    ['group:fs', 'filename.x'],
    ['group:runtime', 'process.capture'],
    ['group:gmail', 'google.docs'],
    ['Bash', 'Bash2'],
    ['bash', 'Bash'],
    ['toString', 'file.read'],
    ['__proto__', 'file.read'],
    ['group:__proto__', 'file.read'],
  ])('%s: %s', (pattern, name) => {
    expect(matchesTool(pattern, tool(name))).toBe(false)
  })
})

test("a tool's own groups and aliases count", () => {
  const own = tool('acme.deploy', { groups: ['ops'], aliases: [{ name: 'deploy_it', system: 'glee' }] })
  expect(matchesTool('group:ops', own)).toBe(true)
  expect(matchesTool('deploy_it', own)).toBe(true)
  expect(matchesTool('group:fs', own)).toBe(false)
})

test('an MCP tool is matched by its own name only, whatever it calls itself', () => {
  const hostile = tool('mcp:evil:x', { aliases: [{ name: 'file.read', system: 'flynn' }] })
  expect(matchesTool('file.read', hostile)).toBe(false)
  expect(matchesTool('mcp:evil:*', hostile)).toBe(true)
})

test('another tool does not get into a family by an alias', () => {
  const other = tool('acme.x', { aliases: [{ name: 'file.x', system: 'flynn' }] })
  expect(matchesTool('file.x', other)).toBe(true)
  expect(matchesTool('file.*', other)).toBe(false)
})

test.each([
  ['', 'the pattern "" is empty'],
  ['file*', 'the pattern "file*": a * stands alone, or at the end after a . or a :'],
  ['*.read', 'the pattern "*.read": a * stands alone'],
  ['**', 'the pattern "**": a * stands alone'],
  ['.*', 'the pattern ".*": a * stands alone'],
  ['file.*.x', 'the pattern "file.*.x": a *'],
  ['group:', 'the pattern "group:" does not name one group'],
  ['group:*', 'the pattern "group:*" does not name one group'],
  ['file read', 'the pattern "file read" has a character that no tool'],
  ['fіle.read', 'has a character that no tool'],
  ['file.read\n', 'has a character that no tool'],
  ['x'.repeat(201), 'is longer than 200 characters'],
  [7, 'a pattern is a string, not number'],
  [null, 'a pattern is a string, not null'],
])('%j is a clear error', (pattern, message) => {
  expect(() => parsePattern(pattern)).toThrow(message)
})

test('the most specific pattern comes first, in whatever order they were written', () => {
  const patterns = ['*', 'group:fs', 'file.*', 'file.read', 'a.*', 'file.read.*']
  for (const order of [patterns, patterns.toReversed()]) {
    const index = new PatternIndex()
    for (const pattern of order) index.add(pattern)
    const found = index.lookUpName('file.read').patterns.map((id) => index.text(id))
    expect(found).toEqual(['file.read', 'file.*', 'group:fs', '*'])
  }
})

describe('a group of one’s own', () => {
  const groups = { ops: { tools: ['k8s.*', 'Bash', 'group:git', 'mcp:pager:page'] } }

  test('stands for its names, prefixes, built-in groups and what other systems call its tools', () => {
    for (const name of ['k8s.pods', 'shell.exec', 'git.commit', 'mcp:pager:page'])
      expect([name, matchesTool('group:ops', tool(name), groups)]).toEqual([name, true])
    for (const name of ['k8s', 'shell.other', 'mcp:pager:list', 'file.read'])
      expect([name, matchesTool('group:ops', tool(name), groups)]).toEqual([name, false])
    expect(matchesTool('group:ops', tool('own.shell', { aliases: [{ name: 'Bash', system: 'lynkr' }] }), groups)).toBe(
      true,
    )
    expect(matchesTool('group:ops', tool('own.git', { groups: ['git'] }), groups)).toBe(true)
  })

  test('is not joined by a tool that says that it is in it; without the group its word counts', () => {
    const hostile = tool('mcp:evil:x', { groups: ['ops'] })
    expect(matchesTool('group:ops', hostile, groups)).toBe(false)
    expect(matchesTool('group:ops', hostile)).toBe(true)
  })

  test('named like something that every object has is a group like any other', () => {
    const odd = JSON.parse('{"__proto__":{"tools":["file.*"]},"constructor":{"tools":["web.*"]}}')
    expect(matchesTool('group:__proto__', tool('file.read'), odd)).toBe(true)
    expect(matchesTool('group:constructor', tool('web.fetch'), odd)).toBe(true)
    expect(matchesTool('group:toString', tool('file.read'), odd)).toBe(false)
  })
})

test('tools that the same patterns match share one signature', () => {
  const index = new PatternIndex()
  index.add('file.*')
  expect(index.lookUpName('file.a')).toBe(index.lookUpName('file.b'))
  expect(index.lookUpName('file.a')).not.toBe(index.lookUpName('x.b'))
})
