import type { ReactNode } from 'react'
import type { SessionPage } from './queries.ts'
import { SessionList } from './session-list.tsx'

interface FrameProps {
  page: SessionPage
  /** The session that is open; null for a new one. */
  open: string | null
  /** The address's own `before`. */
  before: string | null
  now: Date
  timezone: string
  children: ReactNode
}

/** The sessions at the left and one of them beside it; on a narrow screen the list is behind a button. */
export function Frame({ page, open, before, now, timezone, children }: FrameProps) {
  const list = <SessionList page={page} open={open} before={before} now={now} timezone={timezone} />
  return (
    <div className="flex h-[calc(100dvh-48px)] min-h-0 md:h-dvh">
      <div className="hidden w-60 shrink-0 flex-col border-line border-r bg-ground lg:flex">{list}</div>
      <div className="flex min-w-0 flex-1 flex-col">{children}</div>
    </div>
  )
}
