'use client'

import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Options } from './options.tsx'
import type { AnsweringProps } from './use-answer.ts'

export function AnswerSeveral({ card, give, busy }: AnsweringProps) {
  const [chosen, setChosen] = useState<string[]>([])
  return (
    <form
      className="grid gap-2.5"
      onSubmit={(event) => {
        event.preventDefault()
        // In the order in which they were offered, whatever the order of the clicks.
        void give({ verdict: 'approve', value: card.options.filter((option) => chosen.includes(option)) })
      }}
    >
      <Options legend="Choose any" options={card.options} chosen={chosen} multiple onChange={setChosen} />
      <div>
        <Button type="submit" look="primary" disabled={busy || !chosen.length}>
          Send {chosen.length ? `${chosen.length} chosen` : ''}
        </Button>
      </div>
    </form>
  )
}
