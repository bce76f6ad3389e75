'use client'

import dynamic from 'next/dynamic'
import { useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { type Mistakes, mistakesOfText } from '../schema-form/mistakes.ts'
import type { AnsweringProps } from './use-answer.ts'

// Most cards are answered without it.
const SchemaForm = dynamic(() => import('../schema-form/schema-form.tsx').then((file) => file.SchemaForm))

/** Large enough for a thumb. */
const roomy = 'max-sm:h-10'
const decisive = `${roomy} max-sm:w-[calc(50%-3px)]`

/** Approve, deny and their relatives. The two that need words unfold a field under the buttons. */
export function AnswerConfirmation({ card, give, busy }: AnsweringProps) {
  const [unfolded, setUnfolded] = useState<'edit' | 'reason' | null>(null)
  const leaseNote = useId()
  const toggle = (which: 'edit' | 'reason') => setUnfolded(unfolded === which ? null : which)
  return (
    <div className="grid gap-2.5">
      {/* On a phone the two that matter are as wide as the card, side by side, and the rest is below them. */}
      <div className="flex flex-wrap gap-1.5">
        <Button look="primary" disabled={busy} className={decisive} onClick={() => give({ verdict: 'approve' })}>
          Approve
        </Button>
        <Button look="danger" disabled={busy} className={decisive} onClick={() => give({ verdict: 'deny' })}>
          Deny
        </Button>
        {card.lease && (
          <Button
            disabled={busy}
            aria-describedby={leaseNote}
            className={roomy}
            onClick={() => give({ verdict: 'approve', lease: true })}
          >
            Approve for this thread
          </Button>
        )}
        {card.mayEdit && (
          <Button disabled={busy} aria-expanded={unfolded === 'edit'} className={roomy} onClick={() => toggle('edit')}>
            Edit…
          </Button>
        )}
        <Button
          look="ghost"
          disabled={busy}
          aria-expanded={unfolded === 'reason'}
          className={roomy}
          onClick={() => toggle('reason')}
        >
          Deny with reason…
        </Button>
      </div>
      {card.lease && (
        <p id={leaseNote} className="text-ink-3 text-xs">
          “Approve for this thread” also approves {card.lease}, without asking again.
        </p>
      )}
      {unfolded === 'edit' && <Edit card={card} give={give} busy={busy} />}
      {unfolded === 'reason' && <Reason give={give} busy={busy} />}
    </div>
  )
}

const area =
  'w-full rounded-md border border-line-strong bg-panel px-2.5 py-2 focus-visible:border-accent aria-invalid:border-bad'

function Edit({ card, give, busy }: AnsweringProps) {
  const [value, setValue] = useState<unknown>(card.arguments ?? {})
  const [mistakes, setMistakes] = useState<Mistakes>({})
  const [unreadable, setUnreadable] = useState(false)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-2.5 rounded-md border border-line px-3 py-2.5"
      onSubmit={async (event) => {
        event.preventDefault()
        const wrong = await give({ verdict: 'approve', editedArguments: value })
        setMistakes(wrong ? mistakesOfText(wrong) : {})
      }}
    >
      <SchemaForm
        schema={card.schema}
        value={value}
        onChange={setValue}
        mistakes={mistakes}
        idPrefix={`${card.id}-edit`}
        label="Arguments to run it with"
        onUnreadable={setUnreadable}
      />
      <p className={isObject ? 'text-ink-3 text-xs' : 'text-bad text-xs'}>
        {isObject
          ? 'They are checked again before it runs, and recorded as yours.'
          : 'Arguments are an object: { "name": value }.'}
      </p>
      <div>
        <Button type="submit" look="primary" size="small" disabled={busy || unreadable || !isObject}>
          Approve these arguments
        </Button>
      </div>
    </form>
  )
}

function Reason({ give, busy }: Pick<AnsweringProps, 'give' | 'busy'>) {
  const [text, setText] = useState('')
  const id = useId()
  return (
    <form
      className="grid gap-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        void give({ verdict: 'deny', reason: text })
      }}
    >
      <label htmlFor={id} className="font-medium">
        Why not
      </label>
      <textarea
        id={id}
        rows={2}
        maxLength={2_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={area}
      />
      <div>
        <Button type="submit" look="danger" size="small" disabled={busy || !text.trim()}>
          Deny for this reason
        </Button>
      </div>
    </form>
  )
}
