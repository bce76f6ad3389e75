'use client'

import type { AgentPlace } from '@quartermaster/db'
import { Archive, ArchiveRestore } from 'lucide-react'
import { useTransition } from 'react'
import { toast } from 'sonner'
import { Button } from '../../../../components/button.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { bringAgentBack, putAgentAway } from '../actions.ts'

export function ArchiveButton({ agentId, name, places }: { agentId: string; name: string; places: AgentPlace[] }) {
  const defaults = places.filter(({ place }) => place === null)
  const bound = places.filter(({ place }) => place !== null)
  const about = (
    <>
      It answers nobody any more. Its history stays, and it can be restored.
      {defaults.length > 0 && (
        <span className="mt-2 block text-bad">
          It is the default of {defaults.map(({ channelName }) => channelName).join(', ')}: nobody will answer there
          wherever nothing else is bound.
        </span>
      )}
      {bound.length > 0 && (
        <span className="mt-2 block">
          The default agent will answer in{' '}
          {bound.map(({ place, channelName }) => `${place} (${channelName})`).join(', ')}.
        </span>
      )}
    </>
  )
  return (
    <ConfirmButton
      action={putAgentAway}
      fields={{ agentId, knownPlaces: places.map(({ key }) => key).join('\n') }}
      title={`Archive ${name}?`}
      about={about}
      confirm="Archive it"
      trigger={
        <Button look="ghost" aria-label={`Archive ${name}`} className="max-sm:h-10">
          <Archive aria-hidden="true" /> <span className="max-sm:hidden">Archive</span>
        </Button>
      }
    />
  )
}

export function RestoreButton({ agentId }: { agentId: string }) {
  const [busy, start] = useTransition()
  const restore = (form: FormData) =>
    start(async () => {
      const result = await bringAgentBack(null, form)
      toast[result.ok ? 'success' : 'error'](result.message)
    })
  return (
    <form action={restore}>
      <input type="hidden" name="agentId" value={agentId} />
      <Button type="submit" disabled={busy} className="max-sm:h-10">
        <ArchiveRestore aria-hidden="true" /> Restore
      </Button>
    </form>
  )
}
