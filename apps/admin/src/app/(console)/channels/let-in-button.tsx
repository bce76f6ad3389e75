'use client'

import { useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../components/button.tsx'
import { letIn } from './actions.ts'

export function LetInButton({ channelId, person }: { channelId: string; person: string }) {
  const [busy, start] = useTransition()
  // The answer takes this button away with its row, so the toast cannot be left to an effect of it.
  const send = (form: FormData) =>
    start(async () => {
      const result = await letIn(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <form action={send}>
      <input type="hidden" name="channelId" value={channelId} />
      <input type="hidden" name="person" value={person} />
      <Button type="submit" size="small" disabled={busy} aria-label={`Let ${person} in`}>
        Let in
      </Button>
    </form>
  )
}
