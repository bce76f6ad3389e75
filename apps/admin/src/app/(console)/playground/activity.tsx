'use client'

import { Ban, Check, ChevronRight, CircleAlert, Hourglass, LoaderCircle, type LucideIcon } from 'lucide-react'
import Link from 'next/link'
import { classNames } from '../../../components/class-names.ts'
import { DecisionTag } from '../../../components/run-status.tsx'
import { TextBlock } from '../../../components/text-block.tsx'
import { formatDuration } from '../../../format.ts'
import type { CallView } from '../../../playground/view.ts'

const states: Record<CallView['state'], { icon: LucideIcon; word: string; look: string }> = {
  running: { icon: LoaderCircle, word: 'running', look: 'text-accent animate-spin' },
  waiting: { icon: Hourglass, word: 'waiting for an answer', look: 'text-wait' },
  done: { icon: Check, word: 'done', look: 'text-ok' },
  failed: { icon: CircleAlert, word: 'failed', look: 'text-bad' },
  refused: { icon: Ban, word: 'not run', look: 'text-ink-3' },
}

/** One tool call in one line; its exact arguments and output one click away. */
export function Activity({ call, line, open }: { call: CallView; line?: string | undefined; open?: boolean }) {
  const { icon: Icon, word, look } = states[call.state]
  return (
    <details
      open={open}
      data-state={call.state}
      className="group rounded-lg border border-line bg-panel open:shadow-lift"
    >
      <summary className="flex min-h-9 list-none items-center gap-2 px-3 py-1.5 [&::-webkit-details-marker]:hidden">
        <Icon aria-hidden="true" className={classNames('size-4 shrink-0', look)} />
        <span className="min-w-0 truncate font-medium">{call.title}</span>
        <code className="min-w-0 truncate font-mono text-2xs text-ink-3 max-sm:hidden">{call.tool}</code>
        <span className="flex-1" />
        {line && call.state === 'running' && <span className="truncate text-ink-3 text-xs">{line}</span>}
        <span className="shrink-0 text-ink-3 text-xs tabular-nums">
          {word}
          {call.durationMs !== null && call.state !== 'waiting' && ` · ${formatDuration(call.durationMs)}`}
        </span>
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 shrink-0 text-ink-3 transition-transform group-open:rotate-90"
        />
      </summary>
      <div className="grid gap-2 border-line border-t px-3 py-2.5">
        {call.note && <p className="text-ink-2">{call.note}</p>}
        {call.decision && (
          <div className="flex flex-wrap items-start gap-x-2 gap-y-1 text-ink-2 text-xs">
            <DecisionTag decision={call.decision} />
            <span className="min-w-0 break-words">{call.why.join(' → ')}</span>
          </div>
        )}
        <TextBlock title="Arguments" text={call.arguments} />
        {call.output && <TextBlock title="Output" text={call.output} />}
        {call.trace && (
          <Link
            href={`/runs/${call.trace.runId}?item=${call.trace.callId}`}
            className="w-fit text-accent-strong text-xs underline underline-offset-2"
          >
            All that is recorded of it
          </Link>
        )}
      </div>
    </details>
  )
}
