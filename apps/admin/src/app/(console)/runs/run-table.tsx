import type { ListedRun } from '@quartermaster/db'
import Link from 'next/link'
import { RunStatusTag } from '../../../components/run-status.tsx'
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx'
import { When } from '../../../components/when.tsx'
import { formatCost, formatCount, formatDuration } from '../../../format.ts'
import { channelNames, triggerNames } from './words.ts'

/** What a phone has no room for: the run, how it stands and when it was come first. */
const roomy = 'max-sm:hidden'
const wide = 'max-lg:hidden'

export function RunTable({ runs, now, timezone }: { runs: ListedRun[]; now: Date; timezone: string }) {
  return (
    <Table label="Runs">
      <thead>
        <tr>
          <HeadCell>Run</HeadCell>
          <HeadCell>Status</HeadCell>
          <HeadCell className={roomy}>Agent</HeadCell>
          <HeadCell className={wide}>Channel</HeadCell>
          <HeadCell className={wide}>Requester</HeadCell>
          <HeadCell className={`text-right ${roomy}`}>Duration</HeadCell>
          <HeadCell className={`text-right ${wide}`}>Tokens</HeadCell>
          <HeadCell className={`text-right ${roomy}`}>Cost</HeadCell>
          <HeadCell className="text-right">Started</HeadCell>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.id} className="relative">
            <Cell className="w-full min-w-28 max-w-0 max-sm:py-1.5">
              <Link
                href={`/runs/${run.id}`}
                prefetch={false}
                className="block truncate font-medium after:absolute after:inset-0 hover:underline max-sm:line-clamp-2 max-sm:whitespace-normal"
              >
                {run.title}
              </Link>
              {run.error && (
                <p className="truncate text-ink-3 text-xs" title={run.error.message}>
                  {run.error.message}
                </p>
              )}
            </Cell>
            <Cell>
              <RunStatusTag status={run.status} />
            </Cell>
            <Cell className={`text-ink-2 ${roomy}`}>{run.agent.name}</Cell>
            <Cell className={`text-ink-2 ${wide}`}>{channelNames[run.channelKind]}</Cell>
            <Cell className={`text-ink-2 ${wide}`}>
              {run.requester?.name ?? <span className="text-ink-3">{triggerNames[run.trigger]}</span>}
            </Cell>
            <Cell className={`text-right text-ink-2 tabular-nums ${roomy}`}>
              {formatDuration((run.finishedAt ?? now).getTime() - run.queuedAt.getTime())}
            </Cell>
            <Cell className={`text-right text-ink-2 tabular-nums ${wide}`}>
              {formatCount(run.inputTokens + run.outputTokens)}
            </Cell>
            <Cell className={`text-right text-ink-2 tabular-nums ${roomy}`}>{formatCost(run.costMicros)}</Cell>
            <Cell className="text-right text-ink-3">
              <When date={run.queuedAt} now={now} timezone={timezone} />
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
