import { formatAgo, formatWhen } from '../format.ts'

/** How long ago something was, with the exact time on hover and for machines. */
export function When({ date, now, timezone }: { date: Date; now: Date; timezone: string }) {
  return (
    <time dateTime={date.toISOString()} title={`${formatWhen(date, timezone)} (${timezone})`}>
      {formatAgo(date, now)}
    </time>
  )
}
