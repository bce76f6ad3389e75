'use client'

import type { FollowedToolCall, ListedToolCall } from '@quartermaster/db'
import { useEffect, useState } from 'react'
import { followEvents } from '../components/follow-events.ts'
import type { ExecutionsEvent } from './follow-calls.ts'
import { readExecution } from './listed-execution.ts'

/** How many rows are kept on the screen; older ones are behind "Older ones". */
const shownRows = 200

interface Tail {
  rows: readonly ListedToolCall[]
  connected: boolean
  /** Which of them came, or changed, while somebody looked. */
  fresh: ReadonlySet<string>
  /** Rows have left at the end, so that the list is no longer. */
  cut: boolean
}

/** The rows of a page and what happens to them; the page is not read anew for it. `address` null: nothing is followed. */
export function useTail(first: readonly ListedToolCall[], address: string | null): Tail {
  const [page, setPage] = useState(first)
  const [{ rows, fresh, cut }, setShown] = useState(() => startWith(first))
  const [connected, setConnected] = useState(true)
  // Another page of the list, or the same one read anew.
  if (page !== first) {
    setPage(first)
    setShown(startWith(first))
  }
  useEffect(() => {
    if (!address) return
    return followEvents(address, {
      events: {
        executions(data) {
          const { whole, executions } = data as ExecutionsEvent
          const calls = executions.map(readExecution)
          setShown((before) => {
            const isGap = whole && before.rows.length > 0 && !overlaps(before.rows, calls)
            const after = isGap ? calls : merge(before.rows, calls)
            return {
              rows: after.slice(0, shownRows),
              fresh: changedIn(before.rows, calls),
              cut: before.cut || isGap || after.length > shownRows,
            }
          })
        },
      },
      onState: setConnected,
      // The stream begins with the newest calls, whenever it begins.
      onBack() {},
    })
  }, [address])
  return { rows, connected, fresh, cut }
}

const startWith = (rows: readonly ListedToolCall[]): Omit<Tail, 'connected'> => ({ rows, fresh: new Set(), cut: false })

/** The newest first. A call that the filter does not let in (any more) only replaces its row, and does not come. */
export function merge(
  before: readonly ListedToolCall[],
  calls: readonly FollowedToolCall[],
): readonly ListedToolCall[] {
  const known = new Map(before.map((row) => [row.id, row]))
  let isNew = false
  for (const { matches, ...call } of calls) {
    const is = known.has(call.id)
    if (!is && !matches) continue
    isNew ||= !is
    known.set(call.id, call)
  }
  const rows = [...known.values()]
  return isNew ? rows.sort(newestFirst) : rows
}

/** Whether the newest calls reach back to what is shown; otherwise there are others in between. */
export function overlaps(shown: readonly ListedToolCall[], newest: readonly ListedToolCall[]): boolean {
  const first = shown[0]
  const last = newest.at(-1)
  return !first || !last || newestFirst(last, first) >= 0
}

/** Which of them are new, or not as they were. */
function changedIn(before: readonly ListedToolCall[], calls: readonly ListedToolCall[]): ReadonlySet<string> {
  const known = new Map(before.map((row) => [row.id, row.status]))
  return new Set(calls.filter(({ id, status }) => known.get(id) !== status).map(({ id }) => id))
}

const newestFirst = (a: ListedToolCall, b: ListedToolCall) =>
  b.requestedAt.getTime() - a.requestedAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
