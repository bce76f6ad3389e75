export const periods = {
  '24h': { label: '24 h', words: 'the last 24 hours', step: 'hour', count: 24 },
  '7d': { label: '7 days', words: 'the last 7 days', step: 'day', count: 7 },
  '30d': { label: '30 days', words: 'the last 30 days', step: 'day', count: 30 },
} as const

export type PeriodId = keyof typeof periods
export type Period = (typeof periods)[PeriodId]

/** Whatever stands in the address; an unknown period is the default one. */
export function parsePeriod(text: unknown): PeriodId {
  return typeof text === 'string' && Object.hasOwn(periods, text) ? (text as PeriodId) : '7d'
}

const stepMs = { hour: 3_600_000, day: 86_400_000 }

/** Where a period begins: the current hour or day is its last step. The database moves it to the start of its step. */
export function startOf(period: Period, now: Date): Date {
  return new Date(now.getTime() - (period.count - 1) * stepMs[period.step])
}

/** How far back the same span before it lies. */
export const lengthOf = (period: Period) => period.count * stepMs[period.step]
