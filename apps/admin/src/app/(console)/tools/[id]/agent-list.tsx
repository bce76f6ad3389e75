import Link from 'next/link'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { placeOfReason } from '../../../../policy/place-of-reason.ts'
import type { AgentStanding } from '../read-policy.ts'

const runTags = {
  allow: { tone: 'ok', word: 'runs' },
  ask: { tone: 'wait', word: 'asks' },
  deny: { tone: 'bad', word: 'denied' },
} as const

interface AgentListProps {
  standings: readonly AgentStanding[]
  unreadable: boolean
  /** Of the tool whose page this is. */
  toolId: string
  rules: readonly { id: string; name: string }[]
  mayEdit: boolean
}

/** Which agents have the tool, how they come by it, and what keeps it from the others. */
export function AgentList({ standings, unreadable, toolId, rules, mayEdit }: AgentListProps) {
  return (
    <Card className="pb-3">
      <CardHeader
        title="Agents"
        about="Attachments and policy, as they stand; what becomes of a call before its arguments are known."
      />
      {unreadable && <p className="px-4 text-bad">The policy cannot be read, so no agent may use it.</p>}
      {!unreadable && standings.length === 0 && <p className="px-4 text-ink-3">There is no agent yet.</p>}
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4">
        {standings.map(({ id, name, attached, decision, runs }) => {
          const denied = decision.verdict === 'deny'
          const last = decision.trail.at(-1)
          const place = denied && last ? placeOfReason(last, { agentId: id, toolId, rules }) : null
          // Nobody is led to a page where they can do nothing about it.
          const leads = place && (mayEdit || last?.layer !== 'attachment') ? place : null
          return (
            <li key={id} className="min-w-0">
              <div className="flex items-center gap-2">
                <Link href={`/agents/${id}`} className="truncate font-medium hover:underline">
                  {name}
                </Link>
                <Tag tone={denied ? 'mute' : 'accent'}>{denied ? 'not' : attached ? 'attached' : 'by default'}</Tag>
                {!denied && <Tag tone={runTags[runs].tone}>{runTags[runs].word}</Tag>}
              </div>
              {denied && (
                <p className="break-words text-ink-3 text-xs">
                  {last?.reason}
                  {leads && (
                    <>
                      {'. '}
                      <Link
                        href={leads.href}
                        prefetch={false}
                        className="whitespace-nowrap text-accent-strong underline underline-offset-2"
                      >
                        {leads.label}
                        <span className="sr-only"> for {name}</span>
                      </Link>
                    </>
                  )}
                </p>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
