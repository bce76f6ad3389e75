import { ShieldCheck } from 'lucide-react'
import Link from 'next/link'
import { Card, CardHeader } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { When } from '../../../components/when.tsx'
import type { ListedRun } from './queries.ts'

export function Failures({ runs, now, timezone }: { runs: ListedRun[]; now: Date; timezone: string }) {
  return (
    <Card aria-labelledby="failures">
      <CardHeader id="failures" title="Recent failures">
        <Link href="/runs?status=failed" className="text-ink-3 text-xs hover:text-ink">
          All failures
        </Link>
      </CardHeader>
      {runs.length === 0 ? (
        <EmptyState icon={ShieldCheck} title="No run has failed">
          A run that fails is listed here with what went wrong.
        </EmptyState>
      ) : (
        <ul>
          {runs.map((run) => (
            <li key={run.id} className="border-line border-t px-4 py-2">
              <p className="flex items-baseline justify-between gap-3">
                <Link href={`/runs/${run.id}`} prefetch={false} className="truncate font-medium hover:underline">
                  {run.title}
                </Link>
                <span className="shrink-0 text-ink-3 text-xs">
                  <When date={run.queuedAt} now={now} timezone={timezone} />
                </span>
              </p>
              <p className="truncate text-xs" title={run.errorMessage ?? undefined}>
                {run.errorCode && <code className="font-mono text-2xs text-bad">{run.errorCode}</code>}
                <span className="text-ink-3"> {run.errorMessage ?? 'No reason was recorded.'}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
