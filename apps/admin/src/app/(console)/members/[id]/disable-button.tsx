import { Button } from '../../../../components/button.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { disablePerson, enablePerson } from '../actions.ts'

interface Named {
  member: { id: string; name: string }
}

export function DisableButton({ member }: Named) {
  return (
    <ConfirmButton
      action={disablePerson}
      fields={{ memberId: member.id }}
      title={`Disable ${member.name}?`}
      about="At once they are out of the console, the bot answers them no more, their API keys stop working, what they approved for a thread asks again, and invitations that they sent are revoked. History keeps their name, and they can be enabled again."
      confirm="Disable them"
      keep="Keep them"
      trigger={
        <Button look="danger" aria-label={`Disable ${member.name}`}>
          Disable
        </Button>
      }
    />
  )
}

export function EnableButton({ member }: Named) {
  return (
    <ConfirmButton
      action={enablePerson}
      fields={{ memberId: member.id }}
      title={`Enable ${member.name}?`}
      about="They may sign in and talk to agents again, with the role and the linked accounts of before. API keys that were not revoked work again."
      confirm="Enable them"
      keep="Leave it"
      trigger={<Button aria-label={`Enable ${member.name}`}>Enable</Button>}
    />
  )
}
