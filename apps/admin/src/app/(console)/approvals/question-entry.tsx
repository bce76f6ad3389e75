'use client'

import { Link2 } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { toast } from 'sonner'
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
  /** It is one of a list of open ones, which it leaves when it is answered. */
  leaves?: boolean
}

/** A card as the chat shows it, under a line that says whose it is: here they come from everywhere. */
export function QuestionEntry(props: QuestionEntryProps) {
  const { card, agent, requester, askedAt, now, timezone, trace, leaves = false } = props
  const router = useRouter()
  const clock = useClock(now)
  const { frame, goOnWithNext } = useNextCard()
  const onAnswered = async (counted: string | null) => {
    if (leaves && counted) {
      toast.success(counted, { description: card.title })
      goOnWithNext()
    }
    router.refresh()
  }
  return (
    <div ref={frame} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
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
      <QuestionCard card={card} clock={clock} timezone={timezone} onAnswered={onAnswered} />
    </div>
  )
}

/**
 * Whoever answers by keyboard goes on with the card after the one that they answered, which takes the focus with it when
 * it goes. Somebody who is elsewhere by then is left there.
 */
function useNextCard() {
  const frame = useRef<HTMLDivElement>(null)
  const next = useRef<() => HTMLElement | null>(null)
  useEffect(
    () => () => {
      const to = next.current?.()
      if (to && (document.activeElement === document.body || document.activeElement === null)) to.focus()
    },
    [],
  )
  const goOnWithNext = () => {
    const [after, before] = [frame.current?.nextElementSibling, frame.current?.previousElementSibling]
    next.current = () => {
      for (const entry of [after, before]) {
        const card = entry?.isConnected ? entry.querySelector('article') : null
        if (card) return card
      }
      return document.getElementById('content')
    }
  }
  return { frame, goOnWithNext }
}
