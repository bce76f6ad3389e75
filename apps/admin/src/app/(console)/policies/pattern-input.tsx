'use client'

import type { ComponentProps } from 'react'
import { Input } from '../../../components/input.tsx'
import { countTools, patternList, useMatches } from './vocabulary.tsx'

/** An input of one pattern, completed from the names, groups and prefixes that there are. */
export function PatternInput(props: ComponentProps<'input'>) {
  return (
    <Input
      placeholder="shell.exec, file.*, group:fs"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={200}
      {...props}
      list={patternList}
      className="font-mono"
    />
  )
}

/** What the pattern in an input would match, said as it is typed. */
export function MatchCount({ pattern }: { pattern: string }) {
  const matches = useMatches()
  const typed = pattern.trim()
  if (!typed) return <>Names, groups and prefixes are completed as you type.</>
  const count = matches(typed)
  return count ? (
    <>Matches {countTools(count)} now.</>
  ) : (
    <span className="text-warn">Matches no tool now: it would be reported as dead.</span>
  )
}
