'use client'

import Link from 'next/link'
import { Tag } from '../../../../components/tag.tsx'
import { useClock } from '../../../../components/use-clock.ts'
import { isUnfinished, type SessionView } from '../../../../playground/view.ts'
import { QuestionCard } from '../../../../question-card/question-card.tsx'
import { Activity } from '../../playground/activity.tsx'
import { useSession } from '../../playground/use-session.ts'

interface TrialProps {
  first: SessionView
  botAlive: boolean
  now: string
  timezone: string
}

/** What becomes of a try, while it happens: the decision and why, the question to answer, the output. */
export function Trial({ first, botAlive, now, timezone }: TrialProps) {
  const { view, entries, live, connected, reload } = useSession(first)
  const clock = useClock(now)
  const { run } = view
  const begun = entries.some(({ kind }) => kind === 'activity')
  return (
    <section
      aria-label="What became of it"
      aria-live="polite"
      className="grid grid-cols-[minmax(0,1fr)] gap-2.5 border-line border-t pt-3"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium">What became of it</h3>
        {!connected && (
          <Tag tone="warn" dot>
            connecting again
          </Tag>
        )}
        <span className="flex-1" />
        {run && (
          <Link href={`/runs/${run.id}`} className="text-accent-strong text-xs underline underline-offset-2">
            Open the trace
          </Link>
        )}
        <Link href={`/playground/${view.id}`} className="text-accent-strong text-xs underline underline-offset-2">
          Go on in the Playground
        </Link>
      </div>
      {!begun && isUnfinished(run) && (
        <p className="text-ink-3 text-xs">
          {botAlive ? 'On its way…' : 'In the queue: no bot is alive. It runs when one is.'}
        </p>
      )}
      {entries.map((entry) => {
        if (entry.kind === 'activity')
          return <Activity key={entry.key} call={entry.call} line={live.lines[entry.call.toolUseId]} open />
        if (entry.kind === 'question')
          return (
            <QuestionCard key={entry.key} card={entry.card} clock={clock} timezone={timezone} onAnswered={reload} />
          )
        if (entry.kind === 'notice')
          return (
            <p key={entry.key} className="text-ink-2 text-xs">
              {entry.text}
            </p>
          )
        if (entry.kind === 'file')
          return (
            <p key={entry.key}>
              It sent{' '}
              <a href={entry.file.address} className="text-accent-strong underline underline-offset-2">
                {entry.file.name}
              </a>
            </p>
          )
        // Without a call it was not run at all, and the answer says why.
        if (entry.kind === 'answer' && !begun)
          return (
            <p key={entry.key} className="text-ink-2">
              {entry.text}
            </p>
          )
        return null
      })}
      {run?.status === 'failed' && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
          The run failed: {run.error ?? 'its trace says why.'}
        </p>
      )}
    </section>
  )
}
