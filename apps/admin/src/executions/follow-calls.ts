// The list of executions as it changes, for one reader. Notices only say in which runs something happened; what counts
// is read from the database, for all runs of a short rest together.
import type { FollowedToolCall, ListedToolCall } from '@quartermaster/db'
import { data } from '../data.ts'
import type { EventStream } from '../playground/event-stream.ts'
import { runtime } from '../runtime.ts'
import type { CallFilter } from './call-filter.ts'
import { type ListedExecution, renderExecution } from './listed-execution.ts'

/** How long notices are collected before a read: the reader's screen is redrawn no more often. */
const restMs = 80
/** After a read that failed, or that a slow reader had no room for. */
const againMs = 1_000
/** Runs that are read at once; where more have changed, the newest calls are read anew instead. */
const followedRuns = 200
/** What the reader has, so that nothing is sent twice; the oldest are forgotten. */
const remembered = 1_000
/** As many as a page of the list. */
const newest = 50

export interface ExecutionsEvent {
  /** The newest ones as they are, and not only what changed: whoever has none of them has missed some in between. */
  whole: boolean
  /** `matches`: the filter lets it in as it is now; otherwise it is of use only where it is shown already. */
  executions: (ListedExecution & { matches: boolean })[]
}

/** Sends `executions` until the returned function is called: the newest ones first of all, then whatever changes. */
export function followCalls(workspaceId: string, filter: CallFilter, stream: EventStream): () => void {
  const { db, live } = runtime()
  const changed = new Set<string>()
  const sent = new Map<string, string>()
  /** Anything may have changed. */
  let all = true
  let over = false
  let reading = false
  let timer: NodeJS.Timeout | undefined

  const read = async (runIds: string[]): Promise<FollowedToolCall[]> => {
    const list = { workspaceId, ...filter }
    if (runIds.length) return data.readCallsOfRuns(db, { ...list, runIds })
    const { calls } = await data.listToolCalls(db, { ...list, limit: newest })
    return calls.map((call) => ({ ...call, matches: true }))
  }

  const flush = async () => {
    timer = undefined
    if (over || reading) return
    reading = true
    const runIds = all ? [] : [...changed]
    const wasAll = all
    changed.clear()
    all = false
    let rest = restMs
    try {
      const found = await read(runIds)
      const calls = wasAll ? found : found.filter((call) => sent.get(call.id) !== stateOf(call))
      if (over) return
      if ((!calls.length && !wasAll) || stream.trySend('executions', eventOf(wasAll, calls))) remember(calls)
      else {
        all = true
        rest = againMs
      }
    } catch (error) {
      // The database is away for a moment; a reader who missed something reads all anew.
      console.error('console: the executions could not be followed:', error)
      all = true
      rest = againMs
    } finally {
      reading = false
    }
    if (all || changed.size) timer ??= setTimeout(flush, rest)
  }

  const remember = (calls: readonly ListedToolCall[]) => {
    for (const call of calls) {
      sent.delete(call.id)
      sent.set(call.id, stateOf(call))
    }
    for (const id of sent.keys()) {
      if (sent.size <= remembered) break
      sent.delete(id)
    }
  }

  const leave = live.watch(
    workspaceId,
    (change) => {
      if (change && changed.size < followedRuns) changed.add(change.runId)
      else all = true
      if (!reading) timer ??= setTimeout(flush, restMs)
    },
    () => stream.end(),
  )
  void flush()
  return () => {
    over = true
    clearTimeout(timer)
    leave()
  }
}

const eventOf = (whole: boolean, calls: readonly FollowedToolCall[]): ExecutionsEvent => ({
  whole,
  executions: calls.map((call) => ({ ...renderExecution(call), matches: call.matches })),
})

/** What can change of a row that is shown. */
const stateOf = ({ status, decision, durationMs }: ListedToolCall) => `${status} ${decision} ${durationMs}`
