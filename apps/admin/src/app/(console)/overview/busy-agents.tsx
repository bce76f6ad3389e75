import { Bot } from 'lucide-react'
import { Card, CardHeader } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { formatCost, formatCount } from '../../../format.ts'
import type { AgentUsage } from './queries.ts'

export function BusyAgents({ agents, words }: { agents: AgentUsage[]; words: string }) {
  const most = Math.max(1, ...agents.map(({ runs }) => runs))
  return (
    <Card aria-labelledby="busy-agents">
      <CardHeader id="busy-agents" title="Agents" about={`by runs in ${words}`} />
      {agents.length === 0 ? (
        <EmptyState icon={Bot} title="No agent has worked">
          Which agents do most, and what they cost, is listed here.
        </EmptyState>
      ) : (
        <ul>
          {agents.map((agent) => (
            <li key={agent.id} className="border-line border-t px-4 py-2">
              <p className="flex items-baseline justify-between gap-3">
                <span className="truncate font-medium">{agent.name}</span>
                <span className="shrink-0 text-ink-3 text-xs tabular-nums">
                  {formatCount(agent.runs)} {agent.runs === 1 ? 'run' : 'runs'}
                  {agent.failed > 0 && `, ${formatCount(agent.failed)} failed`} · {formatCost(agent.costMicros)}
                </span>
              </p>
              <span aria-hidden="true" className="mt-1 block h-1 rounded-full bg-line/60">
                <span
                  className="block h-full rounded-full bg-[var(--chart-ok)]"
                  style={{ width: `${(agent.runs / most) * 100}%` }}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
