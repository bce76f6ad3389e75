'use client'

import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef, useState, useTransition } from 'react'
import { classNames } from './class-names.ts'

/**
 * Reads the page anew when the server says that something of the workspace's runs or questions has changed, and when
 * the connection is back.
 */
export function Live({ source: address = '/api/questions/events' }: { source?: string }) {
  const refresh = useRefresh()
  const [connected, setConnected] = useState(true)
  useEffect(() => {
    const source = new EventSource(address)
    source.addEventListener('open', () => {
      setConnected(true)
      // Nobody told us of what changed since the page was made, or while the connection was lost.
      refresh()
    })
    source.addEventListener('error', () => {
      setConnected(false)
      // A refusal closes it for good; then the page itself finds out why.
      if (source.readyState === EventSource.CLOSED) refresh()
    })
    source.addEventListener('changed', refresh)
    return () => source.close()
  }, [refresh, address])
  return <LiveMark connected={connected} />
}

/** Reads the page anew, one time after another: what comes while it is read means one more time, however much it is. */
export function useRefresh(): () => void {
  const router = useRouter()
  const [busy, start] = useTransition()
  const state = useRef({ busy: false, again: false })
  const refresh = useCallback(() => {
    if (state.current.busy) {
      state.current.again = true
      return
    }
    state.current.busy = true
    start(() => router.refresh())
  }, [router])
  useEffect(() => {
    if (busy) return
    const { again } = state.current
    state.current = { busy: false, again: false }
    if (again) refresh()
  }, [busy, refresh])
  return refresh
}

export function LiveMark({ connected }: { connected: boolean }) {
  return (
    <span role="status" className="flex items-center gap-1.5 text-ink-3 text-xs">
      <span aria-hidden="true" className={classNames('size-1.5 rounded-full', connected ? 'bg-ok' : 'bg-warn')} />
      {connected ? 'Live' : 'Reconnecting…'}
    </span>
  )
}
