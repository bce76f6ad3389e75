'use client'

import { type ReactNode, useState, useTransition } from 'react'
import { toast } from 'sonner'
import type { ActionResult } from '../action-result.ts'
import { Button } from './button.tsx'
import { Dialog, DialogClose } from './dialog.tsx'

interface ConfirmButtonProps {
  action: (previous: ActionResult | null, form: FormData) => Promise<ActionResult>
  /** What the action is sent. */
  fields: Record<string, string>
  /** Names what is destroyed or ended: "Revoke the key “ci”?" */
  title: string
  /** What follows from it, and what stays. */
  about: ReactNode
  /** What the button that does it says: "Revoke it". */
  confirm: string
  /** What the button that only closes says. */
  keep?: string
  /** The button that opens this. */
  trigger: ReactNode
}

/** A button behind a question, for what cannot be taken back with a click. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { action, fields, title, about, confirm, keep = 'Keep it', trigger } = props
  const [open, setOpen] = useState(false)
  const [busy, start] = useTransition()
  // The answer often takes this button away with its row, so the toast cannot be left to an effect of it.
  const send = (form: FormData) =>
    start(async () => {
      const result = await action(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
      if (result.ok) setOpen(false)
    })
  return (
    <Dialog title={title} about={about} trigger={trigger} open={open} onOpenChange={setOpen}>
      <DialogClose asChild>
        <Button>{keep}</Button>
      </DialogClose>
      <form action={send}>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Button type="submit" look="danger" disabled={busy}>
          {confirm}
        </Button>
      </form>
    </Dialog>
  )
}
