import { expect, test } from 'vitest'
import { areas } from '../areas.ts'
import { fitOf } from './palette-filter.ts'

const best = (typed: string) =>
  areas
    .map(({ label, keywords }) => ({ label, fit: fitOf(label, typed, keywords) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit)
    .map(({ label }) => label)

test('a name goes before other words, the whole before its beginning, and a beginning before the middle', () => {
  expect(fitOf('Light', 'light')).toBeGreaterThan(fitOf('Lighting', 'light'))
  expect(fitOf('Runs', 'run')).toBeGreaterThan(fitOf('Overview', 'run', ['runs']))
  expect(fitOf('Tools', 'off', ['turn off'])).toBeGreaterThan(fitOf('Coffee', 'off'))
})

test('letters that are strewn over several words fit nothing', () => {
  expect(fitOf('Policies', 'light', ['rules', 'groups', 'what-if'])).toBe(0)
})

test('every area is found first by its own name', () => {
  for (const { label } of areas) expect(best(label)[0]).toBe(label)
})
