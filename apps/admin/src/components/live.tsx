'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { classNames } from './class-names.ts'

/**
 * Reads the page anew when the server says that something of the workspace's runs or questions has changed, and when
 * the connection is back.
 */
export function Live({ source: address = '/api/questions/events' }: { source?: string }) {
  const router = useRouter()
  const [connected, setConnected] = useState(true)
  useEffect(() => {
    const source = new EventSource(address)
    let wasLost = false
    source.addEventListener('open', () => {
      setConnected(true)
      if (wasLost) router.refresh()
    })
    source.addEventListener('error', () => {
      wasLost = true
      setConnected(false)
      // A refusal closes it for good; then the page itself finds out why.
      if (source.readyState === EventSource.CLOSED) router.refresh()
    })
    source.addEventListener('changed', () => router.refresh())
    return () => source.close()
  }, [router, address])
  return <LiveMark connected={connected} />
}

export function LiveMark({ connected }: { connected: boolean }) {
  return (
    <span role="status" className="flex items-center gap-1.5 text-ink-3 text-xs">
      <span aria-hidden="true" className={classNames('size-1.5 rounded-full', connected ? 'bg-ok' : 'bg-warn')} />
      {connected ? 'Live' : 'Reconnecting…'}
    </span>
  )
}
