import { Policy, type PolicyConfig } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { because } from './because.ts'

const tool = (name: string) => ({
  name,
  title: name,
  description: name,
  category: 'test',
  inputSchema: { type: 'object' as const },
  effect: 'read' as const,
  execute: async () => ({ success: true, output: '' }),
})
const why = (before: Partial<PolicyConfig>, after: Partial<PolicyConfig>, name = 'browser.navigate', args = {}) => {
  const decide = (config: Partial<PolicyConfig>) =>
    new Policy({ profile: 'full', ...config }).decide(tool(name), args, {})
  return because(decide(before), decide(after))
}
const rule = (verdict: 'allow' | 'ask' | 'deny') => ({
  rules: [{ id: 'r', name: 'R', pattern: 'shell.exec', verdict }],
})

test('names what was taken away, what newly allows, and what newly stands in the way', () => {
  expect(why({ deny: ['browser.*'] }, {})).toBe('deny browser.* removed')
  expect(
    why({ deny: ['browser.*'], hooks: [{ pattern: '*', hook: 'log' }] }, { hooks: [{ pattern: '*', hook: 'log' }] }),
  ).toBe('deny browser.* removed')
  expect(why({}, { deny: ['browser.*'] })).toBe('deny browser.*')
  expect(why({ profile: 'minimal' }, { profile: 'minimal', allow: ['browser.*'] })).toBe(
    'no longer: not in the profile minimal of the workspace',
  )
  expect(why({}, rule('ask'), 'shell.exec')).toBe('rule: R')
  expect(why(rule('ask'), rule('allow'), 'shell.exec')).toBe('rule: R')
  expect(why(rule('deny'), {}, 'shell.exec')).toBe('rule: R removed')
  const hook = (how: 'confirm' | 'log') => ({ hooks: [{ pattern: 'shell.exec', hook: how }] })
  expect(why(hook('confirm'), hook('log'), 'shell.exec')).toBe('hook of shell.exec')
  expect(why(rule('deny'), rule('ask'), 'shell.exec')).toBe('rule: R')
})
