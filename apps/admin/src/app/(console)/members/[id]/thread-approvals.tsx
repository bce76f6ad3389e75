import { ShieldCheck } from 'lucide-react'
import { Button } from '../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { ConfirmButton } from '../../../../components/confirm-button.tsx'
import { EmptyState } from '../../../../components/empty-state.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { revokeThreadApproval } from '../actions.ts'
import type { ThreadApproval } from '../queries.ts'

interface ThreadApprovalsProps {
  approvals: ThreadApproval[]
  mayRevoke: boolean
  now: Date
  timezone: string
}

/** "Approved for this thread": what runs without being asked again, until its end or its count. */
export function ThreadApprovals({ approvals, mayRevoke, now, timezone }: ThreadApprovalsProps) {
  return (
    <Card aria-labelledby="granted">
      <CardHeader
        id="granted"
        title="Approved for a thread"
        about="Spares the next questions of the same kind there."
      />
      {approvals.length === 0 && (
        <EmptyState icon={ShieldCheck} title="Nothing so far">
          What they approve for a whole thread is here, and can be taken back.
        </EmptyState>
      )}
      <ul>
        {approvals.map(({ id, tool, conversation, uses, maxUses, createdAt, expiresAt, active }) => (
          <li key={id} className="flex min-h-12 items-center gap-3 border-line border-t px-4 py-1.5">
            <div className="min-w-0 flex-1">
              <p className="truncate">
                <code className="font-mono text-xs">{tool}</code>
                <span className="text-ink-3"> in {conversation || 'an untitled thread'}</span>
              </p>
              <p className="text-ink-3 text-xs">
                <When date={createdAt} now={now} timezone={timezone} /> · used {uses} of {maxUses} times ·{' '}
                {expiresAt < now ? 'ended' : 'ends'} <When date={expiresAt} now={now} timezone={timezone} />
              </p>
            </div>
            {!active && <Tag>over</Tag>}
            {active && mayRevoke && (
              <ConfirmButton
                action={revokeThreadApproval}
                fields={{ leaseId: id }}
                title={`Ask again about ${tool}?`}
                about="The next call of it in that thread asks a person. What ran already stays as it is."
                confirm="Revoke it"
                trigger={
                  <Button size="small" look="danger" aria-label={`Revoke the approval of ${tool}`}>
                    Revoke
                  </Button>
                }
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
