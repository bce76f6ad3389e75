/** Where a value stands between the bottom (0) and the top (1) of a chart, and which values have a line. */
export interface Scale {
  at(value: number): number
  ticks: number[]
}

/** Times spread over many sizes, from a quick answer to a day of waiting: each line here is a step of about ten times. */
const durationTicks = [100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 360_000_000]
/** An axis that ends below this has labels that say nothing, as for a workspace without a run. Cost is in millionths. */
const least = { count: 4, cost: 30_000 }
const lines = 3

/** `stacked`: the values of a point stand on top of each other. */
export function scaleFor(
  unit: 'count' | 'duration' | 'cost',
  values: readonly (readonly (number | null)[])[],
  stacked: boolean,
): Scale {
  const known = values.map((point) => point.map((value) => value ?? 0))
  if (unit === 'duration') return logarithmic(known.flat().filter((value) => value > 0))
  const highest = known.map((point) => (stacked ? point.reduce((sum, value) => sum + value, 0) : Math.max(...point)))
  const step = niceStep(Math.max(least[unit], ...highest) / lines, unit === 'count')
  const top = step * Math.ceil(Math.max(least[unit], ...highest) / step)
  return {
    at: (value) => Math.min(1, Math.max(0, value / top)),
    ticks: Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step),
  }
}

/** The next of 1, 2, 2.5, 5, 10 and so on; counts have no halves. */
function niceStep(wanted: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= wanted) ?? wanted
  return whole ? Math.ceil(step) : step
}

function logarithmic(values: readonly number[]): Scale {
  // There is an axis to see before there is anything to draw.
  const lowest = values.length ? Math.min(...values, 10_000) : 1_000
  const highest = values.length ? Math.max(...values, 10_000) : 60_000
  const from = durationTicks.findLast((value) => value <= lowest) ?? 100
  const to = durationTicks.find((value) => value >= highest) ?? highest
  return {
    at: (value) => Math.min(1, Math.max(0, Math.log(Math.max(value, from) / from) / Math.log(to / from))),
    ticks: durationTicks.filter((value) => value >= from && value <= to),
  }
}
