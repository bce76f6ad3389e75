'use client'

import { useEffect, useState } from 'react'

/** The server's time first, then our own every half minute. */
export function useClock(first: string): Date {
  const [now, setNow] = useState(() => new Date(first))
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
