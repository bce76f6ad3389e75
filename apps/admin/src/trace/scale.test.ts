import { expect, test } from 'vitest'
import { makeScale } from './scale.ts'

test('without waiting the width is the time', () => {
  const { at, shortened } = makeScale(1_000, [])
  expect([at(0), at(250), at(1_000)]).toEqual([0, 0.25, 1])
  expect(shortened).toBe(false)
})

test('a day of waiting leaves room for the work, and the order of things stays', () => {
  const day = 86_400_000
  const { at, shortened } = makeScale(day + 10_000, [{ from: 4_000, to: 4_000 + day }])
  expect(shortened).toBe(true)
  expect(at(4_000)).toBeCloseTo(4 / 16)
  expect(at(4_000 + day)).toBeCloseTo(10 / 16)
  expect(at(day + 10_000)).toBeCloseTo(1)
  expect(at(4_000 + day / 2)).toBeCloseTo(7 / 16)
})
