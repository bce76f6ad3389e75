import type { ListedAgent, RunStatus } from '@quartermaster/db'
import Link from 'next/link'
import { RunStatusTag } from '../../../components/run-status.tsx'
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx'
import { Tag } from '../../../components/tag.tsx'
import { When } from '../../../components/when.tsx'

/** What a phone has no room for: the agent and what it may do come first. */
const roomy = 'max-md:hidden'

export function AgentList({ agents, now, timezone }: { agents: ListedAgent[]; now: Date; timezone: string }) {
  return (
    <Table label="Agents">
      <thead>
        <tr>
          <HeadCell>Agent</HeadCell>
          <HeadCell className={roomy}>Model</HeadCell>
          <HeadCell className={roomy}>Profile</HeadCell>
          <HeadCell>Autonomy</HeadCell>
          <HeadCell className={roomy}>Tools</HeadCell>
          <HeadCell className={roomy}>Answers in</HeadCell>
          <HeadCell className={`text-right ${roomy}`}>Last run</HeadCell>
        </tr>
      </thead>
      <tbody>
        {agents.map((agent) => (
          <Row key={agent.id}>
            <Cell className="w-full min-w-44 max-w-0 py-2">
              <div className="flex min-w-0 items-center gap-2">
                <Link href={`/agents/${agent.id}`} className="truncate font-medium hover:text-accent-strong">
                  {agent.name}
                </Link>
                {!agent.published && <Tag tone="warn">not published</Tag>}
                {agent.published && agent.hasDraft && <Tag tone="accent">draft</Tag>}
              </div>
              <p className="truncate text-ink-3 text-xs">{agent.description}</p>
            </Cell>
            <Cell className={`text-ink-2 ${roomy}`}>{agent.published?.model ?? '–'}</Cell>
            <Cell className={`text-ink-2 ${roomy}`}>{agent.published?.profile ?? '–'}</Cell>
            <Cell className="text-ink-2">{agent.published?.autonomy ?? '–'}</Cell>
            <Cell className={`text-ink-2 tabular-nums ${roomy}`}>{agent.tools || 'default set'}</Cell>
            <Cell className={`text-ink-2 ${roomy}`}>{describePlaces(agent)}</Cell>
            <Cell className={`text-right text-ink-3 ${roomy}`}>
              {agent.lastRun ? (
                <span className="inline-flex items-center gap-2">
                  <When date={agent.lastRun.queuedAt} now={now} timezone={timezone} />
                  <RunStatusTag status={agent.lastRun.status as RunStatus} />
                </span>
              ) : (
                'never'
              )}
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

function describePlaces({ defaults, places }: ListedAgent): string {
  const said = [
    ...(places ? [places === 1 ? '1 place' : `${places} places`] : []),
    ...(defaults ? [defaults === 1 ? 'default of 1 channel' : `default of ${defaults} channels`] : []),
  ]
  return said.join(', ') || 'playground'
}
