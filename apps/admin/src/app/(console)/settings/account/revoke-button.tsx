'use client'

import { useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../../components/button.tsx'
import { Dialog, DialogClose } from '../../../../components/dialog.tsx'
import { revokeBrowser } from './actions.ts'

export function RevokeButton({ sessionId, browser }: { sessionId: string; browser: string }) {
  const [busy, start] = useTransition()
  // The answer takes this button away with its row, so the toast cannot be left to an effect of it.
  const revoke = (form: FormData) =>
    start(async () => {
      const result = await revokeBrowser(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <Dialog
      title={`Sign out ${browser}?`}
      about="Whoever uses that browser has to sign in again. Nothing else is lost."
      trigger={
        <Button size="small" look="danger" aria-label={`Sign out ${browser}`}>
          Sign out
        </Button>
      }
    >
      <DialogClose asChild>
        <Button>Keep it</Button>
      </DialogClose>
      <form action={revoke}>
        <input type="hidden" name="sessionId" value={sessionId} />
        <Button type="submit" look="danger" disabled={busy}>
          Sign it out
        </Button>
      </form>
    </Dialog>
  )
}
