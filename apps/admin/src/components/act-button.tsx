'use client'

import { useTransition } from 'react'
import { toast } from 'sonner'
import type { ActionResult } from '../action-result.ts'
import { Button } from './button.tsx'

interface ActButtonProps {
  action: (previous: ActionResult | null, form: FormData) => Promise<ActionResult>
  /** What the action is sent. */
  fields: Record<string, string>
  label: string
  /** For whoever does not see what it stands beside: "Grant github to Harbor". Begins with the label. */
  name: string
}

/** Does one thing at once, which can be taken back as easily. */
export function ActButton({ action, fields, label, name }: ActButtonProps) {
  const [busy, start] = useTransition()
  // The answer often takes this button away with its row, so the toast cannot be left to an effect of it.
  const send = (form: FormData) =>
    start(async () => {
      const result = await action(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <form action={send}>
      {Object.entries(fields).map(([field, value]) => (
        <input key={field} type="hidden" name={field} value={value} />
      ))}
      <Button type="submit" size="small" disabled={busy} aria-label={name} className="max-sm:h-10">
        {label}
      </Button>
    </form>
  )
}
