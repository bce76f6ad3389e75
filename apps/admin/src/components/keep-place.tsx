'use client'

import { type ReactNode, useRef } from 'react'

/**
 * What goes while somebody looks, as the button that stops what has ended now: it goes out of sight and out of reach, and
 * its place stays, so that nothing beside it moves. Whoever comes later finds neither.
 */
export function KeepPlace({ shown, children }: { shown: boolean; children: ReactNode }) {
  const was = useRef(false)
  was.current ||= shown
  if (!was.current) return null
  return (
    <span inert={!shown} className={shown ? 'inline-flex' : 'invisible inline-flex'}>
      {children}
    </span>
  )
}
