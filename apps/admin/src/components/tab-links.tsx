import Link from 'next/link'
import { classNames } from './class-names.ts'

interface TabLinksProps {
  /** What is chosen here, for those who do not see it. */
  label: string
  tabs: readonly { href: string; label: string; count?: number }[]
  /** The `href` of the tab that is shown. */
  chosen: string
}

/** Tabs that are pages of their own: each has an address. */
export function TabLinks({ label, tabs, chosen }: TabLinksProps) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-line border-b px-3 md:px-4">
      {tabs.map((tab) => (
        <Link
          key={tab.href}
          href={tab.href}
          aria-current={tab.href === chosen ? 'page' : undefined}
          className={classNames(
            '-mb-px whitespace-nowrap border-transparent border-b-2 px-2 py-2 text-ink-3 hover:text-ink focus-visible:-outline-offset-2',
            tab.href === chosen && 'border-accent font-medium text-ink',
          )}
        >
          {tab.label}
          {tab.count !== undefined && <span className="ml-1.5 text-2xs text-ink-3 tabular-nums">{tab.count}</span>}
        </Link>
      ))}
    </nav>
  )
}
