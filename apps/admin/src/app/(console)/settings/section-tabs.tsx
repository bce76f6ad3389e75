'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { classNames } from '../../../components/class-names.ts'
import type { Section } from './sections.ts'

export function SectionTabs({ sections }: { sections: Section[] }) {
  const pathname = usePathname()
  return (
    <nav aria-label="Settings" className="flex gap-1 overflow-x-auto border-line border-b px-3 md:px-4">
      {sections.map(({ href, label }) => (
        <Link
          key={href}
          href={href}
          aria-current={pathname === href ? 'page' : undefined}
          className={classNames(
            '-mb-px whitespace-nowrap border-transparent border-b-2 px-2 py-2 text-ink-3 hover:text-ink focus-visible:-outline-offset-2',
            pathname === href && 'border-accent font-medium text-ink',
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
