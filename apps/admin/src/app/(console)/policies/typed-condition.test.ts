import type { Condition } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { readCondition, typeCondition } from './typed-condition.ts'

test.for<Condition>([
  { path: 'command', command: 'git push*' },
  { path: 'url', glob: '*x*' },
  { path: 'to', equals: 'production' },
  { path: 'to', equals: 3 },
  { path: 'to', equals: '3' },
  { path: 'to', equals: ' spaced ' },
  { path: 'to', equals: { a: [1] } },
  { path: 'to', oneOf: ['staging', 'production', 3, true] },
  { path: 'to', oneOf: ['a, b', 'c'] },
  { path: 'url', host: ['example.com', '*.example.com'] },
  { path: 'path', under: ['secrets', '/etc'] },
  { path: 'count', max: 100 },
  { path: 'url', present: true },
  { path: 'url', present: false },
  { path: 'url', not: { path: 'url', host: ['example.com'] } },
  { path: 'url', not: { path: 'other', glob: 'x' } },
  { path: 'url', not: { path: 'url', not: { path: 'url', glob: 'x' } } },
  { path: 'url', not: { path: 'url', present: true } },
])('a condition that is opened and saved unchanged is the same: %j', (condition) => {
  expect(readCondition(typeCondition(condition))).toEqual(condition)
})
