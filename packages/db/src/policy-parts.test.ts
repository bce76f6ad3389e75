import { describe, expect, test } from 'vitest'
import { type DraftRule, emptySettings, type PolicyContent } from './policy-content.ts'
import { changedParts, mergeContent } from './policy-parts.ts'

const rule = (id: string, more: Partial<DraftRule> = {}): DraftRule => ({
  ...{ id, name: `Rule ${id}`, pattern: '*', conditions: [], decision: 'ask', approval: {} },
  ...{ mustMatch: [], mustNotMatch: [], enabled: true, note: '', ...more },
})
const content = (settings: Partial<PolicyContent['settings']> = {}, more: Partial<PolicyContent> = {}) => ({
  settings: { ...emptySettings, ...settings },
  profiles: [],
  groups: [],
  skills: [],
  rules: [],
  ...more,
})
const ids = (rules: DraftRule[]) => rules.map(({ id }) => id).join('')

describe('two people’s changes', () => {
  test('to different parts are both kept', () => {
    const base = content({ deny: ['a.*', 'b.*'] }, { rules: [rule('1'), rule('2')] })
    const mine = content({ deny: ['b.*', 'mine.*'] }, { rules: [rule('1', { note: 'mine' }), rule('2'), rule('3')] })
    const theirs = content(
      { deny: ['a.*', 'b.*', 'theirs.*'], providers: { ollama: { deny: ['web.*'] } } },
      { rules: [rule('2', { enabled: false }), rule('1')] },
    )
    const merged = mergeContent(base, mine, theirs)
    expect(merged.conflicts).toEqual([])
    expect(merged.content.settings).toMatchObject({
      deny: ['b.*', 'theirs.*', 'mine.*'],
      providers: { ollama: { deny: ['web.*'] } },
    })
    expect(merged.content.rules).toMatchObject([{ id: '2', enabled: false }, { id: '1', note: 'mine' }, { id: '3' }])
  })

  test('to one part are told, and mine stands; the same change twice is none', () => {
    const base = content({}, { rules: [rule('1')], profiles: [{ name: 'p', description: '', tools: [], reads: [] }] })
    const mine = content({ profile: 'full' }, { rules: [rule('1', { note: 'mine' })], profiles: [] })
    const theirs = content(
      { profile: 'full' },
      { rules: [], profiles: [{ name: 'p', description: 'x', tools: [], reads: [] }] },
    )
    const merged = mergeContent(base, mine, theirs)
    expect(merged.conflicts).toEqual([
      { kind: 'profile', key: 'p' },
      { kind: 'rule', key: '1' },
    ])
    expect(merged.content).toMatchObject({ settings: { profile: 'full' }, profiles: [], rules: [{ note: 'mine' }] })
  })

  test('of the order mine stands where I moved something, and what only they have keeps its neighbour', () => {
    const base = content({}, { rules: [rule('1'), rule('2')] })
    const mine = content({}, { rules: [rule('2'), rule('1')] })
    const theirs = content({}, { rules: [rule('1'), rule('9'), rule('2')] })
    expect(ids(mergeContent(base, mine, theirs).content.rules)).toBe('219')
    expect(ids(mergeContent(base, base, theirs).content.rules)).toBe('192')
  })
})

test('the order of keys is no change, and a rule that moved is a change of the order alone', () => {
  const one = content({ approval: { required: 2, mayEdit: true } }, { rules: [rule('1'), rule('2')] })
  const other = content({ approval: { mayEdit: true, required: 2 } }, { rules: [rule('2'), rule('1')] })
  expect(changedParts(one, other).map(({ kind }) => kind)).toEqual(['order'])
})
