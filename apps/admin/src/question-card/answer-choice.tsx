'use client'

import { useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Select } from '../components/input.tsx'
import type { AnsweringProps } from './use-answer.ts'

/** Up to this many options are buttons; more are a menu. */
const mostButtons = 5

export function AnswerChoice({ card, give, busy }: AnsweringProps) {
  const [chosen, setChosen] = useState('')
  const id = useId()
  const choose = (value: string) => give({ verdict: 'approve', value })
  if (card.options.length <= mostButtons)
    return (
      <div className="flex flex-wrap gap-1.5">
        {card.options.map((option) => (
          <Button key={option} disabled={busy} className="max-w-full max-sm:h-10" onClick={() => choose(option)}>
            <span className="truncate">{option}</span>
          </Button>
        ))}
      </div>
    )
  return (
    <form
      className="flex flex-wrap items-end gap-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen) void choose(chosen)
      }}
    >
      <label htmlFor={id} className="grid min-w-48 flex-1 gap-1 text-ink-2 text-xs">
        Your choice
        <Select id={id} value={chosen} onChange={(event) => setChosen(event.target.value)}>
          <option value="">Choose…</option>
          {card.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      </label>
      <Button type="submit" look="primary" disabled={busy || !chosen}>
        Choose
      </Button>
    </form>
  )
}
