'use client'

import { type ReactNode, useActionState, useEffect } from 'react'
import { toast } from 'sonner'
import type { ActionResult } from '../action-result.ts'
import { Button } from './button.tsx'

interface ActionFormProps {
  action: (previous: ActionResult | null, form: FormData) => Promise<ActionResult>
  submit: string
  disabled?: boolean
  /** The fields; they get what is wrong with each, by its name. */
  children: (mistakes: Record<string, string>) => ReactNode
}

/** A form over an admin action: mistakes beside their fields, success as a toast. */
export function ActionForm({ action, submit, disabled, children }: ActionFormProps) {
  const [result, send, busy] = useActionState(action, null)
  useEffect(() => {
    if (result?.ok) toast.success(result.message)
  }, [result])
  const mistakes = result && !result.ok ? (result.fields ?? {}) : {}
  return (
    <form action={send} className="grid gap-4 px-4 pt-2 pb-4">
      {children(mistakes)}
      <p role="alert" className="text-bad text-sm empty:hidden">
        {result && !result.ok && !result.fields ? result.message : null}
      </p>
      <div>
        <Button type="submit" look="primary" disabled={busy || disabled}>
          {busy ? 'Saving…' : submit}
        </Button>
      </div>
    </form>
  )
}
