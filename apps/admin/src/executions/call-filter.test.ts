import { expect, test } from 'vitest'
import { parseCallFilter } from './call-filter.ts'

const now = new Date('2026-11-18T12:00:00Z')

test('every filter of an address is understood', () => {
  const { filter, wrong } = parseCallFilter(
    {
      q: 'gateway',
      tool: 'file.read',
      agent: 'agt_1',
      member: 'mem_1',
      status: 'failed',
      decision: 'ask',
      slower: '10s',
      since: '24h',
    },
    now,
  )
  expect(wrong).toEqual([])
  expect(filter).toEqual({
    text: 'gateway',
    toolName: 'file.read',
    agentId: 'agt_1',
    memberId: 'mem_1',
    status: 'failed',
    decision: 'ask',
    minDurationMs: 10_000,
    from: new Date('2026-11-17T12:00:00Z'),
  })
})

test('what is not understood is named and left out; what is empty is no filter', () => {
  const { filter, wrong } = parseCallFilter(
    {
      status: 'constructor',
      decision: ['ask', 'deny'],
      slower: 'toString',
      since: '',
      to: 'soon',
      q: 'a\0b',
      after: 'x',
    },
    now,
  )
  expect(filter).toEqual({})
  expect(wrong).toEqual(['q', 'status', 'decision', 'slower', 'to'])
})
