'use client'

import { createContext, type ReactNode, useContext, useMemo } from 'react'

const Vocabulary = createContext<ReadonlyMap<string, number>>(new Map())

/** The id of the list that every input of a pattern completes from. */
export const patternList = 'policy-patterns'

/** The id of the list of tools by name. */
export const toolList = 'policy-tools'

/** What patterns can be written, and how many tools each matches: for the inputs below it. */
export function VocabularyProvider({
  patterns,
  children,
}: {
  patterns: readonly (readonly [pattern: string, tools: number])[]
  children: ReactNode
}) {
  const known = useMemo(() => new Map(patterns), [patterns])
  return (
    <Vocabulary value={known}>
      {children}
      <datalist id={toolList}>
        {patterns
          .filter(([pattern, tools]) => tools === 1 && !pattern.endsWith('*') && !pattern.startsWith('group:'))
          .map(([pattern]) => (
            <option key={pattern} value={pattern} />
          ))}
      </datalist>
      <datalist id={patternList}>
        {patterns.map(([pattern, tools]) => (
          <option key={pattern} value={pattern} label={countTools(tools)} />
        ))}
      </datalist>
    </Vocabulary>
  )
}

/** How many tools a pattern matches. What the vocabulary does not have matches none. */
export function useMatches(): (pattern: string) => number {
  const known = useContext(Vocabulary)
  return (pattern) => known.get(pattern) ?? 0
}

export const countTools = (tools: number) => `${tools === 0 ? 'no' : tools} tool${tools === 1 ? '' : 's'}`
