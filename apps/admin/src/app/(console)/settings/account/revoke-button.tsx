import { Button } from '../../../../components/button.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { revokeBrowser } from './actions.ts'

export function RevokeButton({ sessionId, browser }: { sessionId: string; browser: string }) {
  return (
    <ConfirmButton
      action={revokeBrowser}
      fields={{ sessionId }}
      title={`Sign out ${browser}?`}
      about="Whoever uses that browser has to sign in again. Nothing else is lost."
      confirm="Sign it out"
      trigger={
        <Button size="small" look="danger" aria-label={`Sign out ${browser}`}>
          Sign out
        </Button>
      }
    />
  )
}
