'use client'

import type { LiveEvent } from '@quartermaster/db'
import { useEffect, useState } from 'react'
import { LiveMark, useRefresh } from '../../../../components/live.tsx'
import { Markdown } from '../../../../components/markdown.tsx'

interface Writing {
  step: number
  text: string
}

/** Follows a run that goes on: the page is read anew at each change, and what the model writes is shown as it comes. */
export function LiveTrace({ runId }: { runId: string }) {
  const refresh = useRefresh()
  const [connected, setConnected] = useState(true)
  const [writing, setWriting] = useState<Writing | null>(null)
  useEffect(() => {
    const source = new EventSource(`/api/runs/${encodeURIComponent(runId)}/live`)
    source.addEventListener('open', () => {
      setConnected(true)
      refresh()
    })
    source.addEventListener('error', () => {
      setConnected(false)
      // A refusal closes it for good; then the page itself finds out why.
      if (source.readyState === EventSource.CLOSED) refresh()
    })
    source.addEventListener('changed', refresh)
    source.addEventListener('gap', () => {
      setWriting(null)
      refresh()
    })
    source.addEventListener('live', ({ data }) => {
      const event = JSON.parse(data) as LiveEvent
      setWriting((now) => writeOn(now, event))
    })
    return () => source.close()
  }, [runId, refresh])
  return (
    <>
      <LiveMark connected={connected} />
      {writing?.text && (
        <section
          aria-label="What is being written"
          data-writing
          className="order-last w-full max-w-3xl rounded-[10px] border border-line bg-panel px-4 py-3"
        >
          <Markdown text={writing.text} writing />
        </section>
      )}
    </>
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
