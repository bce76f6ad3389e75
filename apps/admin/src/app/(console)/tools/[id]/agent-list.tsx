import Link from 'next/link'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Tag } from '../../../../components/tag.tsx'
import type { AgentStanding } from '../read-policy.ts'

/** Which agents have the tool, how they come by it, and what keeps it from the others. */
export function AgentList({ standings, unreadable }: { standings: readonly AgentStanding[]; unreadable: boolean }) {
  return (
    <Card className="pb-3">
      <CardHeader title="Agents" about="Attachments and policy, as they stand." />
      {unreadable && <p className="px-4 text-bad">The policy cannot be read, so no agent may use it.</p>}
      {!unreadable && standings.length === 0 && <p className="px-4 text-ink-3">There is no agent yet.</p>}
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4">
        {standings.map(({ id, name, attached, decision }) => {
          const denied = decision.verdict === 'deny'
          return (
            <li key={id} className="min-w-0">
              <div className="flex items-center gap-2">
                <Link href={`/agents/${id}`} className="truncate font-medium hover:underline">
                  {name}
                </Link>
                <Tag tone={denied ? 'mute' : 'ok'}>{denied ? 'not' : attached ? 'attached' : 'by default'}</Tag>
              </div>
              {denied && <p className="break-words text-ink-3 text-xs">{decision.trail.at(-1)?.reason}</p>}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
