'use client'

import { MessagesSquare, Plus } from 'lucide-react'
import Link from 'next/link'
import { Button } from '../../../components/button.tsx'
import { classNames } from '../../../components/class-names.ts'
import { When } from '../../../components/when.tsx'
import type { SessionPage } from './queries.ts'
import { useClock } from './use-clock.ts'
import { useSessions } from './use-sessions.ts'

interface SessionListProps {
  page: SessionPage
  open: string | null
  before: string | null
  now: Date
  timezone: string
}

const states: Record<string, { word: string; look: string }> = {
  queued: { word: 'working', look: 'bg-accent' },
  running: { word: 'working', look: 'bg-accent' },
  waiting: { word: 'waits for an answer', look: 'bg-wait' },
  failed: { word: 'failed', look: 'bg-bad' },
}

/** The member's own sessions, the most recent first, page by page. */
export function SessionList({ page: first, open, before, now, timezone }: SessionListProps) {
  const page = useSessions(first, before)
  const clock = useClock(now.toISOString())
  return (
    <nav aria-label="Sessions" className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-12 items-center justify-between gap-2 border-line border-b px-3">
        <h2 className="font-semibold">Sessions</h2>
        <Button asChild size="small">
          <Link href="/playground">
            <Plus aria-hidden="true" /> New
          </Link>
        </Button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto p-2">
        {page.sessions.length === 0 && (
          <p className="flex flex-col items-center gap-1.5 px-3 py-8 text-center text-ink-3 text-xs">
            <MessagesSquare aria-hidden="true" strokeWidth={1.5} className="size-5" />
            {before ? 'There are no older sessions.' : 'Your sessions are kept here. Only you see them.'}
          </p>
        )}
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-px">
          {page.sessions.map((session) => {
            const state = states[session.runStatus ?? '']
            const here = session.id === open
            return (
              <li key={session.id}>
                <Link
                  href={`/playground/${session.id}${before ? `?before=${encodeURIComponent(before)}` : ''}`}
                  aria-current={here ? 'page' : undefined}
                  className={classNames(
                    'block rounded-md px-2.5 py-1.5 hover:bg-sunken',
                    here && 'bg-panel shadow-[0_0_0_1px_var(--line)] hover:bg-panel',
                  )}
                >
                  <span className="flex items-center gap-2">
                    <span className={classNames('min-w-0 flex-1 truncate', here && 'font-medium')}>
                      {session.title || 'New session'}
                    </span>
                    {state && (
                      <span className={classNames('size-1.5 shrink-0 rounded-full', state.look)}>
                        <span className="sr-only">{state.word}</span>
                      </span>
                    )}
                  </span>
                  <span className="flex justify-between gap-2 text-2xs text-ink-3">
                    <span className="truncate">{session.agentName}</span>
                    <When
                      date={session.lastActivityAt}
                      now={laterOf(clock, session.lastActivityAt)}
                      timezone={timezone}
                    />
                  </span>
                </Link>
              </li>
            )
          })}
        </ul>
        <div className="flex justify-between gap-2 px-2.5 pt-2 text-xs empty:hidden">
          {before && (
            <Link className="text-accent-strong underline" href={open ? `/playground/${open}` : '/playground'}>
              Newest
            </Link>
          )}
          {page.next && (
            <Link
              className="ml-auto text-accent-strong underline"
              href={`${open ? `/playground/${open}` : '/playground'}?before=${encodeURIComponent(page.next)}`}
            >
              Older sessions
            </Link>
          )}
        </div>
      </div>
    </nav>
  )
}

/** The clock goes on every half minute, and what happens in between has not happened in the future. */
const laterOf = (one: Date, other: Date) => (one > other ? one : other)
