import { expect, test } from 'vitest'
import { dayStart } from './day-start.ts'

const start = (...args: Parameters<typeof dayStart>) => dayStart(...args)?.toISOString() ?? null

test('a day begins at midnight of its zone, before and after a change of the clocks', () => {
  expect(start('2026-11-18', 'UTC')).toBe('2026-11-18T00:00:00.000Z')
  expect(start('2026-11-18', 'Europe/Berlin')).toBe('2026-11-17T23:00:00.000Z')
  expect(start('2026-07-01', 'Europe/Berlin')).toBe('2026-06-30T22:00:00.000Z')
  expect(start('2026-03-29', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z')
  expect(start('2026-03-29', 'Europe/Berlin', 1)).toBe('2026-03-29T22:00:00.000Z')
  expect(start('2026-11-01', 'America/New_York')).toBe('2026-11-01T04:00:00.000Z')
  expect(start('2026-11-18', 'Asia/Tokyo')).toBe('2026-11-17T15:00:00.000Z')
})

test('what is no day is none', () => {
  for (const text of ['', 'today', '2026-02-30', '2026-13-01', '2026-1-1', null, undefined, 7])
    expect([text, start(text, 'UTC')]).toEqual([text, null])
})
