'use client'

import { useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import type { AnsweringProps } from './use-answer.ts'

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
  const [text, setText] = useState(() => JSON.stringify(card.arguments ?? {}, null, 2))
  const id = useId()
  const parsed = parseObject(text)
  return (
    <form
      className="grid gap-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        if (parsed.ok) void give({ verdict: 'approve', editedArguments: parsed.value })
      }}
    >
      <label htmlFor={id} className="font-medium">
        Arguments to run it with
      </label>
      <textarea
        id={id}
        rows={Math.min(16, text.split('\n').length + 1)}
        value={text}
        spellCheck={false}
        aria-invalid={parsed.ok ? undefined : true}
        aria-describedby={`${id}-note`}
        onChange={(event) => setText(event.target.value)}
        className={`${area} font-mono text-xs`}
      />
      <p id={`${id}-note`} className={parsed.ok ? 'text-ink-3 text-xs' : 'text-bad text-xs'}>
        {parsed.ok ? 'They are checked again before it runs, and recorded as yours.' : parsed.message}
      </p>
      <div>
        <Button type="submit" look="primary" size="small" disabled={busy || !parsed.ok}>
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

function parseObject(text: string): { ok: true; value: object } | { ok: false; message: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, value }
    return { ok: false, message: 'Arguments are an object: { "name": value }.' }
  } catch (error) {
    return { ok: false, message: `This is not JSON: ${(error as Error).message}` }
  }
}
