'use client'

import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef, useState, useTransition } from 'react'
import { classNames } from './class-names.ts'
import { followEvents } from './follow-events.ts'

/** What happens to the workspace's runs and questions. */
export const workspaceEvents = '/api/questions/events'

interface LiveProps {
  source?: string
  /** At least so long between two readings of the page: what is dear to read, or only to be glanced at, rests longer. */
  restSeconds?: number
  /** Read anew after so long also when nothing was said: for what nobody announces, like a process that is gone. */
  atLeastEverySeconds?: number
}

/**
 * Reads the page anew when the server says that something of the workspace's runs or questions has changed, and when
 * the connection is back.
 */
export function Live({ source = workspaceEvents, restSeconds = 0, atLeastEverySeconds }: LiveProps) {
  const refresh = useRefresh()
  const [connected, setConnected] = useState(true)
  useEffect(() => {
    let readAt = Date.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = () => {
      clearTimeout(timer)
      timer = undefined
      readAt = Date.now()
      refresh()
    }
    const onChange = () => {
      const rest = readAt + restSeconds * 1000 - Date.now()
      if (rest <= 0) read()
      else timer ??= setTimeout(read, rest)
    }
    const leave = followEvents(source, {
      events: { changed: onChange },
      onState: setConnected,
      onBack: read,
      // The page itself finds out why.
      onRefused: read,
    })
    const slow = atLeastEverySeconds
      ? setInterval(() => document.visibilityState === 'visible' && read(), atLeastEverySeconds * 1000)
      : undefined
    return () => {
      leave()
      clearTimeout(timer)
      clearInterval(slow)
    }
  }, [refresh, source, restSeconds, atLeastEverySeconds])
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
