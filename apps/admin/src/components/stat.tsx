import type { ReactNode } from 'react'
import { Card } from './card.tsx'
import { classNames } from './class-names.ts'

export interface Change {
  text: string
  /** Whether it is good news; null where more is neither good nor bad. */
  good: boolean | null
}

interface StatProps {
  label: string
  value: ReactNode
  change?: Change | null
  note?: ReactNode
}

export function Stat({ label, value, change, note }: StatProps) {
  return (
    <Card className="px-4 py-3">
      <p className="text-ink-3 text-xs">{label}</p>
      <p className="mt-0.5 font-semibold text-2xl tabular-nums tracking-tight">{value}</p>
      <p className="mt-0.5 flex min-h-[18px] flex-wrap gap-x-1.5 text-ink-3 text-xs tabular-nums">
        {change && (
          <span
            className={classNames(
              'font-medium',
              change.good === true && 'text-ok',
              change.good === false && 'text-bad',
              change.good === null && 'text-ink-2',
            )}
          >
            {change.text}
          </span>
        )}
        {note && <span className="truncate">{note}</span>}
      </p>
    </Card>
  )
}
