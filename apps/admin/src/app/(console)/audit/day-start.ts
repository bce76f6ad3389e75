/** When a day, `2026-11-18`, begins in a time zone; null for what is no day. */
export function dayStart(text: unknown, timeZone: string, daysLater = 0): Date | null {
  const parts = typeof text === 'string' ? /^([12]\d{3})-(\d\d)-(\d\d)$/.exec(text) : null
  if (!parts) return null
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number]
  const asUtc = Date.UTC(year, month - 1, day + daysLater)
  // The 30th of February would be another day.
  if (new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10) !== parts[0]) return null
  // The offset there may be another on the two sides of a change of the clocks: the second look is from the right side.
  const first = asUtc - offsetAt(asUtc, timeZone)
  return new Date(asUtc - offsetAt(first, timeZone))
}

/** By how much the clocks of the zone are ahead of UTC at a moment. */
function offsetAt(moment: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  const of = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  const shown = Date.UTC(of.year ?? 0, (of.month ?? 1) - 1, of.day, of.hour, of.minute, of.second)
  return shown - Math.floor(moment / 1000) * 1000
}
