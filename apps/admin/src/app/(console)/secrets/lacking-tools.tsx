import type { LackingTool } from '@quartermaster/db'
import { Card, CardHeader } from '../../../components/card.tsx'

const reasons: Record<LackingTool['reason'], string> = {
  no_scope: 'there is no such scope yet: make it below',
  not_granted: 'the scope is not granted to this agent',
  no_secret: 'nothing is stored in the scope',
  expired: 'everything in the scope has expired',
}

/** Attached tools whose next call would be refused for want of a secret. */
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
        about="They are attached, and every call of them is refused."
      />
      <ul>
        {[...groups.entries()].map(([key, group]) => {
          const [first] = group as [LackingTool, ...LackingTool[]]
          return (
            <li key={key} className="border-line border-t px-4 py-2 text-sm">
              <span className="font-medium">{first.agent.name}</span>{' '}
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
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
