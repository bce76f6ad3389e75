'use client'

import { useEffect, useState } from 'react'
import { playgroundLimits as limits } from '../../../playground/limits.ts'
import type { SessionPage } from './queries.ts'

const event = 'quartermaster:sessions'

/** Says that a title or a state in the list is another one by now. */
export const announceSessions = () => window.dispatchEvent(new Event(event))

/**
 * The list as the page brought it, then as it is. It is not read with the page anew: where the console is away for a
 * moment, that would replace the whole page by the browser's own message.
 */
export function useSessions(first: SessionPage, before: string | null): SessionPage {
  const [page, setPage] = useState(first)
  useEffect(() => setPage(first), [first])
  useEffect(() => {
    const look = async () => {
      try {
        const answer = await fetch(
          `/api/playground/sessions?${new URLSearchParams({ limit: String(limits.sessions), ...(before ? { after: before } : {}) })}`,
        )
        if (answer.ok) setPage(readPage(await answer.json()))
      } catch {
        // The next change is announced again, and the page itself says that the console is away.
      }
    }
    window.addEventListener(event, look)
    return () => window.removeEventListener(event, look)
  }, [before])
  return page
}

function readPage(json: SessionPage): SessionPage {
  const sessions = json.sessions.map((session) => ({
    ...session,
    createdAt: new Date(session.createdAt),
    lastActivityAt: new Date(session.lastActivityAt),
  }))
  return { ...json, sessions }
}
