import { expect, test } from 'vitest'
import { pageOf, parsePageKey, writePageKey } from './paging.ts'

test('a key comes back from the address it was written into', () => {
  const key = { at: new Date('2026-11-18T09:12:03.456Z'), id: 'run_01abc' }
  expect(parsePageKey(writePageKey(key))).toEqual(key)
})

test('what is no key means the first page', () => {
  for (const text of [
    undefined,
    null,
    4,
    ['a'],
    '',
    '~',
    'yesterday~run_1',
    '2026-11-18T09:12:03Z~',
    "2026-11-18~'; --",
  ])
    expect([text, parsePageKey(text)]).toEqual([text, null])
})

test('a page has a next one only where a row is over', () => {
  const rows = ['a', 'b', 'c'].map((id) => ({ at: new Date(0), id }))
  const keyOf = (row: (typeof rows)[number]) => row
  expect(pageOf(rows, 3, keyOf)).toEqual({ rows, next: null })
  expect(pageOf(rows, 2, keyOf)).toEqual({ rows: rows.slice(0, 2), next: '1970-01-01T00:00:00.000Z~b' })
  expect(pageOf([], 2, keyOf)).toEqual({ rows: [], next: null })
})
