'use client'

import type { LiveEvent } from '@quartermaster/db'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Entry, isUnfinished, type SessionView } from '../../../playground/view.ts'

/** Decoration: what is being written, and what the run says about itself. Gone as soon as the database has it. */
export interface LiveState {
  runId: string | null
  step: number
  text: string
  status: string | null
  lines: Record<string, string>
}

const nothing: LiveState = { runId: null, step: -1, text: '', status: null, lines: {} }

export interface Session {
  view: SessionView
  entries: Entry[]
  live: LiveState
  connected: boolean
  /** Reads the session anew; resolves when it is shown. */
  reload: () => Promise<void>
  /** Shows what came before the first entry; null when that is all. */
  loadOlder: (() => Promise<void>) | null
}

export function useSession(first: SessionView): Session {
  const [view, setView] = useState(first)
  const [entries, setEntries] = useState(first.entries)
  const [before, setBefore] = useState(first.before)
  const [live, setLive] = useState(nothing)
  const [connected, setConnected] = useState(true)
  const address = `/api/playground/sessions/${first.id}`
  const reading = useRef<{ now: Promise<void> | null; next: Promise<void> | null }>({ now: null, next: null })

  const readOnce = useCallback(async () => {
    const answer = await fetch(address, { cache: 'no-store' })
    // Signed out, or no longer a member: the page itself says what to do about that.
    if (answer.status === 401 || answer.status === 403 || answer.status === 404) return window.location.reload()
    if (!answer.ok) throw new Error(`the session could not be read: ${answer.status}`)
    const fresh = (await answer.json()) as SessionView
    setView(fresh)
    setEntries((known) => mergeEntries(known, fresh.entries))
    if (!isUnfinished(fresh.run) || fresh.run?.status === 'waiting') setLive(nothing)
  }, [address])

  // One at a time; whoever asks while one is under way gets the one after it, which began after they asked.
  const reload = useCallback((): Promise<void> => {
    const state = reading.current
    const begin = () => {
      const now = readOnce().finally(() => {
        if (state.now === now) state.now = null
      })
      state.now = now
      return now
    }
    if (!state.now) return begin()
    state.next ??= state.now
      .catch(() => {})
      .then(() => {
        state.next = null
        return begin()
      })
    return state.next
  }, [readOnce])

  useEffect(() => {
    let late: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      reload().catch(() => {
        // The console or the network is away for a moment. The stream tells when it is back; this is for the rest.
        clearTimeout(late)
        late = setTimeout(look, 3_000)
      })
    }
    const source = new EventSource(`${address}/events`)
    source.addEventListener('open', () => {
      setConnected(true)
      look()
    })
    source.addEventListener('error', () => {
      setConnected(false)
      // A refusal closes it for good; then the page itself finds out why.
      if (source.readyState === EventSource.CLOSED) look()
    })
    source.addEventListener('changed', look)
    source.addEventListener('gap', () => {
      setLive(nothing)
      look()
    })
    source.addEventListener('live', ({ data }) => {
      const event = JSON.parse(data) as LiveEvent & { runId: string }
      if (event.kind === 'step-end') {
        // Its message is stored: once that is shown, the decoration has done its work.
        void reload().then(
          () => setLive((now) => (now.step === event.step ? nothing : now)),
          () => {},
        )
      } else setLive((now) => decorate(now, event))
    })
    return () => {
      clearTimeout(late)
      source.close()
    }
  }, [address, reload])

  const loadOlder = async () => {
    const answer = await fetch(`${address}?before=${before}`, { cache: 'no-store' })
    if (!answer.ok) return
    const page = (await answer.json()) as SessionView
    setEntries((known) => [...page.entries.filter(({ key }) => !known.some((entry) => entry.key === key)), ...known])
    setBefore(page.before)
  }

  return { view, entries, live, connected, reload, loadOlder: before ? loadOlder : null }
}

/** The newest page takes the place of what it shows; what was read of older ones stays before it. */
function mergeEntries(known: Entry[], page: Entry[]): Entry[] {
  const keys = new Set(page.map((entry) => entry.key))
  const index = known.findIndex((entry) => keys.has(entry.key))
  // Nothing in common: so much came meanwhile that there would be a hole between them.
  return index === -1 ? page : [...known.slice(0, index), ...page]
}

function decorate(now: LiveState, event: LiveEvent & { runId: string }): LiveState {
  const { runId } = event
  const own = now.runId === runId ? now : { ...nothing, runId }
  if (event.kind === 'status') return { ...own, status: event.sentence }
  if (event.kind === 'activity')
    return event.line === undefined ? own : { ...own, lines: { ...own.lines, [event.toolUseId]: event.line } }
  if (event.kind === 'step-end') return own
  const text = own.step === event.step ? own.text : ''
  if (event.kind === 'restart') return { ...own, step: event.step, text: text.slice(0, event.keep) }
  // A piece is missing before this one: the message itself will bring all of it.
  if (event.from > text.length) return own
  return { ...own, step: event.step, text: text.slice(0, event.from) + event.text, status: null }
}
