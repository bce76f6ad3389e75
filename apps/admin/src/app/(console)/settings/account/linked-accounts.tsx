import { Hash, KeyRound, Send } from 'lucide-react'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { LinkCode } from './link-code.tsx'
import type { ConnectedPlatform, OwnIdentity } from './queries.ts'
import { UnlinkButton } from './unlink-button.tsx'

interface LinkedAccountsProps {
  identities: OwnIdentity[]
  platforms: ConnectedPlatform[]
  workspaceName: string
  now: Date
  timezone: string
}

const kinds = {
  console: { name: 'Console', icon: KeyRound },
  slack: { name: 'Slack', icon: Hash },
  telegram: { name: 'Telegram', icon: Send },
}

/** One person on every platform is one member: with one role, one name on answers, one list of open questions. */
export function LinkedAccounts({ identities, platforms, workspaceName, now, timezone }: LinkedAccountsProps) {
  return (
    <Card aria-labelledby="linked">
      <CardHeader
        id="linked"
        title="Linked accounts"
        about={`Where ${workspaceName} knows you as the same person: ask in one place, approve in another.`}
      />
      <ul>
        {identities.map(({ id, kind, name, where, createdAt }) => {
          const { name: platform, icon: Icon } = kinds[kind]
          return (
            <li key={id} className="flex min-h-12 items-center gap-3 border-line border-t px-4 py-1.5">
              <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.75} />
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{name}</p>
                <p className="text-ink-3 text-xs">
                  {where ? `${platform} · ${where}` : platform} · since{' '}
                  <When date={createdAt} now={now} timezone={timezone} />
                </p>
              </div>
              {kind === 'console' ? (
                <Tag>how you sign in</Tag>
              ) : (
                <UnlinkButton identityId={id} account={`${name} on ${platform}`} />
              )}
            </li>
          )
        })}
      </ul>
      <div className="border-line border-t px-4 py-3">
        {platforms.length ? (
          // Another account is there: the code was used, and is shown no more.
          <LinkCode key={identities.map(({ id }) => id).join()} platforms={platforms} />
        ) : (
          <p className="text-ink-3 text-xs">
            Neither Slack nor Telegram is connected to this workspace yet. An admin does that under Channels.
          </p>
        )}
      </div>
    </Card>
  )
}
