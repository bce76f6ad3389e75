import { Card, CardHeader } from '../../../components/card.tsx'
import { formatCost, formatCount, formatDuration, formatStep } from '../../../format.ts'
import { Chart } from './chart.tsx'
import type { Period } from './period.ts'
import type { Usage } from './queries.ts'

interface ChartsProps {
  usage: Usage
  period: Period
  timezone: string
}

export function Charts({ usage, period, timezone }: ChartsProps) {
  const labels = usage.steps.map((step) => formatStep(step.at, period.step, timezone))
  const label = (index: number) => labels[index] as string
  const { now } = usage
  return (
    <div className="grid gap-3 md:grid-cols-2 2xl:grid-cols-4">
      <Card>
        <CardHeader title="Runs" about={`by ${period.step}`}>
          <Legend
            entries={[
              ['Succeeded', 'var(--chart-ok)'],
              ['Stopped', 'var(--chart-mute)'],
              ['Failed', 'var(--chart-bad)'],
            ]}
          />
        </CardHeader>
        <Chart
          kind="bars"
          unit="count"
          summary={`Runs in ${period.words}: ${formatCount(now.runs)}, of which ${formatCount(now.failed)} failed and ${formatCount(now.stopped)} were stopped.`}
          series={[
            { key: 'succeeded', name: 'Succeeded', color: 'var(--chart-ok)' },
            { key: 'stopped', name: 'Stopped', color: 'var(--chart-mute)' },
            { key: 'failed', name: 'Failed', color: 'var(--chart-bad)' },
          ]}
          points={usage.steps.map((step, index) => ({
            label: label(index),
            succeeded: step.runs - step.failed - step.stopped,
            stopped: step.stopped,
            failed: step.failed,
          }))}
        />
      </Card>
      <Card>
        <CardHeader title="Time to finish" about="with waiting for people">
          <Legend
            entries={[
              ['Median', 'var(--chart-ok)'],
              ['p95', 'var(--chart-ok-2)'],
            ]}
          />
        </CardHeader>
        <Chart
          kind="lines"
          unit="duration"
          summary={
            now.p50Ms === null || now.p95Ms === null
              ? `No run finished in ${period.words}.`
              : `Half of the runs of ${period.words} finished within ${formatDuration(now.p50Ms)}, 95 of 100 within ${formatDuration(now.p95Ms)}.`
          }
          series={[
            { key: 'p95', name: 'p95', color: 'var(--chart-ok-2)' },
            { key: 'p50', name: 'Median', color: 'var(--chart-ok)' },
          ]}
          points={usage.steps.map((step, index) => ({ label: label(index), p50: step.p50Ms, p95: step.p95Ms }))}
        />
      </Card>
      <Card>
        <CardHeader title="Tokens" about={`by ${period.step}`}>
          <Legend
            entries={[
              ['Read', 'var(--chart-ok-2)'],
              ['Written', 'var(--chart-ok)'],
            ]}
          />
        </CardHeader>
        <Chart
          kind="bars"
          unit="count"
          summary={`Tokens in ${period.words}: ${formatCount(now.inputTokens)} read, ${formatCount(now.outputTokens)} written.`}
          series={[
            { key: 'output', name: 'Written', color: 'var(--chart-ok)' },
            { key: 'input', name: 'Read', color: 'var(--chart-ok-2)' },
          ]}
          points={usage.steps.map((step, index) => ({
            label: label(index),
            input: step.inputTokens,
            output: step.outputTokens,
          }))}
        />
      </Card>
      <Card>
        <CardHeader title="Cost" about={`by ${period.step}`} />
        <Chart
          kind="area"
          unit="cost"
          summary={`Cost in ${period.words}: ${formatCost(now.costMicros)}.`}
          series={[{ key: 'cost', name: 'Cost', color: 'var(--chart-ok)' }]}
          points={usage.steps.map((step, index) => ({ label: label(index), cost: step.costMicros }))}
        />
      </Card>
    </div>
  )
}

function Legend({ entries }: { entries: [name: string, color: string][] }) {
  return (
    <ul className="flex flex-wrap justify-end gap-x-3 pt-px text-2xs text-ink-3">
      {entries.map(([name, color]) => (
        <li key={name} className="flex items-center gap-1.5">
          <span aria-hidden="true" className="size-2 rounded-[3px]" style={{ background: color }} />
          {name}
        </li>
      ))}
    </ul>
  )
}
