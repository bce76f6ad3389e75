import { Button } from '../../../../components/button.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { unlinkAccount } from './actions.ts'

export function UnlinkButton({ identityId, account }: { identityId: string; account: string }) {
  return (
    <ConfirmButton
      action={unlinkAccount}
      fields={{ identityId }}
      title={`Unlink ${account}?`}
      about="Whoever writes from that account is not you any more: without your role, and without your open questions. What was said and answered from it keeps your name."
      confirm="Unlink it"
      trigger={
        <Button size="small" look="danger" aria-label={`Unlink ${account}`}>
          Unlink
        </Button>
      }
    />
  )
}
