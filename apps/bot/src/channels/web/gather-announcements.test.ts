import type { Database, LiveNotice } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { gatherAnnouncements } from './gather-announcements.ts'

const notice = (sentence: string): LiveNotice => ({
  workspaceId: 'w',
  conversationId: 'c',
  runId: 'r',
  event: { kind: 'status', sentence },
})

/** What each statement announced. `fails`: that one of them is refused. */
function connection(fails = -1) {
  const asked: string[][] = []
  const query = async (_sql: string, [payloads]: [string[]]) => {
    asked.push(payloads.map((payload) => (JSON.parse(payload) as { event: { sentence: string } }).event.sentence))
    if (asked.length - 1 === fails) throw new Error('refused')
    return { rows: [] }
  }
  return { asked, tell: gatherAnnouncements({ pool: { query } } as unknown as Pick<Database, 'pool'>) }
}

test('the first is announced at once, and what comes close behind it together', async () => {
  const { asked, tell } = connection()
  const first = tell([notice('1')])
  expect(asked).toEqual([['1']])
  await first
  await Promise.all([tell([notice('2')]), tell([notice('3'), notice('4')])])
  expect(asked).toEqual([['1'], ['2', '3', '4']])
})

test('a refused announcement is told to those whose it was, and the next one goes out', async () => {
  const { asked, tell } = connection(0)
  await expect(tell([notice('lost')])).rejects.toThrow('refused')
  await tell([notice('shown')])
  expect(asked).toEqual([['lost'], ['shown']])
})
