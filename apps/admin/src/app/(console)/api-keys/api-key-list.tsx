import type { ListedApiKey } from '@quartermaster/db'
import { KeyRound } from 'lucide-react'
import Link from 'next/link'
import { everyScope } from '../../../api/scopes.ts'
import { Button } from '../../../components/button.tsx'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Tag } from '../../../components/tag.tsx'
import { When } from '../../../components/when.tsx'
import { revokeKey } from './actions.ts'

interface ApiKeyListProps {
  keys: ListedApiKey[]
  showMember: boolean
  mayRevoke: boolean
  now: Date
  timezone: string
}

const states = {
  active: null,
  expired: <Tag tone="warn">expired</Tag>,
  revoked: <Tag>revoked</Tag>,
  'member-disabled': <Tag tone="bad">member disabled</Tag>,
}

export function ApiKeyList({ keys, showMember, mayRevoke, now, timezone }: ApiKeyListProps) {
  if (!keys.length)
    return (
      <EmptyState icon={KeyRound} title="No API key yet">
        A key lets a program do what you can do, in the scopes that you choose.
      </EmptyState>
    )
  return (
    <ul>
      {keys.map((key) => (
        <li key={key.id} className="flex min-h-14 items-center gap-3 border-line border-t px-4 py-2">
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="break-words font-medium">{key.name}</span>
              <code className="font-mono text-2xs text-ink-3">{key.prefix}_…</code>
              {states[key.state]}
            </p>
            <p className="flex flex-wrap gap-x-1.5 text-ink-3 text-xs">
              {showMember && (
                <span>
                  <Link href={`/members/${key.member.id}`} className="text-ink-2 underline-offset-2 hover:underline">
                    {key.member.name}
                  </Link>{' '}
                  ·
                </span>
              )}
              <span>{key.scopes.map((scope) => (scope === everyScope ? 'every scope' : scope)).join(', ')} ·</span>
              <span>
                made <When date={key.createdAt} now={now} timezone={timezone} /> ·
              </span>
              <span>
                {key.lastUsedAt ? (
                  <>
                    last used <When date={key.lastUsedAt} now={now} timezone={timezone} />
                  </>
                ) : (
                  'never used'
                )}
                {' · '}
              </span>
              <span>{ending(key, now, timezone)}</span>
            </p>
          </div>
          {mayRevoke && key.state !== 'revoked' && (
            <ConfirmButton
              action={revokeKey}
              fields={{ keyId: key.id }}
              title={`Revoke the key “${key.name}”?`}
              about={`Whatever uses ${key.prefix}_… gets no answer from its next request on. It cannot be brought back.`}
              confirm="Revoke it"
              trigger={
                <Button size="small" look="danger" aria-label={`Revoke the key ${key.name}`} className="max-sm:h-10">
                  Revoke
                </Button>
              }
            />
          )}
        </li>
      ))}
    </ul>
  )
}

function ending(key: ListedApiKey, now: Date, timezone: string) {
  if (key.revokedAt)
    return (
      <>
        revoked <When date={key.revokedAt} now={now} timezone={timezone} />
      </>
    )
  if (!key.expiresAt) return 'does not expire'
  return (
    <>
      {key.expiresAt < now ? 'expired' : 'expires'} <When date={key.expiresAt} now={now} timezone={timezone} />
    </>
  )
}
