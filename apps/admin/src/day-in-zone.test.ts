import { expect, test } from 'vitest'
import { startOfDay } from './day-in-zone.ts'

test('a day begins at midnight of its zone, in summer and in winter and where the clock changes', () => {
  expect(startOfDay('2026-07-01', 'Europe/Berlin')?.toISOString()).toBe('2026-06-30T22:00:00.000Z')
  expect(startOfDay('2026-11-18', 'Europe/Berlin')?.toISOString()).toBe('2026-11-17T23:00:00.000Z')
  expect(startOfDay('2026-10-25', 'Europe/Berlin', 1)?.toISOString()).toBe('2026-10-25T23:00:00.000Z')
  expect(startOfDay('2026-03-29', 'Europe/Berlin', 1)?.toISOString()).toBe('2026-03-29T22:00:00.000Z')
  expect(startOfDay('2026-11-18', 'America/New_York')?.toISOString()).toBe('2026-11-18T05:00:00.000Z')
  expect(startOfDay('2026-11-18', 'UTC', 1)?.toISOString()).toBe('2026-11-19T00:00:00.000Z')
})

test('what is no day is none', () => {
  for (const text of ['', 'today', '2026-02-30', '2026-13-01', '2026-1-1', '18.11.2026', null, undefined, 7])
    expect(startOfDay(text, 'UTC')).toBeNull()
})
