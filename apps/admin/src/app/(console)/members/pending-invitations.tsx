import type { ListedInvitation } from '@quartermaster/db'
import { Button } from '../../../components/button.tsx'
import { Card, CardHeader } from '../../../components/card.tsx'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { Tag } from '../../../components/tag.tsx'
import { When } from '../../../components/when.tsx'
import { revokeInvite } from './actions.ts'
import { NewLinkButton } from './new-link-button.tsx'

interface PendingInvitationsProps {
  invitations: ListedInvitation[]
  now: Date
  timezone: string
}

export function PendingInvitations({ invitations, now, timezone }: PendingInvitationsProps) {
  if (!invitations.length) return null
  return (
    <Card aria-labelledby="pending">
      <CardHeader id="pending" title="Invited, not here yet" />
      <ul>
        {invitations.map(({ id, email, role, invitedBy, expiresAt }) => (
          <li key={id} className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 border-line border-t px-4 py-2">
            <div className="min-w-0 flex-1 basis-full sm:basis-52">
              <p className="truncate font-medium">{email}</p>
              <p className="text-ink-3 text-xs">
                as {role} · by {invitedBy.name} · link {expiresAt < now ? 'expired' : 'expires'}{' '}
                <When date={expiresAt} now={now} timezone={timezone} />
              </p>
            </div>
            {expiresAt < now && <Tag tone="warn">expired</Tag>}
            <NewLinkButton invitationId={id} email={email} />
            <ConfirmButton
              action={revokeInvite}
              fields={{ invitationId: id }}
              title={`Revoke the invitation of ${email}?`}
              about="Its link opens nothing any more. You can invite them again."
              confirm="Revoke it"
              trigger={
                <Button
                  size="small"
                  look="danger"
                  aria-label={`Revoke the invitation of ${email}`}
                  className="max-sm:h-10"
                >
                  Revoke
                </Button>
              }
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
