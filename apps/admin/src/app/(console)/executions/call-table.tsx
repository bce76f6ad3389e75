import type { ListedToolCall } from '@quartermaster/db'
import Link from 'next/link'
import { CallStatusTag, DecisionTag } from '../../../components/run-status.tsx'
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx'
import { When } from '../../../components/when.tsx'
import { formatDuration } from '../../../format.ts'

interface CallTableProps {
  rows: readonly ListedToolCall[]
  /** Those that came or changed just now. */
  fresh: ReadonlySet<string>
  now: Date
  timezone: string
}

/** What a phone has no room for. */
const roomy = 'max-lg:hidden'
const wide = 'max-xl:hidden'

export function CallTable({ rows, fresh, now, timezone }: CallTableProps) {
  return (
    <Table label="Tool calls">
      <thead>
        <tr>
          <HeadCell>When</HeadCell>
          <HeadCell>Tool</HeadCell>
          <HeadCell className={roomy}>Agent</HeadCell>
          <HeadCell className={wide}>Who asked</HeadCell>
          <HeadCell className={roomy}>Decision</HeadCell>
          <HeadCell>Status</HeadCell>
          <HeadCell className={`text-right max-sm:hidden`}>Took</HeadCell>
          <HeadCell className="max-sm:hidden">Arguments</HeadCell>
        </tr>
      </thead>
      <tbody>
        {rows.map((call) => (
          <Row key={call.id} className={fresh.has(call.id) ? 'animate-fresh' : undefined}>
            <Cell className="text-ink-3">
              <When date={call.requestedAt} now={now} timezone={timezone} />
            </Cell>
            <Cell className="max-w-56 max-sm:max-w-36">
              <Link
                href={`/executions/${call.id}`}
                prefetch={false}
                className="block truncate font-medium font-mono text-xs hover:underline max-sm:py-2.5"
              >
                {call.toolName}
              </Link>
            </Cell>
            <Cell className={`max-w-36 truncate text-ink-2 ${roomy}`}>{call.agentName}</Cell>
            <Cell className={`max-w-36 truncate text-ink-2 ${wide}`}>{call.requesterName ?? '—'}</Cell>
            <Cell className={roomy}>
              <DecisionTag decision={call.decision} />
            </Cell>
            <Cell>
              <CallStatusTag status={call.status} />
            </Cell>
            <Cell className="text-right text-ink-2 tabular-nums max-sm:hidden">
              {call.durationMs === null ? '' : formatDuration(call.durationMs)}
            </Cell>
            <Cell className="w-full min-w-40 max-w-0 max-sm:hidden">
              <p className="truncate font-mono text-2xs text-ink-3" title={call.error ?? undefined}>
                {call.argumentsStart ?? 'large arguments'}
              </p>
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
