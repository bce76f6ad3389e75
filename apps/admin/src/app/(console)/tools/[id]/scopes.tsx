import { Card, CardHeader } from '../../../../components/card.tsx'
import { Tag } from '../../../../components/tag.tsx'
import type { NeededScope } from '../queries.ts'

/** The secrets that the tool needs, and whether anybody can have them. */
export function Scopes({ scopes }: { scopes: readonly NeededScope[] }) {
  if (!scopes.length) return null
  return (
    <Card className="pb-3">
      <CardHeader title="Secret scopes it needs" />
      <ul className="grid gap-2 px-4">
        {scopes.map(({ name, exists, secrets, grantedTo }) => (
          <li key={name}>
            <div className="flex items-center gap-2">
              <code className="font-mono text-xs">{name}</code>
              {!exists && <Tag tone="bad">missing</Tag>}
              {exists && secrets === 0 && <Tag tone="warn">no secret in it</Tag>}
              {exists && secrets > 0 && !grantedTo.length && <Tag tone="warn">granted to nobody</Tag>}
            </div>
            <p className="text-ink-3 text-xs">
              {exists
                ? grantedTo.length
                  ? `Granted to ${grantedTo.join(', ')}.`
                  : 'No agent has it, so the tool fails for each of them.'
                : 'There is no such scope in this workspace. Make it under Secrets, and grant it.'}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
