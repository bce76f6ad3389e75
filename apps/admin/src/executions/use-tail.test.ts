import type { ListedToolCall } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { merge, overlaps } from './use-tail.ts'

const call = (id: string, at: number, more: Partial<ListedToolCall> = {}) =>
  ({ id, requestedAt: new Date(at), status: 'running', ...more }) as ListedToolCall
const shown = (rows: readonly ListedToolCall[]) => rows.map(({ id, status }) => `${id} ${status}`)

test('a new call comes at its place by time, and two of one moment by their ids', () => {
  const rows = merge(
    [call('c', 3), call('a', 1)],
    [
      { ...call('b', 1), matches: true },
      { ...call('d', 4), matches: true },
    ],
  )
  expect(shown(rows)).toEqual(['d running', 'c running', 'b running', 'a running'])
})

test('a call that is shown goes on where it stands, also when the filter lets it in no more', () => {
  const rows = merge([call('b', 2), call('a', 1)], [{ ...call('a', 1, { status: 'failed' }), matches: false }])
  expect(shown(rows)).toEqual(['b running', 'a failed'])
})

test('a call that is not shown and that the filter does not let in does not come', () => {
  expect(shown(merge([call('a', 1)], [{ ...call('b', 2), matches: false }]))).toEqual(['a running'])
})

test('what came while nobody looked either reaches back to what is shown, or there are others in between', () => {
  const shown = [call('b', 2), call('a', 1)]
  expect(overlaps(shown, [call('d', 4), call('b', 2)])).toBe(true)
  expect(overlaps(shown, [call('b', 2), call('a', 1)])).toBe(true)
  expect(overlaps(shown, [call('e', 5), call('d', 4)])).toBe(false)
  expect(overlaps([], [call('e', 5)])).toBe(true)
  expect(overlaps(shown, [])).toBe(true)
})
