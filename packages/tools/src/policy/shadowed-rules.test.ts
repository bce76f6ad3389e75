import { expect, test } from 'vitest'
import { Policy } from './policy.ts'
import type { Rule } from './policy-config.ts'
import { findShadowedRules } from './shadowed-rules.ts'
import { tool } from './testing.ts'

const tools = [tool('shell.exec'), tool('file.read'), tool('file.write')]
const rule = (id: string, verdict: Rule['verdict'], pattern: string, more: Partial<Rule> = {}): Rule => ({
  id,
  name: `Rule ${id}`,
  pattern,
  verdict,
  ...more,
})
const push = { path: 'command', command: 'git push*' }
const shadows = (...rules: Rule[]) => findShadowedRules(rules, tools).map(({ id, by }) => `${id} by ${by.id}`)

test('a rule is shadowed by a stricter one that matches all of its tools and asks for no more', () => {
  expect(shadows(rule('a', 'allow', 'shell.exec'), rule('b', 'deny', 'shell.*'))).toEqual(['a by b'])
  expect(shadows(rule('a', 'ask', 'file.*', { conditions: [push] }), rule('b', 'deny', 'group:fs'))).toEqual(['a by b'])
  expect(
    shadows(
      rule('a', 'allow', 'shell.exec', { conditions: [push, { path: 'cwd', present: true }] }),
      rule('b', 'ask', 'shell.exec', { conditions: [push] }),
    ),
  ).toEqual(['a by b'])
})

test('by a group of one’s own too', () => {
  const rules = [rule('a', 'allow', 'file.read'), rule('b', 'deny', 'group:mine')]
  expect(findShadowedRules(rules, tools, { mine: { tools: ['file.*'] } })).toEqual([
    { id: 'a', by: { id: 'b', name: 'Rule b' } },
  ])
  expect(findShadowedRules(rules, tools)).toEqual([])
})

test('it is not where the other is not stricter, is switched off, matches fewer tools, or asks for more', () => {
  expect(shadows(rule('a', 'deny', 'shell.exec'), rule('b', 'deny', '*'))).toEqual([])
  expect(shadows(rule('a', 'allow', 'shell.exec'), rule('b', 'deny', '*', { enabled: false }))).toEqual([])
  expect(shadows(rule('a', 'allow', 'file.*'), rule('b', 'deny', 'file.read'))).toEqual([])
  expect(shadows(rule('a', 'allow', 'shell.exec'), rule('b', 'deny', 'shell.exec', { conditions: [push] }))).toEqual([])
  expect(shadows(rule('a', 'allow', 'mail.*'), rule('b', 'deny', '*'))).toEqual([])
})

test('what is said is true: without the shadowed rule every call is decided alike', () => {
  const commands = ['git push', 'git push --force', 'ls; git push', 'echo $(git push)', 'git status', '$X', '']
  const conditions = [push]
  const [allow, ask] = [rule('a', 'allow', 'shell.exec', { conditions }), rule('b', 'ask', '*', { conditions })]
  expect(shadows(allow, ask)).toEqual(['a by b'])
  const withIt = new Policy({ profile: 'full', rules: [allow, ask] })
  const without = new Policy({ profile: 'full', rules: [ask] })
  for (const command of commands)
    expect([command, withIt.decide(tools[0]!, { command }).verdict]).toEqual([
      command,
      without.decide(tools[0]!, { command }).verdict,
    ])
})
