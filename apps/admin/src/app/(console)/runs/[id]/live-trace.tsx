'use client'

import type { LiveEvent } from '@quartermaster/db'
import { useEffect, useState } from 'react'
import { followEvents } from '../../../../components/follow-events.ts'
import { LiveMark, useRefresh } from '../../../../components/live.tsx'
import { Markdown } from '../../../../components/markdown.tsx'

/** Both below follow one address, and so have one connection. */
const addressOf = (runId: string) => `/api/runs/${encodeURIComponent(runId)}/live`

/** Follows a run while it goes on: the page is read anew at each change. */
export function LiveTrace({ runId, isOver }: { runId: string; isOver: boolean }) {
  const refresh = useRefresh()
  const [connected, setConnected] = useState(true)
  useEffect(() => {
    if (isOver) return
    return followEvents(addressOf(runId), {
      events: { changed: refresh, gap: refresh },
      onState: setConnected,
      onBack: refresh,
      // The page itself finds out why.
      onRefused: refresh,
    })
  }, [runId, isOver, refresh])
  return <LiveMark connected={connected} />
}

interface Writing {
  step: number
  text: string
}

/** What the model is writing, as it comes. It stands below all that is there already, so that nothing of it moves. */
export function LiveWriting({ runId }: { runId: string }) {
  const [writing, setWriting] = useState<Writing | null>(null)
  useEffect(
    () =>
      followEvents(addressOf(runId), {
        events: {
          live: (event) => setWriting((now) => writeOn(now, event as LiveEvent)),
          gap: () => setWriting(null),
        },
        onState() {},
        onBack() {},
      }),
    [runId],
  )
  if (!writing?.text) return null
  return (
    <section
      aria-label="What is being written"
      data-writing
      className="mx-4 mb-4 max-w-3xl rounded-[10px] border border-line bg-panel px-4 py-3 md:mx-5"
    >
      <Markdown text={writing.text} writing />
    </section>
  )
}

function writeOn(now: Writing | null, event: LiveEvent): Writing | null {
  if (event.kind === 'step-end') return null
  if (event.kind !== 'text' && event.kind !== 'restart') return now
  const text = now?.step === event.step ? now.text : ''
  if (event.kind === 'restart') return { step: event.step, text: text.slice(0, event.keep) }
  // A piece is missing before this one: the message itself will bring all of it.
  return event.from > text.length ? now : { step: event.step, text: text.slice(0, event.from) + event.text }
}
