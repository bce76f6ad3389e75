'use client'

import { useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import type { AnsweringProps } from './use-answer.ts'

export function AnswerText({ give, busy }: AnsweringProps) {
  const [text, setText] = useState('')
  const id = useId()
  return (
    <form
      className="grid gap-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        void give({ verdict: 'approve', value: text })
      }}
    >
      <label htmlFor={id} className="text-ink-2 text-xs">
        Your answer
      </label>
      <textarea
        id={id}
        rows={3}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="w-full rounded-md border border-line-strong bg-panel px-2.5 py-2 focus-visible:border-accent"
      />
      <div>
        <Button type="submit" look="primary" disabled={busy || !text.trim()}>
          Answer
        </Button>
      </div>
    </form>
  )
}
