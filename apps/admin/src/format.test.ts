import { expect, test } from 'vitest'
import { formatAgo, formatCost, formatCount, formatDuration } from './format.ts'

test('a duration never says 60 of anything, and keeps two or three digits that matter', () => {
  const shown = [0, 999, 999.6, 9_949, 9_960, 59_400, 59_600, 119_600, 3_599_700, 3_660_000, 172_800_000]
  expect(shown.map(formatDuration)).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '9.9 s',
    '10 s',
    '59 s',
    '1m 0s',
    '2m 0s',
    '1h 0m',
    '1h 1m',
    '2 days',
  ])
})

test('small costs keep their digits, large counts lose them', () => {
  expect([0, 40, 4_200, 84_000, 34_040_000].map(formatCost)).toEqual(['$0', '< $0.0001', '$0.0042', '$0.084', '$34.04'])
  expect([950, 9_999, 18_432, 12_500_000].map(formatCount)).toEqual(['950', '9,999', '18.4K', '12.5M'])
})

test('what was is ago, and what comes is in', () => {
  const now = new Date('2026-11-18T09:00:00Z')
  const at = (minutes: number) => formatAgo(new Date(now.getTime() + minutes * 60_000), now)
  expect([0, -0.5, -5, -125, -36 * 60, 30, 23 * 60 + 59].map(at)).toEqual([
    'just now',
    'just now',
    '5 min ago',
    '2 h ago',
    '2 days ago',
    'in 30 min',
    'in 23 h',
  ])
})
