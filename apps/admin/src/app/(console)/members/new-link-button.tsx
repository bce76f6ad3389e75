'use client'

import { useState, useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../components/button.tsx'
import { renewInvite } from './actions.ts'
import { InviteLink } from './invite-link.tsx'

/** The link of an invitation is shown once; whoever lost it makes another, and the one before ends. */
export function NewLinkButton({ invitationId, email }: { invitationId: string; email: string }) {
  const [link, show] = useState<string | null>(null)
  const [busy, start] = useTransition()
  const renew = () =>
    start(async () => {
      const form = new FormData()
      form.set('invitationId', invitationId)
      form.set('email', email)
      const result = await renewInvite(null, form)
      if (!result.ok || !result.once) return void toast.error(result.message)
      show(result.once.link ?? null)
    })
  return (
    <>
      <Button size="small" onClick={renew} disabled={busy} aria-label={`New link for ${email}`} className="max-sm:h-10">
        New link
      </Button>
      {link && (
        <div className="order-last w-full">
          <InviteLink link={link} email={email} />
        </div>
      )}
    </>
  )
}
