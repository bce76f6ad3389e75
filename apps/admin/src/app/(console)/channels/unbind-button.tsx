'use client'

import { X } from 'lucide-react'
import { useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogClose } from '../../../components/dialog.tsx'
import { unbindPlace } from './actions.ts'

interface UnbindButtonProps {
  channelId: string
  place: string
  agentName: string
  /** The default agent's name; null: nobody answers by default. */
  fallback: string | null
}

export function UnbindButton({ channelId, place, agentName, fallback }: UnbindButtonProps) {
  const [busy, start] = useTransition()
  // The answer takes this button away with its row, so the toast cannot be left to an effect of it.
  const remove = (form: FormData) =>
    start(async () => {
      const result = await unbindPlace(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <Dialog
      title={`Unbind ${place}?`}
      about={`${agentName} answers there no more; ${fallback ? `${fallback}, the default agent, does` : 'nobody does, for there is no default agent'}. Threads and topics that are open keep ${agentName}.`}
      trigger={
        <Button
          size="icon"
          look="ghost"
          aria-label={`Unbind ${place}`}
          className="text-ink-3 hover:bg-bad-soft hover:text-bad max-sm:size-10"
        >
          <X aria-hidden="true" />
        </Button>
      }
    >
      <DialogClose asChild>
        <Button>Keep it</Button>
      </DialogClose>
      <form action={remove}>
        <input type="hidden" name="channelId" value={channelId} />
        <input type="hidden" name="place" value={place} />
        <Button type="submit" look="danger" disabled={busy}>
          Unbind it
        </Button>
      </form>
    </Dialog>
  )
}
