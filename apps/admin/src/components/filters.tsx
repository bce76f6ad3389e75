'use client'

import { Search, X } from 'lucide-react'
import { usePathname, useRouter, useSearchParams } from 'next/navigation'
import { type ReactNode, useEffect, useOptimistic, useRef, useState, useTransition } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Input, Select } from './input.tsx'
import { waiting } from './waiting.ts'

/** How long somebody may pause while they type before the list follows. */
const pauseMs = 300

/** Where the last choice leads, until the page is there: the next choice may come before that, and adds to it. */
let underway: { pathname: string; search: string } | null = null

/**
 * A filter is a parameter of the address: it can be linked, bookmarked and gone back from. Choosing one begins at the
 * first page again.
 */
function useFilter(name: string) {
  const router = useRouter()
  const pathname = usePathname()
  const parameters = useSearchParams()
  const [busy, start] = useTransition()
  const chosen = parameters.get(name) ?? ''
  // What was chosen is shown at once: until the page is there, the next key would begin at what was chosen before.
  const [shown, show] = useOptimistic(chosen)
  useEffect(() => {
    if (underway?.search === parameters.toString()) underway = null
  }, [parameters])
  // Whoever leaves the page before that does not find it there when they come back.
  useEffect(
    () => () => {
      underway = null
    },
    [],
  )
  const choose = (value: string) => {
    const next = new URLSearchParams(underway?.pathname === pathname ? underway.search : window.location.search)
    next.delete('after')
    if (value) next.set(name, value)
    else next.delete(name)
    underway = { pathname, search: next.toString() }
    start(() => {
      show(value)
      router.replace(next.size ? `${pathname}?${next}` : pathname, { scroll: false })
    })
  }
  return { value: chosen, shown, choose, busy }
}

/** The row of filters over a list. `names`: its parameters; what is chosen of them can be taken away at once. */
export function FilterBar({ names, children }: { names: readonly string[]; children: ReactNode }) {
  const router = useRouter()
  const pathname = usePathname()
  const parameters = useSearchParams()
  const isFiltered = names.some((name) => parameters.has(name))
  const clear = () => {
    const next = new URLSearchParams(parameters)
    for (const name of [...names, 'after']) next.delete(name)
    underway = { pathname, search: next.toString() }
    router.replace(next.size ? `${pathname}?${next}` : pathname, { scroll: false })
  }
  return (
    <search className="flex flex-wrap items-center gap-2 border-line border-b px-4 py-2 md:px-5">
      {children}
      {isFiltered && (
        <Button look="ghost" size="small" onClick={clear} className="max-sm:h-10">
          <X aria-hidden="true" /> Clear filters
        </Button>
      )}
    </search>
  )
}

interface FilterSelectProps {
  name: string
  label: string
  /** What it says when nothing is chosen: "Any status". */
  any: string
  options: readonly { value: string; label: string }[]
}

export function FilterSelect({ name, label, any, options }: FilterSelectProps) {
  const { shown: value, choose, busy } = useFilter(name)
  return (
    <div className={classNames('w-38 max-sm:w-[calc(50%-4px)]', busy && waiting)}>
      <Select aria-label={label} value={value} onChange={(event) => choose(event.target.value)} className="truncate">
        <option value="">{any}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
        {value && !options.some((option) => option.value === value) && <option value={value}>{value}</option>}
      </Select>
    </div>
  )
}

/** A day of the workspace's calendar, as `2026-11-18`: in a link that is sent on it means the same to both. */
export function FilterDay({ name, label, zone }: { name: string; label: string; zone: string }) {
  const { value, choose, busy } = useFilter(name)
  return (
    <div
      className={classNames('flex items-center gap-1.5 text-ink-3 text-xs max-sm:w-[calc(50%-4px)]', busy && waiting)}
    >
      <label htmlFor={`filter-${name}`}>{label}</label>
      <Input
        id={`filter-${name}`}
        type="date"
        // Anew when the address changes past this field; while somebody types a date, it is not one yet.
        key={value}
        defaultValue={value}
        onChange={(event) => choose(event.target.value)}
        title={`A day of the workspace, in the zone ${zone}`}
        className="w-36 max-sm:w-full"
      />
    </div>
  )
}

export function FilterSearch({ name = 'q', label }: { name?: string; label: string }) {
  const { value, choose, busy } = useFilter(name)
  const [typed, type] = useState(value)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Back, forward and "clear" change the address past this field.
  useEffect(() => type(value), [value])
  useEffect(() => () => clearTimeout(pause.current), [])
  const follow = (text: string, afterMs: number) => {
    type(text)
    clearTimeout(pause.current)
    pause.current = setTimeout(() => choose(text.trim()), afterMs)
  }
  return (
    <div className={classNames('relative min-w-40 flex-1 max-sm:w-full max-sm:flex-none', busy && waiting)}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-ink-3"
      />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        maxLength={200}
        onChange={(event) => follow(event.target.value, pauseMs)}
        onKeyDown={(event) => event.key === 'Enter' && follow(event.currentTarget.value, 0)}
        // Whoever goes on to a link must not be called back by a filter that was still waiting.
        onBlur={() => {
          if (typed.trim() === value) return clearTimeout(pause.current)
          clearTimeout(pause.current)
          choose(typed.trim())
        }}
        className="pl-8"
      />
    </div>
  )
}
