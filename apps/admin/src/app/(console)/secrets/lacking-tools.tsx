import type { LackingTool } from '@quartermaster/db'
import Link from 'next/link'
import { ActButton } from '../../../components/act-button.tsx'
import { Button } from '../../../components/button.tsx'
import { Card, CardHeader } from '../../../components/card.tsx'
import { addScope, giveScope } from './actions.ts'

const reasons: Record<LackingTool['reason'], string> = {
  no_scope: 'there is no such scope yet',
  not_granted: 'the scope is not granted to this agent',
  no_secret: 'nothing is stored in the scope',
  expired: 'everything in the scope has expired',
}

/** Attached tools whose next call would be refused for want of a secret, each with the step that comes next. */
export function LackingTools({ lacking }: { lacking: LackingTool[] }) {
  if (!lacking.length) return null
  // One line for each scope and agent: a family of tools lacks the same.
  const groups = new Map<string, LackingTool[]>()
  for (const each of lacking) {
    const key = `${each.scope} ${each.agent.id}`
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return (
    <Card aria-labelledby="lacking" className="border-warn/50">
      <CardHeader
        id="lacking"
        title="Tools that lack a secret"
        about="They are attached, and every call of them is refused. The button is the next step."
      />
      <ul>
        {[...groups.entries()].map(([key, group]) => {
          const [first] = group as [LackingTool, ...LackingTool[]]
          return (
            <li
              key={key}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t px-4 py-2 text-sm"
            >
              <p className="min-w-0 flex-1 basis-64">
                <Link href={`/agents/${first.agent.id}/secrets`} className="font-medium hover:underline">
                  {first.agent.name}
                </Link>{' '}
                <span className="text-ink-2">
                  cannot use{' '}
                  {group.map(({ tool }, index) => (
                    <span key={tool.id}>
                      {index > 0 && ', '}
                      <code className="font-mono text-xs">{tool.name}</code>
                    </span>
                  ))}
                  : {group.length === 1 ? 'it needs' : 'they need'}{' '}
                  <code className="font-mono text-xs">{first.scope}</code> and {reasons[first.reason]}.
                </span>
              </p>
              <NextStep lacking={first} />
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** First the scope, then a value in it, then the grant. */
function NextStep({ lacking: { scope, scopeId, agent, reason } }: { lacking: LackingTool }) {
  if (reason === 'no_scope' || scopeId === null)
    return (
      <ActButton action={addScope} fields={{ name: scope }} label="Make the scope" name={`Make the scope ${scope}`} />
    )
  if (reason === 'not_granted')
    return (
      <ActButton
        action={giveScope}
        fields={{ scopeId, agentId: agent.id }}
        label="Grant"
        name={`Grant ${scope} to ${agent.name}`}
      />
    )
  return (
    <Button asChild size="small" className="max-sm:h-10">
      <Link
        href={`/secrets?${new URLSearchParams({ store: scope })}#store-${scopeId}`}
        aria-label={`Store a secret in ${scope}`}
      >
        Store a secret
      </Link>
    </Button>
  )
}
