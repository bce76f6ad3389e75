'use client'

import { useEffect, useState } from 'react'
import type { CheckedRule } from '../../../../../policy/check-rule.ts'

/** How long somebody may pause while they type before the rule is checked. */
const pauseMs = 250

/** What packages/tools says of the rule as it is typed; null until it has said anything. */
export function useCheckedRule(rule: { pattern: string }): CheckedRule | null {
  const [checked, setChecked] = useState<CheckedRule | null>(null)
  // Before it is said of which tools, there is nothing to check; saving says what is missing.
  const body = rule.pattern ? JSON.stringify(rule) : null
  useEffect(() => {
    if (body === null) return setChecked(null)
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const answer = await fetch('/api/policies/check-rule', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
          signal: abort.signal,
        })
        setChecked(answer.ok ? ((await answer.json()) as CheckedRule) : null)
      } catch {
        // The next letter came, the page was left, or the server is away: then saving tells.
      }
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [body])
  return checked
}
