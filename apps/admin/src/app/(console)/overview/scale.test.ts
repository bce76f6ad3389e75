import { expect, test } from 'vitest'
import { scaleFor } from './scale.ts'
import { smoothPath } from './smooth-path.ts'

test('the highest value fits under a round line, and zero stands at the bottom', () => {
  const scale = scaleFor(
    'count',
    [
      [40, 7],
      [120, 12],
    ],
    true,
  )
  expect(scale.ticks).toEqual([0, 50, 100, 150])
  expect([scale.at(0), scale.at(75), scale.at(150)]).toEqual([0, 0.5, 1])
})

test('a chart of nothing still has an axis, and counts are whole', () => {
  expect(scaleFor('count', [[0], [null]], true).ticks).toEqual([0, 2, 4])
  expect(scaleFor('cost', [[0]], false).ticks).toEqual([0, 10_000, 20_000, 30_000])
  expect(scaleFor('duration', [[null]], false).ticks).toEqual([1_000, 10_000, 60_000])
  expect(scaleFor('count', [], true).ticks.length).toBeGreaterThan(1)
})

test('times are drawn by their size, from the step below the quickest to the one above the slowest', () => {
  const scale = scaleFor('duration', [[2_000, 90_000]], false)
  expect(scale.ticks).toEqual([1_000, 10_000, 60_000, 600_000])
  expect([scale.at(1_000), scale.at(600_000)]).toEqual([0, 1])
  expect(scale.at(500)).toBe(0)
})

test('the curve goes through every point and not beyond what was measured', () => {
  const path = smoothPath([
    { x: 0, y: 10 },
    { x: 10, y: 90 },
    { x: 20, y: 90 },
    { x: 30, y: 20 },
  ])
  const numbers = (path.match(/-?[\d.]+/g) ?? []).map(Number)
  const heights = numbers.filter((_, index) => index % 2 === 1)
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(10)
  expect(Math.max(...heights)).toBeLessThanOrEqual(90)
  for (const point of ['0 10', '10 90', '20 90', '30 20']) expect(path).toContain(point)
  expect(smoothPath([])).toBe('')
  expect(smoothPath([{ x: 5, y: 5 }])).toBe('M 5 5 h 0.01')
})
