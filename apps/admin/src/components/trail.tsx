import Link from 'next/link'
import type { PlaceOfReason } from '../policy/place-of-reason.ts'

const marks = {
  allow: { sign: '✓', tone: 'text-ok', spoken: 'Allowed:' },
  ask: { sign: '?', tone: 'text-wait', spoken: 'Asks:' },
  deny: { sign: '✕', tone: 'text-bad', spoken: 'Denied:' },
} as const

export interface ShownReason {
  layer: string
  verdict: keyof typeof marks
  reason: string
  /** Where it is written; null where nobody wrote it. */
  place: PlaceOfReason | null
}

/** The reasons of a decision in their order, each with the way to where it is written. */
export function Trail({ trail }: { trail: readonly ShownReason[] }) {
  return trail.map(({ layer, verdict, reason, place }) => {
    const { sign, tone, spoken } = marks[verdict]
    return (
      <li key={`${layer} ${reason}`} className="relative flex gap-2">
        <span aria-hidden="true" className={tone}>
          {sign}
        </span>
        <span className="min-w-0 break-words">
          <span className="sr-only">{spoken} </span>
          {reason}
          {place && (
            <>
              {' '}
              <Link
                href={place.href}
                prefetch={false}
                className="whitespace-nowrap text-accent-strong underline underline-offset-2"
              >
                {place.label}
              </Link>
            </>
          )}
        </span>
      </li>
    )
  })
}
