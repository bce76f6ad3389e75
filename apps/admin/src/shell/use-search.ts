'use client'

import { useEffect, useState } from 'react'
import type { Found } from './search-workspace.ts'

/** How long somebody may pause while they type. */
const pauseMs = 150

/** What has the name, or is the id, that somebody types; the answer to an older text never comes after a newer one. */
export function useSearch(text: string): Found[] {
  const [found, setFound] = useState<Found[]>([])
  const wanted = text.trim()
  useEffect(() => {
    if (wanted.length < 2) return setFound([])
    const ending = new AbortController()
    const pause = setTimeout(async () => {
      try {
        const answer = await fetch(`/api/search?${new URLSearchParams({ q: wanted })}`, { signal: ending.signal })
        if (answer.ok) setFound(((await answer.json()) as { found: Found[] }).found)
      } catch {
        // Typed on, or no connection: the pages can still be found.
      }
    }, pauseMs)
    return () => {
      clearTimeout(pause)
      ending.abort()
    }
  }, [wanted])
  return found
}
