import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** What to do next. */
  children?: ReactNode
}

export function EmptyState({ icon: Icon, title, children }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center justify-center gap-1 px-6 py-8 text-center">
      <Icon aria-hidden="true" className="mb-1.5 size-5 text-ink-3" strokeWidth={1.5} />
      <p className="font-medium text-ink">{title}</p>
      {children && <div className="max-w-sm text-balance text-ink-3 text-xs">{children}</div>}
    </div>
  )
}
