'use client'

import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../components/button.tsx'
import { Tag, type Tone } from '../../../components/tag.tsx'
import { isUnfinished, type RunView, type SessionView } from '../../../playground/view.ts'
import { sendMessage, stopRun } from './actions.ts'
import { Composer } from './composer.tsx'
import { EntryView, Said, Writing } from './entry-view.tsx'
import { useClock } from './use-clock.ts'
import { useSession } from './use-session.ts'
import { announceSessions } from './use-sessions.ts'

interface ConversationProps {
  first: SessionView
  /** When the server made the page, so that both draw the same times. */
  now: string
  timezone: string
  /** The button to the other sessions on a narrow screen. */
  drawer: ReactNode
}

/** One session. Everything that counts comes from the database; what is live only decorates it. */
export function Conversation({ first, now, timezone, drawer }: ConversationProps) {
  const { view, entries, live, connected, reload, loadOlder } = useSession(first)
  const [sending, setSending] = useState<string | null>(null)
  const clock = useClock(now)
  const working = isUnfinished(view.run)
  // The bot says itself how it ended; a run that ended before a bot had it says nothing.
  const endsWithNotice = entries.at(-1)?.kind === 'notice'
  const log = useStickToEnd([entries, live.text, sending])

  // The list beside it shows titles and states.
  const state = `${view.title}:${view.run?.status}`
  const shown = useRef(state)
  useEffect(() => {
    if (shown.current === state) return
    shown.current = state
    announceSessions()
  }, [state])

  const send = async ({ eventId, text, files }: { eventId: string; text: string; files: File[] }) => {
    const form = new FormData()
    form.set('sessionId', view.id)
    form.set('eventId', eventId)
    form.set('text', text)
    for (const file of files) form.append('files', file)
    setSending(text || files.map((file) => file.name).join(', '))
    try {
      const result = await sendMessage(null, form)
      if (!result.ok) return result.fields ? Object.values(result.fields).join(' ') : result.message
      await reload().catch(() => {}) // It was taken; it is shown as soon as the console can be read again.
      return null
    } finally {
      setSending(null)
    }
  }

  const stop = async () => {
    if (!view.run) return
    const form = new FormData()
    form.set('sessionId', view.id)
    form.set('runId', view.run.id)
    const result = await stopRun(null, form)
    if (!result.ok) toast.error(result.message)
    await reload().catch(() => {})
  }

  const stopNow = working && view.run?.status !== undefined ? () => void stop() : null
  const stopWithEscape = useRef(stopNow)
  stopWithEscape.current = view.run?.stopRequested ? null : stopNow
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // A dialog or a menu that is open closes with the same key, and that is all it then does.
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('[role=dialog],[role=menu]'))
        return
      stopWithEscape.current?.()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])

  return (
    <>
      <header className="flex min-h-12 items-center gap-2 border-line border-b px-4 md:px-5">
        {drawer}
        <h1 className="min-w-0 truncate font-semibold text-base">{view.title || 'New session'}</h1>
        <span className="shrink-0 text-ink-3 max-sm:hidden">{view.agent.name}</span>
        <span className="flex-1" />
        {connected ? (
          view.run && <RunTag run={view.run} />
        ) : (
          <Tag tone="warn" dot>
            connecting again
          </Tag>
        )}
      </header>
      <div
        ref={log}
        role="log"
        aria-label="Conversation"
        aria-busy={live.text !== ''}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-5 focus-visible:-outline-offset-2 md:px-5"
      >
        <h2 className="sr-only">Conversation with {view.agent.name}</h2>
        <div className="mx-auto grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-3">
          {loadOlder && (
            <div className="text-center">
              <Button size="small" onClick={() => void loadOlder()}>
                Show what came before
              </Button>
            </div>
          )}
          {entries.map((entry, index) => (
            <EntryView
              key={entry.key}
              entry={entry}
              clock={clock}
              timezone={timezone}
              live={live}
              failed={view.run?.status === 'failed' && index === entries.length - 1}
              onAnswered={reload}
            />
          ))}
          {sending !== null && <Said text={sending} files={[]} note="sending…" />}
          {live.text && <Writing text={live.text} />}
          {working && !live.text && view.run?.status !== 'waiting' && (
            <p className="flex items-center gap-2 text-ink-3 text-xs">
              <span aria-hidden="true" className="size-1.5 animate-pulse rounded-full bg-accent" />
              {describeWork(view, live.status)}
            </p>
          )}
          {view.run?.status === 'failed' && !endsWithNotice && (
            <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
              This did not work: {view.run.error ?? 'the reason is in the log.'}
            </p>
          )}
          {view.run?.status === 'stopped' && !endsWithNotice && <p className="text-ink-3 text-xs">Stopped.</p>}
        </div>
      </div>
      <Composer
        send={send}
        stop={stopNow}
        disabled={view.agent.archived ? `${view.agent.name} is archived and answers no more.` : null}
        placeholder={`Write to ${view.agent.name}`}
      />
    </>
  )
}

function describeWork({ run, agent }: SessionView, status: string | null): string {
  if (run?.stopRequested) return 'Stopping…'
  // It takes milliseconds while a bot is there; where none is, this stays, and says what is missing.
  if (run?.status === 'queued') return 'In the queue, until the bot takes it'
  return status ?? `${agent.name} is working`
}

const tags: Record<RunView['status'], { tone: Tone; word: string }> = {
  queued: { tone: 'accent', word: 'queued' },
  running: { tone: 'accent', word: 'working' },
  waiting: { tone: 'wait', word: 'needs an answer' },
  succeeded: { tone: 'ok', word: 'done' },
  failed: { tone: 'bad', word: 'failed' },
  stopped: { tone: 'mute', word: 'stopped' },
}

function RunTag({ run }: { run: RunView }) {
  const { tone, word } =
    run.stopRequested && isUnfinished(run) ? { tone: 'mute' as const, word: 'stopping' } : tags[run.status]
  return (
    <Tag tone={tone} dot>
      {word}
    </Tag>
  )
}

/** Whoever reads the end stays there while more comes; whoever has scrolled up stays where they are. */
function useStickToEnd(changes: unknown[]) {
  const log = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useEffect(() => {
    const element = log.current
    const onScroll = () => {
      if (element) atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80
    }
    // A picture has its height only when it is there.
    const onLoad = () => {
      if (atEnd.current && element) element.scrollTop = element.scrollHeight
    }
    element?.addEventListener('scroll', onScroll, { passive: true })
    element?.addEventListener('load', onLoad, { capture: true })
    return () => {
      element?.removeEventListener('scroll', onScroll)
      element?.removeEventListener('load', onLoad, { capture: true })
    }
  }, [])
  useLayoutEffect(() => {
    if (atEnd.current && log.current) log.current.scrollTop = log.current.scrollHeight
    // biome-ignore lint/correctness/useExhaustiveDependencies: it follows whatever it is given.
  }, changes)
  return log
}
