'use client'

import { useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../../components/button.tsx'
import { Dialog, DialogClose } from '../../../../components/dialog.tsx'
import { unlinkAccount } from './actions.ts'

export function UnlinkButton({ identityId, account }: { identityId: string; account: string }) {
  const [busy, start] = useTransition()
  // The answer takes this button away with its row, so the toast cannot be left to an effect of it.
  const unlink = (form: FormData) =>
    start(async () => {
      const result = await unlinkAccount(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <Dialog
      title={`Unlink ${account}?`}
      about="Whoever writes from that account is not you any more: without your role, and without your open questions. What was said and answered from it keeps your name."
      trigger={
        <Button size="small" look="danger" aria-label={`Unlink ${account}`}>
          Unlink
        </Button>
      }
    >
      <DialogClose asChild>
        <Button>Keep it</Button>
      </DialogClose>
      <form action={unlink}>
        <input type="hidden" name="identityId" value={identityId} />
        <Button type="submit" look="danger" disabled={busy}>
          Unlink it
        </Button>
      </form>
    </Dialog>
  )
}
