'use client'

import { Link2 } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useClock } from '../../../components/use-clock.ts'
import { When } from '../../../components/when.tsx'
import { QuestionCard } from '../../../question-card/question-card.tsx'
import type { CardView } from '../../../question-card/view.ts'

export interface QuestionEntryProps {
  card: CardView
  agent: string
  requester: string | null
  askedAt: Date
  now: string
  timezone: string
  /** Where its run is shown, with this question chosen; left out where it is shown already. */
  trace?: string
}

/** A card as the chat shows it, under a line that says whose it is: here they come from everywhere. */
export function QuestionEntry({ card, agent, requester, askedAt, now, timezone, trace }: QuestionEntryProps) {
  const router = useRouter()
  const clock = useClock(now)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <p className="flex flex-wrap items-center gap-x-1.5 px-1 text-ink-3 text-xs">
        <span className="font-medium text-ink-2">{agent}</span>
        {requester && <span>for {requester}</span>}
        <span>
          asked <When date={askedAt} now={clock} timezone={timezone} />
        </span>
        {card.tool && <code className="font-mono text-2xs">{card.tool}</code>}
        {trace && (
          <Link href={trace} className="underline decoration-line-strong underline-offset-2 hover:text-ink">
            its run
          </Link>
        )}
        <Link
          href={`/approvals/${card.id}`}
          aria-label={`Link to “${card.title}”`}
          className="rounded p-0.5 hover:text-ink"
        >
          <Link2 aria-hidden="true" className="size-3.5" />
        </Link>
      </p>
      <QuestionCard card={card} clock={clock} timezone={timezone} onAnswered={async () => router.refresh()} />
    </div>
  )
}
