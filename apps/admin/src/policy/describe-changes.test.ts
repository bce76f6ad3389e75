import { changedParts, type DraftRule, emptySettings, type PolicyContent } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { describeChanges } from './describe-changes.ts'

const rule = (id: string, more: Partial<DraftRule> = {}): DraftRule => ({
  id,
  name: `Rule ${id}`,
  pattern: 'shell.exec',
  conditions: [{ path: 'command', command: 'git push*' }],
  decision: 'ask',
  approval: {},
  mustMatch: [{ arguments: {} }, { arguments: {} }],
  mustNotMatch: [{ arguments: {} }],
  enabled: true,
  note: '',
  ...more,
})
const content = (more: Partial<PolicyContent> = {}): PolicyContent => ({
  settings: emptySettings,
  profiles: [],
  groups: [],
  skills: [],
  rules: [],
  ...more,
})
const told = (before: PolicyContent, after: PolicyContent) =>
  describeChanges(changedParts(before, after), { before, after }).map(({ sign, text }) => `${sign}${text}`)

test('a change is told as the lines of the policy that go and come, and what stays is left out', () => {
  const before = content({ settings: { ...emptySettings, deny: ['mail.*', 'browser.*'] } })
  const after = content({
    settings: { ...emptySettings, deny: ['mail.*', 'browser.eval'], providers: { ollama: { deny: ['web.*'] } } },
    rules: [rule('a')],
  })
  expect(told(before, after)).toEqual([
    ' tools.deny:',
    '-  - browser.*',
    '+  - browser.eval',
    ' providers.ollama:',
    '+  deny: web.*',
    ' rules:',
    '+  - ask: shell.exec where command runs "git push*"   # Rule a; examples: 2 match, 1 do not ✓',
  ])
  expect(told(before, before)).toEqual([])
})

test('of a rule only the lines that differ are told, and a new order by the rules’ names', () => {
  const [a, b] = [rule('a', { note: 'Why.' }), rule('b')]
  expect(told(content({ rules: [a] }), content({ rules: [{ ...a, note: 'Because.' }] }))).toEqual([
    ' rules:',
    '-      note: Why.',
    '+      note: Because.',
  ])
  expect(told(content({ rules: [a, b] }), content({ rules: [b, a] }))).toEqual([
    ' rules, in this order:',
    '-  - Rule a',
    '+  - Rule a',
  ])
})
