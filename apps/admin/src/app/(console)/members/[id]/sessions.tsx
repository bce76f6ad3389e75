import type { ListedSession } from '@quartermaster/db'
import { Monitor } from 'lucide-react'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { When } from '../../../../components/when.tsx'
import { describeBrowser } from '../../settings/account/describe-browser.ts'
import { endSessions } from '../actions.ts'

interface SessionsProps {
  member: { id: string; name: string }
  sessions: ListedSession[]
  now: Date
  timezone: string
}

export function Sessions({ member, sessions, now, timezone }: SessionsProps) {
  return (
    <Card aria-labelledby="sessions">
      <CardHeader id="sessions" title="Signed-in browsers">
        {sessions.length > 1 && (
          <ConfirmButton
            action={endSessions}
            fields={{ memberId: member.id }}
            title={`Sign ${member.name} out everywhere?`}
            about={`All ${sessions.length} browsers have to sign in again. Nothing else is lost.`}
            confirm="Sign out everywhere"
            keep="Leave them"
            trigger={
              <Button size="small" look="danger">
                Sign out everywhere
              </Button>
            }
          />
        )}
      </CardHeader>
      {sessions.length === 0 && <EmptyState icon={Monitor} title="Signed in nowhere" />}
      <ul className="pb-1">
        {sessions.map((session) => {
          const browser = describeBrowser(session.userAgent)
          return (
            <li key={session.id} className="flex min-h-12 items-center gap-3 border-line border-t px-4 py-1.5">
              <Monitor aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.75} />
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{browser}</p>
                <p className="text-ink-3 text-xs">
                  last used <When date={session.seenAt} now={now} timezone={timezone} /> · signed in{' '}
                  <When date={session.createdAt} now={now} timezone={timezone} />
                </p>
              </div>
              <ConfirmButton
                action={endSessions}
                fields={{ memberId: member.id, sessionId: session.id }}
                title={`Sign out ${browser} of ${member.name}?`}
                about="Whoever uses that browser has to sign in again, in every workspace. Nothing else is lost."
                confirm="Sign it out"
                trigger={
                  <Button size="small" look="danger" aria-label={`Sign out ${browser}`}>
                    Sign out
                  </Button>
                }
              />
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
