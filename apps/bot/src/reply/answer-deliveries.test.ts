import { expect, test } from 'vitest'
import { answerDeliveries } from './answer-deliveries.ts'

const limits = { messageLength: 300 }

test('an answer becomes messages in order, with the footer under the last', () => {
  const markdown = Array.from({ length: 5 }, (_, index) => `${index} ${'word '.repeat(40)}`.trim()).join('\n\n')
  const deliveries = answerDeliveries({ markdown, step: 3, footer: 'offline model' }, limits)
  expect(deliveries.length).toBeGreaterThan(1)
  expect(deliveries.map((each) => 'footer' in each && each.footer)).toEqual([
    ...deliveries.slice(1).map(() => false),
    'offline model',
  ])
  for (const each of deliveries) expect(each).toMatchObject({ kind: 'text', step: 3 })
})

test('the last text of an answer that ends a run says so, and no other', () => {
  const markdown = Array.from({ length: 5 }, (_, index) => `${index} ${'word '.repeat(40)}`.trim()).join('\n\n')
  const deliveries = answerDeliveries({ markdown, step: 3, last: true }, limits)
  expect(deliveries.flatMap((each, index) => ('last' in each ? [index] : []))).toEqual([deliveries.length - 1])
})

test('a very long answer ends with a file that has all of it', () => {
  const markdown = 'a long answer, with ünïcode. '.repeat(2_000)
  const file = answerDeliveries({ markdown, step: 1 }, limits).at(-1)
  if (file?.kind !== 'media') throw new Error('expected a file')
  expect(Buffer.from(file.data, 'base64').toString()).toBe(markdown)
})

test('an empty answer is no message', () => {
  expect(answerDeliveries({ markdown: '\n ', step: 1, footer: 'f' }, limits)).toEqual([])
})
