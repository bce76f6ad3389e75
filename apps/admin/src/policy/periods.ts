/** How far back a draft is replayed: what the address says, and what it is called. */
export const periods = [
  { value: '7', label: 'last 7 days', days: 7 },
  { value: '30', label: 'last 30 days', days: 30 },
  { value: '90', label: 'last 90 days', days: 90 },
  { value: 'all', label: 'all that was recorded', days: null },
] as const

export type Period = (typeof periods)[number]

export const parsePeriod = (text: unknown): Period => periods.find(({ value }) => value === text) ?? periods[1]
