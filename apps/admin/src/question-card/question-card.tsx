'use client'

import { CircleCheck, CircleHelp, CircleX, Clock, ShieldQuestion } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../components/button.tsx'
import { Markdown } from '../components/markdown.tsx'
import { Tag } from '../components/tag.tsx'
import { TextBlock } from '../components/text-block.tsx'
import { formatAgo, formatWhen } from '../format.ts'
import { AnswerChoice } from './answer-choice.tsx'
import { AnswerConfirmation } from './answer-confirmation.tsx'
import { AnswerForm } from './answer-form.tsx'
import { AnswerSeveral } from './answer-several.tsx'
import { AnswerText } from './answer-text.tsx'
import { Diff } from './diff.tsx'
import { type GiveAnswer, type OnAnswered, useAnswer } from './use-answer.ts'
import type { CardView, ClosedView } from './view.ts'

interface QuestionCardProps {
  card: CardView
  clock: Date
  timezone: string
  onAnswered: OnAnswered
}

/** What is asked, why, of whom and until when; then the buttons, or what was decided. */
export function QuestionCard({ card, clock, timezone, onAnswered }: QuestionCardProps) {
  const { give, busy, mistake, counted } = useAnswer(card, onAnswered)
  const frame = useFocusOf(counted)
  const isOver = card.closed === null && new Date(card.expiresAt) <= clock
  const Icon = card.kind === 'confirmation' || card.kind === 'plan' ? ShieldQuestion : CircleHelp
  const isOpen = card.closed === null && !isOver && counted === null
  return (
    <article
      ref={frame}
      aria-labelledby={`${card.id}-title`}
      // Where the focus goes when the card before this one was answered and is gone.
      tabIndex={-1}
      className={`min-w-0 rounded-[10px] border bg-panel shadow-lift ${isOpen ? 'border-wait/50' : 'border-line'}`}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5 px-4 py-3">
        <div className="flex items-start gap-2">
          <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${isOpen ? 'text-wait' : 'text-ink-3'}`} />
          <h3 id={`${card.id}-title`} className="min-w-0 flex-1 break-words font-semibold text-base">
            {card.title}
          </h3>
          {isOpen && (
            <Tag tone="wait">
              {card.approvals.required > 1
                ? `${card.approvals.given} of ${card.approvals.required} approved`
                : 'needs an answer'}
            </Tag>
          )}
        </div>
        {card.body && (
          <div className="text-ink-2">
            <Markdown text={card.body} />
          </div>
        )}
        {card.facts.length > 0 && <Facts facts={card.facts} />}
        {card.diff && <Diff {...card.diff} />}
        {card.argumentsText !== null && (
          <details open={card.isCut}>
            <summary className="w-fit text-accent-strong text-xs underline underline-offset-2">
              Show all arguments
            </summary>
            <div className="mt-1.5">
              <TextBlock title={card.tool ?? 'Arguments'} text={card.argumentsText} />
            </div>
          </details>
        )}
        {isOpen && <About card={card} clock={clock} timezone={timezone} />}
        {card.closed && <Ended closed={card.closed} timezone={timezone} />}
        {!card.closed && counted && <p role="status">{counted}</p>}
        {isOver && !counted && <p className="text-ink-2">The time for an answer is over.</p>}
        {isOpen && card.mayAnswer && <Answering card={card} give={give} busy={busy} />}
        {isOpen && card.mayAnswer && card.mayDecline && (
          <div>
            <Button
              look="ghost"
              size="small"
              className="-ml-2.5"
              disabled={busy}
              onClick={() => give({ verdict: 'deny' })}
            >
              I would rather not answer
            </Button>
          </div>
        )}
        {isOpen && !card.mayAnswer && (
          <p className="text-ink-2">
            {card.hasAnswered
              ? 'You have answered. It waits for the others.'
              : `You may not answer this. It waits for ${card.whoMayAnswer}.`}
          </p>
        )}
        <p role="alert" className="text-bad text-sm empty:hidden">
          {mistake}
        </p>
      </div>
    </article>
  )
}

/** The button that was pressed goes with the answer; whoever pressed it by keyboard stays on the card. */
function useFocusOf(counted: string | null) {
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    if (counted !== null && document.activeElement === document.body) frame.current?.focus()
  }, [counted])
  return frame
}

function Answering({ card, give, busy }: { card: CardView; give: GiveAnswer; busy: boolean }): ReactNode {
  switch (card.kind) {
    case 'choice':
    case 'budget':
      return <AnswerChoice card={card} give={give} busy={busy} />
    case 'multi_choice':
      return <AnswerSeveral card={card} give={give} busy={busy} />
    case 'text':
      return <AnswerText card={card} give={give} busy={busy} />
    case 'form':
      return <AnswerForm card={card} give={give} busy={busy} />
    default:
      return <AnswerConfirmation card={card} give={give} busy={busy} />
  }
}

function Facts({ facts }: Pick<CardView, 'facts'>) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5">
      {facts.map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="text-ink-3">{label}</dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function About({ card, clock, timezone }: { card: CardView; clock: Date; timezone: string }) {
  const expires = new Date(card.expiresAt)
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 rounded-md bg-sunken px-3 py-2 text-xs">
      {card.why.length > 0 && (
        <>
          <dt className="text-ink-3">Why it asks</dt>
          <dd className="break-words">{card.why.join(' · ')}</dd>
        </>
      )}
      <dt className="text-ink-3">May answer</dt>
      <dd className="break-words">{card.whoMayAnswer}</dd>
      <dt className="text-ink-3">Expires</dt>
      <dd>
        <time dateTime={card.expiresAt} title={formatWhen(expires, timezone)}>
          {formatAgo(expires, clock)}
        </time>
      </dd>
    </dl>
  )
}

function Ended({ closed, timezone }: { closed: ClosedView; timezone: string }) {
  const approved = closed.verdict === 'approve'
  const Icon = closed.status !== 'answered' ? Clock : approved ? CircleCheck : CircleX
  const look = closed.status !== 'answered' ? 'text-ink-3' : approved ? 'text-ok' : 'text-bad'
  return (
    <div className="flex gap-2">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${look}`} />
      <div className="min-w-0">
        <p>
          <span className="font-medium">{closed.sentence}</span>
          <span className="text-ink-3"> · {formatWhen(new Date(closed.at), timezone)}</span>
        </p>
      </div>
    </div>
  )
}
