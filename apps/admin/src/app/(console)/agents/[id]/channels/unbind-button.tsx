'use client'

import { Button } from '../../../../../components/button.tsx'
import { ConfirmButton } from '../../../../../components/confirm-button.tsx'
import { unbindAgent } from '../../actions.ts'

export function UnbindButton({ channelId, place }: { channelId: string; place: string }) {
  return (
    <ConfirmButton
      action={unbindAgent}
      fields={{ channelId, place }}
      title={`Unbind ${place}?`}
      about="The channel’s default agent answers there from then on. Threads that are open keep their agent."
      confirm="Unbind it"
      trigger={
        <Button look="ghost" size="small" aria-label={`Unbind ${place}`} className="max-sm:h-10">
          Unbind
        </Button>
      }
    />
  )
}
