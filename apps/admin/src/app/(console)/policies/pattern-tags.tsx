'use client'

import { countTools, useMatches } from './vocabulary.tsx'

/** A pattern and how many tools it matches now. */
export function PatternTag({ pattern, bare }: { pattern: string; bare?: boolean }) {
  const count = useMatches()(pattern)
  return (
    <span
      className={
        bare
          ? 'inline-flex min-w-0 items-baseline gap-1.5'
          : 'inline-flex min-w-0 items-baseline gap-1.5 rounded-md border border-line bg-sunken px-1.5'
      }
    >
      <code className="min-w-0 break-all font-mono text-xs">{pattern}</code>
      <span className={count ? 'whitespace-nowrap text-2xs text-ink-3' : 'whitespace-nowrap text-2xs text-warn'}>
        {countTools(count)}
      </span>
    </span>
  )
}

export function PatternTags({ patterns, none }: { patterns: readonly string[]; none: string }) {
  if (!patterns.length) return <span className="text-ink-3">{none}</span>
  return (
    <span className="flex flex-wrap gap-1.5">
      {patterns.map((pattern) => (
        <PatternTag key={pattern} pattern={pattern} />
      ))}
    </span>
  )
}
