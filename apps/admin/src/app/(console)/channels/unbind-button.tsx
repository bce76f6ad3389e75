import { X } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { unbindPlace } from './actions.ts'

interface UnbindButtonProps {
  channelId: string
  place: string
  agentName: string
  /** The default agent's name; null: nobody answers by default. */
  fallback: string | null
}

export function UnbindButton({ channelId, place, agentName, fallback }: UnbindButtonProps) {
  return (
    <ConfirmButton
      action={unbindPlace}
      fields={{ channelId, place }}
      title={`Unbind ${place}?`}
      about={`${agentName} answers there no more; ${fallback ? `${fallback}, the default agent, does` : 'nobody does, for there is no default agent'}. Threads and topics that are open keep ${agentName}.`}
      confirm="Unbind it"
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
    />
  )
}
