'use client'

import { Button } from '../../../../components/button.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { endRun } from '../actions.ts'

export function StopButton({ runId, title }: { runId: string; title: string }) {
  return (
    <ConfirmButton
      action={endRun}
      fields={{ runId }}
      title={`Stop “${title}”?`}
      about="It ends where it is. What its tools have done stays done; its open questions are withdrawn, and runs that work for it are stopped too."
      confirm="Stop it"
      keep="Let it go on"
      trigger={
        <Button look="danger" className="max-sm:h-10">
          Stop
        </Button>
      }
    />
  )
}
