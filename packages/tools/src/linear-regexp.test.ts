import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LinearRegExp } from './linear-regexp.ts'
import { processorMs } from './testing/processor-time.ts'

test.each([['(a+)+$'], ['^(a|a)*$'], ['^(a|aa)+$'], ['(.*a){20}$'], ['^(([a-z])+.)+[A-Z]([a-z])+$']])(
  'the catastrophic pattern %s is decided in linear time',
  (pattern) => {
    const regexp = new LinearRegExp(pattern)
    expect(processorMs(() => void regexp.test(`${'a'.repeat(50_000)}!`))).toBeLessThan(2_000)
  },
)

test.each([
  ['(?=a)b', 'looks ahead'],
  ['(?!a)b', 'looks ahead'],
  ['(?<=a)b', 'looks ahead or behind'],
  ['(?<!a)b', 'looks ahead or behind'],
  ['(a)\\1', 'refers back'],
  ['(?<n>a)\\k<n>', 'refers back'],
  ['\\z', 'unknown escape'],
  ['\\Qa\\E', 'unknown escape'],
  ['(', 'not a regular expression'],
  ['a**', 'not a regular expression'],
  ['a{2000}', 'invalid repeat count'],
  ['((a{100}){10}){10}', 'invalid repeat count'],
  ['(?i)a', 'cannot be used'],
  ['[a-z]{900}'.repeat(6), 'too large'],
  ['a'.repeat(3_000), 'the limit is'],
])('%s is refused when it is compiled, with the reason', (pattern, reason) => {
  expect(() => new LinearRegExp(pattern)).toThrow(reason)
})

test.each([
  ['^\\s$', '\u00a0\u2003\ufeff\t\u2028', 'a\u200b'],
  ['^\\S$', 'aé\u200b', ' \u00a0'],
  ['^[\\s]$', '\u3000\n', 'a'],
  ['^[^\\S]$', '\u3000\n', 'a'],
  ['^[\\s\\S]$', 'a \u00a0🐲', ''],
  ['^.$', 'a🐲\u0085', '\n\r\u2028'],
  ['^[^]$', 'a\n', ''],
  ['^[.]$', '.', 'a'],
  ['^[[]$', '[', ':'],
  ['^\\p{Letter}$', 'aé', '1'],
  ['^\\p{Script=Greek}$', 'α', 'a'],
  ['^\\P{Lu}$', 'a1', 'A'],
  ['^\\u0041$', 'A', 'a'],
  ['^\\u{1F432}$', '🐲', 'a'],
  ['^\\x41|\\cJ$', 'A\n', 'b'],
  ['^(?<year>\\d)$', '1', 'x\u0661'],
  ['^[\\w\\-\\.]$', 'a-._', 'é '],
  ['^\\/$', '/', 'x'],
  ['^[\\b]$', '\b', 'b'],
])('%s means what ECMAScript means by it', (pattern, accepted, refused) => {
  const [ours, native] = [new LinearRegExp(pattern), nativeOf(pattern)]
  for (const character of accepted)
    expect([character, ours.test(character), native.test(character)]).toEqual([character, true, true])
  for (const character of refused)
    expect([character, ours.test(character), native.test(character)]).toEqual([character, false, false])
})

test('it agrees with ECMAScript on whatever pattern both take', () => {
  const part = fc.constantFrom(
    'a',
    'b',
    '.',
    '\\d',
    '\\s',
    '\\S',
    '\\w',
    '[ab]',
    '[^a]',
    '[\\s1]',
    '(a|b)',
    '(?:ab)',
    '\\b',
    '^',
    '$',
    '\\.',
    '[a-c\\-]',
  )
  const many = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}')
  const pattern = fc.array(
    fc.tuple(part, many).map(([one, times]) => (/^(\\b|\^|\$)$/.test(one) ? one : one + times)),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(
      pattern,
      fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '\u00a0', '.', '-', '\n', 'é'), maxLength: 8 }),
      (parts, text) => {
        const source = parts.join('')
        expect(new LinearRegExp(source).test(text)).toBe(nativeOf(source).test(text))
      },
    ),
    { numRuns: 3_000 },
  )
})

test('it spends from the budget of the value, more for longer texts', () => {
  const spent: number[] = []
  const regexp = new LinearRegExp('^a+$', { spend: (steps) => void spent.push(steps) })
  regexp.test('a')
  regexp.test('a'.repeat(10_000))
  expect(spent[1]).toBeGreaterThan(100 * spent[0]!)
})

function nativeOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}
