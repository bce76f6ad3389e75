'use client'

import { GitFork, MessageSquare, ShieldQuestion, Sparkles, Wrench } from 'lucide-react'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { type KeyboardEvent, useEffect, useRef, useState, useTransition } from 'react'
import { classNames } from '../../../../components/class-names.ts'
import { Tag } from '../../../../components/tag.tsx'
import { formatCost, formatDuration } from '../../../../format.ts'
import { makeScale } from '../../../../trace/scale.ts'
import type { Span, Timeline, TraceItem } from '../../../../trace/view.ts'

const icons = { message: MessageSquare, model: Sparkles, call: Wrench, question: ShieldQuestion, child: GitFork }

const looks: Record<Span['look'], string> = {
  model: 'bg-accent',
  ok: 'bg-ok',
  bad: 'bg-bad',
  wait: 'hatched',
  mute: 'bg-ink-3',
}

/** Every row of the run on one scale. Up and down choose a row; the panel beside it follows. */
export function Waterfall({ timeline, chosen }: { timeline: Timeline; chosen: string | null }) {
  const router = useRouter()
  const pathname = usePathname()
  const parameters = useSearchParams()
  const [, start] = useTransition()
  const { items } = timeline
  // The row is marked at once; its details follow from the server.
  const [marked, mark] = useState(chosen)
  useEffect(() => mark(chosen), [chosen])
  // A question that nobody has chosen is in the panel because it waits. It stays there when somebody else answers it: the
  // next one must not come under a finger that is on its way to the button.
  const asks = items.some(({ key, tag }) => key === chosen && tag?.word === 'asking')
  useEffect(() => {
    if (!asks || !chosen || parameters.has('item')) return
    const next = new URLSearchParams(parameters)
    next.set('item', chosen)
    start(() => router.replace(`${pathname}?${next}`, { scroll: false }))
  }, [asks, chosen, parameters, pathname, router])
  const list = useRef<HTMLDivElement>(null)
  const { at, shortened } = makeScale(timeline.length, timeline.idle)

  const choose = (item: TraceItem) => {
    if (item.href) return router.push(item.href)
    mark(item.key)
    const next = new URLSearchParams(parameters)
    next.set('item', item.key)
    start(() => router.replace(`${pathname}?${next}`, { scroll: false }))
  }
  /** Where the panel is below and not beside, a tap leads to what it is about. */
  const open = (item: TraceItem) => {
    choose(item)
    if (!item.href && !window.matchMedia('(min-width: 64rem)').matches)
      document.getElementById('chosen')?.scrollIntoView()
  }
  const onKey = (event: KeyboardEvent) => {
    const now = items.findIndex(({ key }) => key === marked)
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: items.length - 1 }[event.key]
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    // A child run is a page of its own: the arrows pass it, and a click opens it.
    const step = event.key === 'ArrowUp' || event.key === 'End' ? -1 : 1
    let index = Math.max(0, Math.min(items.length - 1, to))
    while (items[index]?.href) index += step
    const item = items[index]
    if (!item) return
    choose(item)
    document.getElementById(`item-${item.key}`)?.scrollIntoView({ block: 'nearest' })
  }

  return (
    <div className="min-w-0">
      <div
        ref={list}
        role="listbox"
        aria-label="What happened, in order"
        aria-activedescendant={marked ? `item-${marked}` : undefined}
        tabIndex={0}
        onKeyDown={onKey}
        className="py-2 focus-visible:-outline-offset-2"
      >
        {items.map((item) => (
          <ItemRow key={item.key} item={item} at={at} marked={item.key === marked} onChoose={() => open(item)} />
        ))}
      </div>
      {shortened && <p className="px-4 pb-3 text-ink-3 text-xs md:px-5">Waiting is drawn shorter than it was.</p>}
    </div>
  )
}

interface ItemRowProps {
  item: TraceItem
  at: (ms: number) => number
  marked: boolean
  onChoose: () => void
}

function ItemRow({ item, at, marked, onChoose }: ItemRowProps) {
  const Icon = icons[item.kind]
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys, for all its rows.
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the row that is chosen.
    <div
      id={`item-${item.key}`}
      role="option"
      aria-selected={marked}
      onClick={onChoose}
      className={classNames(
        'grid cursor-pointer grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-1.5 hover:bg-sunken sm:h-8 sm:grid-cols-[minmax(0,42%)_minmax(0,1fr)_68px] sm:py-0 xl:grid-cols-[minmax(0,42%)_minmax(0,1fr)_48px_68px] md:px-5',
        marked && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
      <span className={classNames('flex min-w-0 items-center gap-2', item.nested && 'pl-5')}>
        <Icon aria-hidden="true" className="size-3.5 shrink-0 text-ink-3" />
        <span className="shrink-0 truncate max-sm:shrink">{item.label}</span>
        {item.note && <span className="min-w-0 truncate text-ink-3 text-xs">{item.note}</span>}
        {item.tag && <Tag tone={item.tag.tone}>{item.tag.word}</Tag>}
      </span>
      <span
        aria-hidden="true"
        className="relative h-3 min-w-0 max-sm:order-last max-sm:col-span-2 max-sm:mt-1 max-sm:h-1.5"
      >
        {item.spans.map((span, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: spans have no name, and none moves.
            key={index}
            className={classNames('absolute inset-y-0 rounded-[3px]', looks[span.look])}
            style={{
              left: `min(${at(span.from) * 100}%, calc(100% - 3px))`,
              width: `max(3px, ${(at(span.to) - at(span.from)) * 100}%)`,
            }}
          />
        ))}
      </span>
      {/* Without room for it, it is in the panel. */}
      <span className="text-right text-ink-3 text-xs tabular-nums max-xl:hidden">
        {item.costMicros === null ? null : formatCost(item.costMicros)}
      </span>
      <span className="text-right text-ink-3 text-xs tabular-nums">
        {item.durationMs === null ? '—' : formatDuration(item.durationMs)}
      </span>
    </div>
  )
}
