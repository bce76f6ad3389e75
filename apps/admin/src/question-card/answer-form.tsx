'use client'

import { Check, ChevronLeft, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { classNames } from '../components/class-names.ts'
import { Options } from './options.tsx'
import type { AnsweringProps } from './use-answer.ts'
import type { FormTabView } from './view.ts'

type TabAnswer = string | string[]

/** Questions one after another, with a summary at the end from which each can be gone back to. */
export function AnswerForm({ card, give, busy }: AnsweringProps) {
  const [answers, setAnswers] = useState<TabAnswer[]>(() => card.tabs.map(({ multiple }) => (multiple ? [] : '')))
  const [at, setAt] = useState(0)
  const tab = card.tabs[at]
  const isSummary = tab === undefined
  const missing = card.tabs.flatMap(({ title }, index) => (answers[index]?.length ? [] : [title]))
  return (
    <form
      className="grid gap-2.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSummary) setAt(at + 1)
        else if (!missing.length) void give({ verdict: 'approve', value: answers })
      }}
    >
      {card.tabs.length > 1 && <Titles tabs={card.tabs} answers={answers} at={at} onGo={setAt} />}
      {tab ? (
        <Tab
          key={at}
          tab={tab}
          answer={answers[at] ?? ''}
          onChange={(answer) => setAnswers(answers.map((other, index) => (index === at ? answer : other)))}
        />
      ) : (
        <Summary tabs={card.tabs} answers={answers} onGo={setAt} />
      )}
      <div className="flex flex-wrap items-center gap-1.5">
        <Button
          size="icon"
          aria-label="Back"
          className="max-sm:size-10"
          disabled={at === 0}
          onClick={() => setAt(at - 1)}
        >
          <ChevronLeft aria-hidden="true" />
        </Button>
        <span aria-live="polite" className="min-w-16 text-center text-ink-3 text-xs tabular-nums">
          {isSummary ? 'Summary' : `${at + 1} of ${card.tabs.length}`}
        </span>
        {!isSummary && (
          <Button className="max-sm:h-10" onClick={() => setAt(at + 1)}>
            Next <ChevronRight aria-hidden="true" />
          </Button>
        )}
        {isSummary && (
          <Button type="submit" look="primary" className="max-sm:h-10" disabled={busy || missing.length > 0}>
            Send answers
          </Button>
        )}
        {isSummary && missing.length > 0 && <span className="text-ink-3 text-xs">Missing: {missing.join(', ')}</span>}
      </div>
    </form>
  )
}

interface TitlesProps {
  tabs: FormTabView[]
  answers: TabAnswer[]
  at: number
  onGo: (index: number) => void
}

/** What there is to answer, and what is answered already. */
function Titles({ tabs, answers, at, onGo }: TitlesProps) {
  return (
    <ol className="flex flex-wrap gap-1 border-line border-b pb-2">
      {tabs.map(({ title }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two tabs may have the same title, and none moves.
        <li key={index} className="min-w-0">
          <button
            type="button"
            aria-current={index === at ? 'step' : undefined}
            onClick={() => onGo(index)}
            className={classNames(
              'flex max-w-full items-center gap-1 rounded-md px-2 py-1 text-xs max-sm:min-h-10',
              index === at ? 'bg-sunken font-medium text-ink' : 'text-ink-3 hover:bg-sunken hover:text-ink',
            )}
          >
            <span className="truncate">{title}</span>
            {answers[index]?.length ? (
              <>
                <Check aria-hidden="true" className="size-3 shrink-0 text-ok" />
                <span className="sr-only">, answered</span>
              </>
            ) : null}
          </button>
        </li>
      ))}
    </ol>
  )
}

interface TabProps {
  tab: FormTabView
  answer: TabAnswer
  onChange: (answer: TabAnswer) => void
}

function Tab({ tab, answer, onChange }: TabProps) {
  const id = useId()
  if (tab.options.length)
    return (
      <Options
        legend={tab.question}
        options={tab.options}
        chosen={[answer].flat()}
        multiple={tab.multiple}
        onChange={(chosen) =>
          onChange(tab.multiple ? tab.options.filter((option) => chosen.includes(option)) : (chosen[0] ?? ''))
        }
      />
    )
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-ink-2 text-xs">
        {tab.question}
      </label>
      <textarea
        id={id}
        rows={2}
        maxLength={10_000}
        value={String(answer)}
        onChange={(event) => onChange(event.target.value)}
        className="w-full rounded-md border border-line-strong bg-panel px-2.5 py-2 focus-visible:border-accent"
      />
    </div>
  )
}

function Summary({
  tabs,
  answers,
  onGo,
}: {
  tabs: FormTabView[]
  answers: TabAnswer[]
  onGo: (index: number) => void
}) {
  return (
    <dl className="grid gap-1 rounded-md bg-sunken px-3 py-2">
      {tabs.map((tab, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two tabs may have the same title, and none moves.
        <div key={index} className="flex flex-wrap gap-x-3">
          <dt className="min-w-28 text-ink-3">{tab.title}</dt>
          <dd className="min-w-0 flex-1 break-words">{[answers[index] ?? ''].flat().join(', ') || '—'}</dd>
          <dd>
            <button type="button" className="text-accent-strong text-xs underline" onClick={() => onGo(index)}>
              Change<span className="sr-only"> {tab.title}</span>
            </button>
          </dd>
        </div>
      ))}
    </dl>
  )
}
