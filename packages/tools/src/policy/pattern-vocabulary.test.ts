import { expect, test } from 'vitest'
import { matchesTool } from './pattern.ts'
import { patternVocabulary } from './pattern-vocabulary.ts'
import { tool } from './testing.ts'

const tools = [
  tool('file.read', { groups: ['own'] }),
  tool('file.write'),
  tool('shell.exec'),
  tool('mcp:github:search', { groups: ['mcp', 'not a group'] }),
]
const counts = () => Object.fromEntries(patternVocabulary(tools).map((known) => [known.pattern, known.tools]))

test('has every name, prefix, group and other system’s name that matches a tool, with how many', () => {
  expect(counts()).toMatchObject({
    '*': 4,
    'file.*': 2,
    'file.read': 1,
    Bash: 1,
    'group:fs': 2,
    'group:own': 1,
    'group:mcp': 1,
    'mcp:*': 1,
    'mcp:github:*': 1,
  })
  expect(counts()).not.toHaveProperty('group:k8s')
})

test('each count is what the policy matches, groups of one’s own among them', () => {
  const groups = { safe: { tools: ['file.read', 'mcp:github:*'] }, none: { tools: ['k8s.*'] } }
  const known = patternVocabulary(tools, groups)
  for (const { pattern, tools: count } of known)
    expect([pattern, tools.filter((one) => matchesTool(pattern, one, groups)).length]).toEqual([pattern, count])
  expect(known).toContainEqual({ pattern: 'group:safe', tools: 2 })
  expect(known.some(({ pattern }) => pattern === 'group:none')).toBe(false)
})
