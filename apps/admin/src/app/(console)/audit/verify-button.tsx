'use client'

import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'

type Line =
  | { checked: number; of: number }
  | { ok: true; events: number; head: string }
  | { ok: false; number: number; problem: string }
  | { failed: string }

/** Recomputes the whole chain and says plainly what came of it. */
export function Verify() {
  const [line, setLine] = useState<Line | null>(null)
  const [busy, setBusy] = useState(false)
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])

  const verify = async () => {
    setBusy(true)
    setLine({ checked: 0, of: 0 })
    stop.current = new AbortController()
    let last: Line | null = null
    try {
      const answer = await fetch('/api/audit/verification', {
        headers: { accept: 'application/x-ndjson' },
        signal: stop.current.signal,
      })
      if (!answer.ok || !answer.body) throw new Error(String(answer.status))
      for await (const text of readLines(answer.body)) {
        last = JSON.parse(text) as Line
        setLine(last)
      }
    } catch {
      if (stop.current.signal.aborted) return
    }
    if (!last || 'checked' in last) setLine({ failed: 'It broke off before its end. The console’s log says why.' })
    setBusy(false)
  }
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button onClick={() => void verify()} disabled={busy}>
        <ShieldCheck aria-hidden="true" /> {busy ? 'Verifying…' : 'Verify'}
      </Button>
      <div role="status" className="min-w-0 flex-1 text-sm">
        {line && <Said line={line} />}
      </div>
    </div>
  )
}

const count = new Intl.NumberFormat('en')

function Said({ line }: { line: Line }) {
  if ('failed' in line) return <p className="text-bad">{line.failed}</p>
  if ('checked' in line)
    return (
      <p className="flex items-center gap-2 text-ink-2">
        <progress
          aria-label="Verified so far"
          max={line.of || 1}
          value={line.checked}
          className="h-1.5 w-40 overflow-hidden rounded-full accent-accent"
        />
        {count.format(line.checked)} of {count.format(line.of)}
      </p>
    )
  if (line.ok)
    return (
      <div className="flex flex-wrap items-center gap-x-2">
        <p className="text-ok">
          Intact: {count.format(line.events)} {line.events === 1 ? 'event' : 'events'}, each fits the one before.
        </p>
        {line.head && (
          <p className="flex min-w-0 items-center gap-1 text-ink-3 text-xs">
            Head{' '}
            <code className="max-w-44 truncate font-mono" title={line.head}>
              {line.head}
            </code>
            <CopyButton text={line.head} label="Copy the head’s hash" />
          </p>
        )}
      </div>
    )
  return (
    <p className="flex gap-2 text-bad">
      <ShieldAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span>
        <strong className="font-semibold">Broken at event {count.format(line.number)}.</strong> {line.problem}
      </span>
    </p>
  )
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (done) return
  }
}
