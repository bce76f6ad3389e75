import { expect, it } from 'vitest'
import { processorMs } from '../testing/processor-time.ts'
import { suggestNames } from './suggest-names.ts'

const names = ['file.read', 'file.write', 'shell.exec', 'web.fetch', 'memory.search']

it('suggests what is spelt nearly the same', () => {
  expect(suggestNames('file.raed', names)[0]).toBe('file.read')
  expect(suggestNames('shellExec', names)).toEqual(['shell.exec'])
  expect(suggestNames('fetch', names)).toEqual(['web.fetch'])
})

it('suggests nothing where nothing is near', () => {
  for (const name of ['kubernetes', '', '__proto__', '💥'.repeat(1_000), 'x'.repeat(1_000_000)]) {
    expect(suggestNames(name, names)).toEqual([])
  }
})

it('stays quick with ten thousand tools', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `mcp:server${index % 100}:tool_number_${index}`)
  let suggested: readonly string[] = []
  const used = processorMs(() => {
    suggested = suggestNames('mcp:server7:tool_numbr_4207', many)
  })
  expect(suggested).toContain('mcp:server7:tool_number_4207')
  expect(used).toBeLessThan(1_000)
})
