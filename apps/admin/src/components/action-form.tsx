'use client'

import { type FormEvent, type ReactNode, startTransition, useActionState, useEffect, useRef } from 'react'
import { toast } from 'sonner'
import type { ActionResult } from '../action-result.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

interface ActionFormProps {
  action: (previous: ActionResult | null, form: FormData) => Promise<ActionResult>
  submit: string
  /** What the button says meanwhile. */
  working?: string
  /** The button beside the fields, for a form of one line. */
  inline?: boolean
  /** Called when it is done, e.g. to close what the form stands in. */
  onDone?: () => void
  /** The fields; they get what is wrong with each, by its name. */
  children: (mistakes: Record<string, string>) => ReactNode
}

/** A form over an admin action: mistakes beside their fields, with what was typed still in them; success as a toast. */
export function ActionForm({ action, submit, working = 'Saving…', inline, onDone, children }: ActionFormProps) {
  const [result, send, busy] = useActionState(action, null)
  const form = useRef<HTMLFormElement>(null)
  const done = useRef(onDone)
  useEffect(() => {
    done.current = onDone
  })
  useEffect(() => {
    if (result?.ok) {
      toast.success(result.message)
      form.current?.reset()
      done.current?.()
    } else if (result?.fields) {
      // There the mistake is read out, and can be mended at once.
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    }
  }, [result])
  // `action` serves a form that is sent before the scripts are there. Afterwards it is sent from here, because React
  // empties a form after its action, also when the answer was no.
  const sendFields = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    startTransition(() => send(fields))
  }
  const mistakes = result && !result.ok ? (result.fields ?? {}) : {}
  return (
    <form
      ref={form}
      action={send}
      onSubmit={sendFields}
      className={inline ? 'grid gap-2 sm:flex sm:flex-wrap sm:items-start' : 'grid gap-4 px-4 pt-2 pb-4'}
    >
      {children(mistakes)}
      <p role="alert" className={classNames('text-bad text-sm empty:hidden', inline && 'order-last w-full')}>
        {result && !result.ok && !result.fields ? result.message : null}
      </p>
      {/* Beside fields it stands as low as they do, under the height of their labels. */}
      <div className={inline ? 'sm:mt-6.5' : undefined}>
        <Button type="submit" look={inline ? 'plain' : 'primary'} disabled={busy} className="max-sm:h-10">
          {busy ? working : submit}
        </Button>
      </div>
    </form>
  )
}
