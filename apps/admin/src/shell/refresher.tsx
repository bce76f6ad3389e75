'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Reads the page anew now and then, while somebody can see it and at once when they come back to it. */
export function Refresher({ everySeconds }: { everySeconds: number }) {
  const router = useRouter()
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') router.refresh()
    }
    const timer = setInterval(refresh, everySeconds * 1000)
    document.addEventListener('visibilitychange', refresh)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refresh)
    }
  }, [router, everySeconds])
  return (
    <span
      className="flex items-center gap-1.5 text-ink-3 text-xs max-sm:hidden"
      title={`Read anew every ${everySeconds} seconds`}
    >
      <span aria-hidden="true" className="size-1.5 rounded-full bg-ok" />
      Live
    </span>
  )
}
