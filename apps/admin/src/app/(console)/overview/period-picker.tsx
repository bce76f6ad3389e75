import Link from 'next/link'
import { classNames } from '../../../components/class-names.ts'
import { type PeriodId, periods } from './period.ts'

export function PeriodPicker({ chosen }: { chosen: PeriodId }) {
  return (
    <nav aria-label="Period" className="flex rounded-md border border-line bg-sunken p-0.5">
      {(Object.keys(periods) as PeriodId[]).map((id) => (
        <Link
          key={id}
          href={`/overview?period=${id}`}
          scroll={false}
          replace
          aria-current={id === chosen ? 'true' : undefined}
          className={classNames(
            'rounded px-2.5 py-0.5 text-ink-3 text-xs hover:text-ink max-sm:py-1.5',
            id === chosen && 'bg-panel font-medium text-ink shadow-[0_0_0_1px_var(--line)]',
          )}
        >
          {periods[id].label}
        </Link>
      ))}
    </nav>
  )
}
