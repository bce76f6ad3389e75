import Link from 'next/link'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { CallStatusTag, DecisionTag } from '../../../../components/run-status.tsx'
import { Cell, HeadCell, Row, Table } from '../../../../components/table.tsx'
import { When } from '../../../../components/when.tsx'
import { formatDuration } from '../../../../format.ts'
import type { RecentCall } from '../queries.ts'

interface RecentUsesProps {
  calls: readonly RecentCall[]
  toolName: string
  now: Date
  timezone: string
}

export function RecentUses({ calls, toolName, now, timezone }: RecentUsesProps) {
  return (
    <Card>
      <CardHeader title="Recent uses">
        {calls.length > 0 && (
          <Link
            href={`/executions?tool=${encodeURIComponent(toolName)}`}
            className="text-accent-strong text-xs underline underline-offset-2"
          >
            All executions
          </Link>
        )}
      </CardHeader>
      {calls.length === 0 ? (
        <p className="px-4 pb-4 text-ink-3">
          Nobody has used it yet. Try it above, or ask an agent for something that needs it.
        </p>
      ) : (
        <Table label="Recent uses">
          <thead>
            <tr>
              <HeadCell>When</HeadCell>
              <HeadCell>Agent</HeadCell>
              <HeadCell>Decision</HeadCell>
              <HeadCell>Status</HeadCell>
              <HeadCell className="text-right">Took</HeadCell>
              <HeadCell>
                <span className="sr-only">Trace</span>
              </HeadCell>
            </tr>
          </thead>
          <tbody>
            {calls.map((call) => (
              <Row key={call.id}>
                <Cell>
                  <When date={call.requestedAt} now={now} timezone={timezone} />
                </Cell>
                <Cell>
                  <Link href={`/agents/${call.agentId}`} className="hover:underline">
                    {call.agent}
                  </Link>
                </Cell>
                <Cell>
                  <DecisionTag decision={call.decision} />
                </Cell>
                <Cell>
                  <CallStatusTag status={call.status} />
                </Cell>
                <Cell className="text-right tabular-nums">
                  {call.durationMs === null ? <span className="text-ink-3">–</span> : formatDuration(call.durationMs)}
                </Cell>
                <Cell className="text-right">
                  <Link
                    href={`/runs/${call.runId}`}
                    className="text-accent-strong text-xs underline underline-offset-2"
                  >
                    Trace
                  </Link>
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  )
}
