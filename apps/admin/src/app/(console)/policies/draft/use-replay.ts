'use client'

import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReplayEnd, ReplayedCall, ReplayedPage } from '../../../../policy/replay.ts'

export interface ReplayState {
  status: 'running' | 'done' | 'stopped' | 'out-of-time' | 'failed'
  calls: number
  unchanged: number
  gone: number
  allowed: number
  asked: number
  denied: number
  /** Asked before and after, but of others or on other terms. */
  otherTerms: number
  changed: ReplayedCall[]
  notListed: number
  progress: number
  /** How far back it has come. */
  reached: string | null
  /** Where to go on. */
  next: string | null
}

const nothing: ReplayState = {
  status: 'running',
  calls: 0,
  unchanged: 0,
  gone: 0,
  allowed: 0,
  asked: 0,
  denied: 0,
  otherTerms: 0,
  changed: [],
  notListed: 0,
  progress: 0,
  reached: null,
  next: null,
}

/** The draft put to the recorded calls of a period, as the server goes through them. It begins by itself. */
export function useReplay(period: string) {
  const [state, setState] = useState(nothing)
  const source = useRef<EventSource | null>(null)
  const read = useCallback(
    (after: string | null) => {
      source.current?.close()
      const opened = new EventSource(
        `/api/policies/replay?${new URLSearchParams({ days: period, ...(after ? { after } : {}) })}`,
      )
      source.current = opened
      const isMine = () => source.current === opened
      opened.addEventListener('page', ({ data }) => {
        if (isMine()) setState((before) => addPage(before, JSON.parse(data) as ReplayedPage))
      })
      opened.addEventListener('end', ({ data }) => {
        opened.close()
        const { next } = JSON.parse(data) as ReplayEnd
        if (isMine()) setState((before) => ({ ...before, status: next ? 'out-of-time' : 'done', next }))
      })
      const fail = () => {
        // Nothing is begun anew by itself: what was counted would be counted twice.
        opened.close()
        if (isMine()) setState((before) => ({ ...before, status: 'failed' }))
      }
      opened.addEventListener('failed', fail)
      opened.addEventListener('error', fail)
    },
    [period],
  )
  useEffect(() => {
    setState(nothing)
    read(null)
    return () => {
      source.current?.close()
      source.current = null
    }
  }, [read])
  return {
    state,
    stop() {
      source.current?.close()
      setState((before) => ({ ...before, status: 'stopped' }))
    },
    again() {
      setState(nothing)
      read(null)
    },
    goOn() {
      const { next } = state
      setState((before) => ({ ...before, status: 'running' }))
      read(next)
    },
  }
}

/** How many changed calls of each kind a page shows, however often somebody goes on. */
const mostShown = 200

function addPage(before: ReplayState, page: ReplayedPage): ReplayState {
  const to = (verdict: string) =>
    Object.entries(page.counts).reduce(
      (sum, [change, count]) => (change.endsWith(`→${verdict}`) && change !== 'ask→ask' ? sum + count : sum),
      0,
    )
  const shown = takeOfEach(before.changed, page.changed)
  return {
    ...before,
    calls: before.calls + page.calls,
    unchanged: before.unchanged + page.unchanged,
    gone: before.gone + page.gone,
    allowed: before.allowed + to('allow'),
    asked: before.asked + to('ask'),
    denied: before.denied + to('deny'),
    otherTerms: before.otherTerms + (page.counts['ask→ask'] ?? 0),
    changed: [...before.changed, ...shown],
    notListed: before.notListed + page.notListed + page.changed.length - shown.length,
    progress: page.progress,
    reached: page.reached,
  }
}

/** The further calls that there is room for: of each kind of change as many, so that none pushes another one out. */
function takeOfEach(before: readonly ReplayedCall[], further: readonly ReplayedCall[]): ReplayedCall[] {
  const counts = new Map<string, number>()
  const kindOf = ({ was, would }: ReplayedCall) => `${was}→${would}`
  const count = (call: ReplayedCall) => counts.set(kindOf(call), (counts.get(kindOf(call)) ?? 0) + 1)
  before.forEach(count)
  return further.filter((call) => {
    if ((counts.get(kindOf(call)) ?? 0) >= mostShown) return false
    count(call)
    return true
  })
}
