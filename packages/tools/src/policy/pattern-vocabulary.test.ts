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

test('each count is what the policy matches', () => {
  for (const { pattern, tools: count } of patternVocabulary(tools))
    expect([pattern, tools.filter((one) => matchesTool(pattern, one)).length]).toEqual([pattern, count])
})
