'use client'

import { useEffect, useRef, useState } from 'react'
import { followEvents, reconnectEvents } from '../components/follow-events.ts'
import { workspaceEvents } from '../components/live.tsx'
import type { WaitingEvent } from './waiting-event.ts'

/** How many questions wait for whoever looks; 0 until the server has said it. */
export function useWaiting(workspaceId: string): number {
  const [count, setCount] = useState(0)
  const followed = useRef(workspaceId)
  useEffect(
    () =>
      followEvents(workspaceEvents, {
        events: { waiting: (data) => setCount((data as WaitingEvent).count) },
        onState() {},
        onBack() {},
      }),
    [],
  )
  useEffect(() => {
    if (followed.current === workspaceId) return
    followed.current = workspaceId
    setCount(0)
    reconnectEvents(workspaceEvents)
  }, [workspaceId])
  return count
}
