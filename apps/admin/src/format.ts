// Numbers and times as people read them. Dates are in the zone of whoever looks (viewer-zone.ts).

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en')

/** 950 → 950, 18432 → 18.4K. */
export const formatCount = (count: number) => (count < 10_000 ? whole.format(count) : compact.format(count))

/** Millionths of a dollar as dollars; small amounts keep the digits that matter. */
export function formatCost(micros: number): string {
  const dollars = micros / 1_000_000
  if (dollars === 0) return '$0'
  if (dollars < 0.0001) return '< $0.0001'
  const digits = dollars < 0.01 ? 4 : dollars < 1 ? 3 : 2
  return dollars < 10_000 ? `$${dollars.toFixed(digits)}` : `$${compact.format(dollars)}`
}

export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  // Rounded before it is taken apart, so that no part of it becomes 60.
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)} days`
}

/** How long ago, or how long until. */
export function formatAgo(date: Date, now: Date): string {
  const ms = now.getTime() - date.getTime()
  if (ms >= 0 && ms < 45_000) return 'just now'
  return ms > 0 ? `${formatSpan(ms)} ago` : `in ${formatSpan(-ms)}`
}

function formatSpan(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h`
  const days = Math.round(hours / 24)
  return days === 1 ? '1 day' : `${days} days`
}

/** 18 Nov 2026, 09:12 */
export const formatWhen = (date: Date, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(date)

/** The label of one step of a chart. */
export const formatStep = (date: Date, step: 'hour' | 'day', timeZone: string) =>
  new Intl.DateTimeFormat(
    'en-GB',
    step === 'hour' ? { hour: '2-digit', minute: '2-digit', timeZone } : { day: 'numeric', month: 'short', timeZone },
  ).format(date)
