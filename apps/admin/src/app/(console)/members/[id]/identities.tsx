import { Link2 } from 'lucide-react'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { unlinkPerson } from '../actions.ts'
import { platforms } from '../known-on.tsx'
import type { FoundMember } from '../queries.ts'

interface IdentitiesProps {
  member: FoundMember
  mayUnlink: boolean
  now: Date
  timezone: string
}

export function Identities({ member, mayUnlink, now, timezone }: IdentitiesProps) {
  return (
    <Card aria-labelledby="linked">
      <CardHeader
        id="linked"
        title="Linked accounts"
        about="They add another one themselves, with a code from Settings → Your account."
      />
      {member.identities.length === 0 && (
        <EmptyState icon={Link2} title="Known nowhere">
          Invite their e-mail, or let them write to the bot.
        </EmptyState>
      )}
      <ul>
        {member.identities.map(({ id, kind, name, where, createdAt }) => {
          const { name: platform, icon: Icon } = platforms[kind]
          return (
            <li key={id} className="flex min-h-12 items-center gap-3 border-line border-t px-4 py-1.5">
              <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.75} />
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{name}</p>
                <p className="text-ink-3 text-xs">
                  {where ? `${platform} · ${where}` : platform} · since{' '}
                  <When date={new Date(createdAt)} now={now} timezone={timezone} />
                </p>
              </div>
              {kind === 'console' ? (
                <Tag>signs in</Tag>
              ) : (
                mayUnlink && (
                  <ConfirmButton
                    action={unlinkPerson}
                    fields={{ memberId: member.id, identityId: id }}
                    title={`Unlink ${name} on ${platform}?`}
                    about={`Whoever writes from that account is ${member.name} no more: the bot treats their next word as a stranger's or a newcomer's.`}
                    confirm="Unlink it"
                    trigger={
                      <Button size="small" look="danger" aria-label={`Unlink ${name} on ${platform}`}>
                        Unlink
                      </Button>
                    }
                  />
                )
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
