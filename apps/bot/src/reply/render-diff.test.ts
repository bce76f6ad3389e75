import { expect, test } from 'vitest'
import { renderDiff } from './render-diff.ts'

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`).join('\n')

test('shows what changes with a little around it', () => {
  expect(renderDiff({ before: `${numbers(1, 20)}\n`, after: `${numbers(1, 9)}\nnew\n${numbers(11, 20)}\n` })).toBe(
    ['…', '  line 8', '  line 9', '- line 10', '+ new', '  line 11', '  line 12', '…'].join('\n'),
  )
  expect(renderDiff({ before: '', after: 'a\nb' })).toBe('+ a\n+ b')
  expect(renderDiff({ before: 'a', after: '' })).toBe('- a')
})

test('of very long texts the beginning is compared, and it says that there is more', () => {
  const shown = renderDiff({ before: numbers(1, 5_000), after: `x\n${numbers(1, 5_000)}` })
  expect(shown.startsWith('+ x\n')).toBe(true)
  expect(shown.endsWith('…')).toBe(true)
})
