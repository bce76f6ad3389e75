import { X } from 'lucide-react'
import { Button } from '../../../../components/button.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { removePrice } from './actions.ts'

interface RemoveButtonProps {
  model: string
  /** There is a usual price, which then holds again. */
  usual: boolean
}

export function RemoveButton({ model, usual }: RemoveButtonProps) {
  return (
    <ConfirmButton
      action={removePrice}
      fields={{ model }}
      title={`Remove the price of ${model}?`}
      about={
        usual
          ? 'From then on it costs the usual price. What was counted so far stays.'
          : 'From then on its use counts at the dearest price of this table, so that no budget is passed unseen. What was counted so far stays.'
      }
      confirm="Remove it"
      trigger={
        <Button
          size="icon"
          look="ghost"
          aria-label={`Remove the price of ${model}`}
          className="text-ink-3 hover:bg-bad-soft hover:text-bad max-sm:size-10"
        >
          <X aria-hidden="true" />
        </Button>
      }
    />
  )
}
