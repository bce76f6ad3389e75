'use client'

import type { Verdict } from '@quartermaster/tools'
import { CircleCheck } from 'lucide-react'
import Link from 'next/link'
import { usePathname, useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { Button } from '../../../../components/button.tsx'
import { Card } from '../../../../components/card.tsx'
import { classNames } from '../../../../components/class-names.ts'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { Select } from '../../../../components/input.tsx'
import { Cell, HeadCell, Row, Table } from '../../../../components/table.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { formatWhen } from '../../../../format.ts'
import { periods } from '../../../../policy/periods.ts'
import { type ReplayState, useReplay } from './use-replay.ts'

interface WhatIfProps {
  period: string
  /** Which state of the draft is replayed: another one is replayed anew. */
  seen: string
  timezone: string
}

/** How many changed calls are shown before somebody asks for all. */
const shownAtFirst = 25

const verdicts = {
  allow: { tone: 'ok', text: 'allowed' },
  ask: { tone: 'wait', text: 'ask' },
  deny: { tone: 'bad', text: 'denied' },
} as const

export function WhatIf({ period, timezone }: WhatIfProps) {
  const router = useRouter()
  const pathname = usePathname()
  const { state, stop, again, goOn } = useReplay(period)
  const now = useNow()
  const [all, setAll] = useState(false)
  /** Only what would be decided so; null: whatever changed. */
  const [only, setOnly] = useState<Verdict | null>(null)
  const changed = only ? state.changed.filter(({ was, would }) => would === only && was !== would) : state.changed
  const toggle = (verdict: Verdict) => setOnly((now) => (now === verdict ? null : verdict))
  const label = periods.find(({ value }) => value === period)?.label ?? ''
  return (
    <section aria-labelledby="what-if" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="mt-1 flex flex-wrap items-center justify-between gap-2">
        <h2 id="what-if" className="font-semibold text-sm">
          What if it had been live
        </h2>
        <div className="flex flex-wrap items-center gap-2 max-sm:w-full">
          {/* On a line of its own where there is little room, high enough for its longest sentence: what comes and goes
              in it must not move the numbers below. */}
          <p role="status" className="text-ink-3 text-xs max-sm:min-h-9 max-sm:w-full">
            {describe(state, timezone)}
          </p>
          {state.status === 'running' ? (
            <Button size="small" onClick={stop} className="max-sm:h-10">
              Stop
            </Button>
          ) : (
            <>
              {state.status === 'out-of-time' && (
                <Button size="small" onClick={goOn} className="max-sm:h-10">
                  Go on
                </Button>
              )}
              <Button size="small" look="ghost" onClick={again} className="max-sm:h-10">
                Replay again
              </Button>
            </>
          )}
          <div className="w-44">
            <Select
              aria-label="Which calls are replayed"
              value={period}
              onChange={({ target }) => router.replace(`${pathname}?days=${target.value}`, { scroll: false })}
            >
              {periods.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          </div>
        </div>
      </div>
      <div
        role="progressbar"
        aria-label="How much of the period is replayed"
        aria-valuenow={Math.round(state.progress * 100)}
        className="h-0.5 overflow-hidden rounded-full bg-line"
      >
        <div className="h-full bg-accent transition-[width]" style={{ width: `${state.progress * 100}%` }} />
      </div>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Count
          label={`Replayed, ${label}`}
          value={state.calls}
          note={`${state.unchanged.toLocaleString('en')} as before${state.gone ? `, ${state.gone.toLocaleString('en')} of tools that are gone` : ''}`}
        />
        <Count
          label="Now allowed"
          value={state.allowed}
          sign="+ "
          tone="text-ok"
          isOnly={only === 'allow'}
          onToggle={() => toggle('allow')}
          about="calls that would run"
        />
        <Count
          label="Now ask"
          value={state.asked}
          tone="text-wait"
          note={state.otherTerms ? `${state.otherTerms.toLocaleString('en')} more ask others, or otherwise` : ''}
          isOnly={only === 'ask'}
          onToggle={() => toggle('ask')}
          about="calls that would ask"
        />
        <Count
          label="Now denied"
          value={state.denied}
          tone="text-bad"
          isOnly={only === 'deny'}
          onToggle={() => toggle('deny')}
          about="calls that would be refused"
        />
      </div>
      <Card aria-label="Calls that would be decided otherwise">
        {changed.length === 0 ? (
          <EmptyState
            icon={CircleCheck}
            title={
              state.status === 'running' ? 'None so far' : 'No recorded call of this period would be decided otherwise'
            }
          >
            {state.status !== 'running' && 'A longer period may have some.'}
          </EmptyState>
        ) : (
          <Table label="Calls that would be decided otherwise">
            {/* On a phone each call is a block: the tool and what becomes of it, then what, why and when. */}
            <thead className="max-sm:sr-only">
              <tr>
                {['When', 'Agent', 'Tool', 'Arguments', 'Was', 'Would be', 'Because'].map((head) => (
                  <HeadCell key={head}>{head}</HeadCell>
                ))}
              </tr>
            </thead>
            <tbody>
              {changed.slice(0, all ? undefined : shownAtFirst).map((call) => (
                <Row
                  key={call.id}
                  className="max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto_auto] max-sm:gap-x-2 max-sm:px-4 max-sm:py-2 max-sm:*:h-auto max-sm:*:max-w-none max-sm:*:p-0!"
                >
                  <Cell className="text-ink-3 max-sm:order-6">
                    <Link
                      href={`/executions/${call.id}`}
                      prefetch={false}
                      className="relative hover:text-ink hover:underline"
                    >
                      {now ? (
                        <When date={new Date(call.at)} now={now} timezone={timezone} />
                      ) : (
                        formatWhen(new Date(call.at), timezone)
                      )}
                      <span className="sr-only">: open the call of {call.tool}</span>
                    </Link>
                  </Cell>
                  <Cell className="max-sm:order-7 max-sm:col-span-2 max-sm:text-right max-sm:text-ink-3">
                    {call.agent}
                  </Cell>
                  <Cell className="truncate font-mono text-xs max-sm:order-1">{call.tool}</Cell>
                  <Cell
                    className="max-w-64 truncate font-mono text-xs max-sm:order-4 max-sm:col-span-3 max-sm:text-ink-2"
                    title={call.arguments}
                  >
                    {call.arguments}
                  </Cell>
                  {[call.was, call.would].map((verdict, at) => (
                    <Cell key={at === 0 ? 'was' : 'would'} className="max-sm:order-2">
                      <Tag tone={verdicts[verdict].tone}>{verdicts[verdict].text}</Tag>
                    </Cell>
                  ))}
                  <Cell
                    className="max-w-80 truncate text-ink-3 max-sm:order-5 max-sm:col-span-3 max-sm:whitespace-normal"
                    title={call.because}
                  >
                    {call.because}
                  </Cell>
                </Row>
              ))}
            </tbody>
          </Table>
        )}
        {!all && changed.length > shownAtFirst && (
          <div className="flex justify-center border-line border-t py-2">
            <Button size="small" look="ghost" onClick={() => setAll(true)} className="max-sm:h-10">
              Show all {changed.length}
            </Button>
          </div>
        )}
        {state.notListed > 0 && (
          <p className="border-line border-t px-4 py-2 text-ink-3 text-xs">
            and {state.notListed.toLocaleString('en')} more, which are counted and not listed. The newest of each kind
            are.
          </p>
        )}
      </Card>
      <details className="text-ink-3 text-xs">
        <summary className="w-fit">What this can and cannot say</summary>
        <p className="mt-1 max-w-3xl">
          Each call is decided twice, by the live policy and by this draft, in one and the same context; “was” is what
          the live policy says now, not what was said then. What started the run and what strangers’ content had been
          read by then are as recorded. The agents are those of today: their layers, autonomy, provider and attached
          tools. Not replayed are approvals for a whole thread, which spared some questions, calls out of a skill, what
          people answered, and what an agent would have done next if it had been refused.
        </p>
      </details>
    </section>
  )
}

/** The reader's clock, which the server does not have: the first picture shows the time itself. */
function useNow(): Date | null {
  const [now, setNow] = useState<Date | null>(null)
  useEffect(() => setNow(new Date()), [])
  return now
}

function describe(state: ReplayState, timezone: string): string {
  const back = state.reached ? formatWhen(new Date(state.reached), timezone) : ''
  switch (state.status) {
    case 'running':
      return back ? `Replaying, back to ${back}…` : 'Replaying…'
    case 'done':
      return 'Replayed completely.'
    case 'stopped':
      return back ? `Stopped. Older calls than ${back} were not replayed.` : 'Stopped.'
    case 'out-of-time':
      return `Time was over. Older calls than ${back} were not replayed.`
    case 'failed':
      return 'The replay broke off: the counts are of what was reached.'
  }
}

interface CountProps {
  label: string
  value: number
  note?: string
  sign?: string
  tone?: string
  /** Whether only these are listed, and what changes that. */
  isOnly?: boolean
  onToggle?(): void
  /** Which calls these are, for who hears it. */
  about?: string
}

function Count({ label, value, note = '', sign = '', tone, isOnly = false, onToggle, about }: CountProps) {
  return (
    <Card className={classNames('relative px-4 py-3', isOnly && 'border-accent')}>
      <p className="text-ink-3 text-xs">{label}</p>
      <p
        className={classNames(
          'mt-0.5 font-semibold text-2xl tabular-nums tracking-tight',
          value > 0 ? tone : tone && 'text-ink-3',
        )}
      >
        {value > 0 && sign}
        {value.toLocaleString('en')}
      </p>
      <div className="flex min-h-[18px] flex-wrap max-sm:min-h-9 items-baseline justify-between gap-x-2 text-xs">
        <p className="text-ink-3 tabular-nums">{note}</p>
        {onToggle && (value > 0 || isOnly) && (
          <button
            type="button"
            onClick={onToggle}
            className="rounded-sm text-accent-strong hover:underline max-sm:-my-2.5 max-sm:min-h-10"
          >
            {isOnly ? 'Show all' : 'Only these'}
            <span className="sr-only"> {isOnly ? 'changed calls' : about}</span>
          </button>
        )}
      </div>
    </Card>
  )
}
