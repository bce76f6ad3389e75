'use client'

import { useEffect, useState } from 'react'
import { formatDuration } from '../format.ts'

/** How long something has been going on: what the server said first, then by the second. */
export function RunningTime({ since, now }: { since: string; now: string }) {
  const [at, setAt] = useState(() => new Date(now).getTime())
  useEffect(() => {
    // The server's clock is the one that counts; ours only says how much time has passed.
    const ahead = Date.now() - new Date(now).getTime()
    const timer = setInterval(() => setAt(Date.now() - ahead), 1_000)
    setAt(new Date(now).getTime())
    return () => clearInterval(timer)
  }, [now])
  return formatDuration(Math.max(0, at - new Date(since).getTime()))
}
