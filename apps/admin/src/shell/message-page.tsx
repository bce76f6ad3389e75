import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface MessagePageProps {
  icon: LucideIcon
  title: string
  /** What happened and what to do, in sentences. */
  about: ReactNode
  children?: ReactNode
}

/** A page that only says something: not found, not allowed, failed. */
export function MessagePage({ icon: Icon, title, about, children }: MessagePageProps) {
  return (
    <div className="grid min-h-[70dvh] place-items-center px-6 py-16">
      <div className="max-w-sm text-center">
        <Icon aria-hidden="true" strokeWidth={1.5} className="mx-auto mb-4 size-7 text-ink-3" />
        <h1 className="font-semibold text-lg">{title}</h1>
        <p className="mt-1.5 mb-5 text-balance text-ink-2">{about}</p>
        <div className="flex justify-center gap-2">{children}</div>
      </div>
    </div>
  )
}
