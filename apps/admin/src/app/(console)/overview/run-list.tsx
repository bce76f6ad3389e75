import { Play } from 'lucide-react'
import Link from 'next/link'
import { Card, CardHeader } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { RunStatusTag } from '../../../components/run-status.tsx'
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx'
import { When } from '../../../components/when.tsx'
import { formatCost, formatDuration } from '../../../format.ts'
import type { ListedRun } from './queries.ts'

/** What a phone has no room for: the run, how it stands and when it was come first. */
const roomy = 'max-sm:hidden'
const channels = { slack: 'Slack', telegram: 'Telegram', web: 'Web' }

export function RunList({ runs, now, timezone }: { runs: ListedRun[]; now: Date; timezone: string }) {
  return (
    <Card aria-labelledby="recent-runs">
      <CardHeader id="recent-runs" title="Recent runs">
        <Link href="/runs" className="text-ink-3 text-xs hover:text-ink">
          All runs
        </Link>
      </CardHeader>
      {runs.length === 0 ? (
        <EmptyState icon={Play} title="No run yet">
          Write to an agent in the Playground; each time it starts to work, a run appears here.
        </EmptyState>
      ) : (
        <Table label="Recent runs">
          <thead>
            <tr>
              <HeadCell>Run</HeadCell>
              <HeadCell>Status</HeadCell>
              <HeadCell className={roomy}>Agent</HeadCell>
              <HeadCell className={`text-right ${roomy}`}>Time</HeadCell>
              <HeadCell className={`text-right ${roomy}`}>Cost</HeadCell>
              <HeadCell className="text-right">Started</HeadCell>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <Row key={run.id}>
                <Cell className="w-full min-w-28 max-w-0 max-sm:py-1.5">
                  <p className="truncate max-sm:line-clamp-2 max-sm:whitespace-normal">
                    <Link href={`/runs/${run.id}`} prefetch={false} className="font-medium hover:underline">
                      {run.title}
                    </Link>
                    <span className="text-ink-3">
                      {' '}
                      · {run.requester ? `${run.requester}, ` : ''}
                      {channels[run.channel]}
                    </span>
                  </p>
                </Cell>
                <Cell>
                  <RunStatusTag status={run.status} />
                </Cell>
                <Cell className={`text-ink-2 ${roomy}`}>{run.agent}</Cell>
                <Cell className={`text-right text-ink-2 tabular-nums ${roomy}`}>{formatDuration(run.durationMs)}</Cell>
                <Cell className={`text-right text-ink-2 tabular-nums ${roomy}`}>{formatCost(run.costMicros)}</Cell>
                <Cell className="text-right text-ink-3">
                  <When date={run.queuedAt} now={now} timezone={timezone} />
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  )
}
