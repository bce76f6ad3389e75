import type { Metadata } from 'next'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { data } from '../../../../data.ts'
import { formatWhen } from '../../../../format.ts'
import { runtime } from '../../../../runtime.ts'
import { requireMember } from '../../../../session.ts'
import { readZone } from '../../../../viewer-zone.ts'
import { describeBrowser } from './describe-browser.ts'
import { NameForm, PasswordForm } from './forms.tsx'
import { LinkedAccounts } from './linked-accounts.tsx'
import { listConnectedPlatforms, listOwnIdentities } from './queries.ts'
import { RevokeButton } from './revoke-button.tsx'

export const metadata: Metadata = { title: 'Your account' }

export default async function AccountPage() {
  const { session, membership } = await requireMember('viewer')
  const { db } = runtime()
  const [timezone, sessions, login, identities, platforms] = await Promise.all([
    readZone(membership.workspaceId),
    data.listSessions(db, session.login.id),
    db.prisma.login.findUniqueOrThrow({ where: { id: session.login.id }, select: { passwordHash: true } }),
    listOwnIdentities(membership),
    listConnectedPlatforms(membership.workspaceId),
  ])
  const now = new Date()
  return (
    <>
      <Card aria-labelledby="you">
        <CardHeader id="you" title="You" about={`Signed in as ${session.login.email}.`}>
          <Tag>{membership.role}</Tag>
        </CardHeader>
        <NameForm name={membership.memberName} />
      </Card>
      <LinkedAccounts
        identities={identities}
        platforms={platforms}
        workspaceName={membership.workspaceName}
        timezone={timezone}
        now={now}
      />
      <Card aria-labelledby="password">
        <CardHeader
          id="password"
          title="Password"
          about={
            login.passwordHash
              ? 'Changing it signs out every other browser of yours.'
              : 'You sign in through your provider, so there is no password here to change.'
          }
        />
        {login.passwordHash && (
          <PasswordForm email={session.login.email} min={data.passwordLength.min} max={data.passwordLength.max} />
        )}
      </Card>
      <Card aria-labelledby="browsers">
        <CardHeader id="browsers" title="Signed-in browsers" about="One that you do not know? Sign it out." />
        <ul className="pb-1">
          {sessions.map((listed) => {
            const browser = describeBrowser(listed.userAgent)
            return (
              <li key={listed.id} className="flex min-h-12 items-center gap-3 border-line border-t px-4 py-1.5">
                <div className="min-w-0 flex-1">
                  <p className="truncate font-medium" title={listed.userAgent ?? undefined}>
                    {browser}
                  </p>
                  <p className="text-ink-3 text-xs">
                    since {formatWhen(listed.createdAt, timezone)} · used{' '}
                    <When date={listed.seenAt} now={now} timezone={timezone} />
                  </p>
                </div>
                {listed.id === session.id ? (
                  <Tag tone="accent">this one</Tag>
                ) : (
                  <RevokeButton sessionId={listed.id} browser={browser} />
                )}
              </li>
            )
          })}
        </ul>
      </Card>
    </>
  )
}
