import { type Change, Stat } from '../../../components/stat.tsx'
import { formatCost, formatCount, formatDuration } from '../../../format.ts'
import type { Period } from './period.ts'
import { mostQuestions, type Usage } from './queries.ts'

interface StatsProps {
  usage: Usage
  openQuestions: number
  period: Period
}

export function Stats({ usage: { now, before }, openQuestions, period }: StatsProps) {
  const tokens = (totals: typeof now) => totals.inputTokens + totals.outputTokens
  const share = now.runs ? `${((now.failed / now.runs) * 100).toFixed(1)} % of runs` : null
  return (
    <section aria-label={`Numbers of ${period.words}`}>
      <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
        <Stat
          label="Runs"
          value={formatCount(now.runs)}
          change={changeOf(now.runs, before.runs, null)}
          note={before.runs ? `${formatCount(before.runs)} before` : null}
        />
        <Stat
          label="Open questions"
          value={openQuestions > mostQuestions ? `${mostQuestions}+` : formatCount(openQuestions)}
          note={openQuestions ? 'waiting for a person' : 'nobody is waited for'}
        />
        <Stat
          label="Failures"
          value={formatCount(now.failed)}
          change={changeOf(now.failed, before.failed, 'less')}
          note={share}
        />
        <Stat
          label="Median time"
          value={now.p50Ms === null ? '—' : formatDuration(now.p50Ms)}
          change={now.p50Ms === null || before.p50Ms === null ? null : changeOf(now.p50Ms, before.p50Ms, 'less')}
          note={now.p95Ms === null ? 'no run finished' : `p95 ${formatDuration(now.p95Ms)}`}
        />
        <Stat
          label="Tokens"
          value={formatCount(tokens(now))}
          change={changeOf(tokens(now), tokens(before), null)}
          note={tokens(now) ? `${formatCount(now.outputTokens)} written` : null}
        />
        <Stat
          label="Cost"
          value={formatCost(now.costMicros)}
          change={changeOf(now.costMicros, before.costMicros, null)}
          note={now.runs ? `${formatCost(now.costMicros / now.runs)} a run` : null}
        />
      </div>
    </section>
  )
}

/** Against the span before; there is no percentage of nothing. */
function changeOf(now: number, before: number, better: 'less' | null): Change | null {
  if (before === 0) return null
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return { text: '± 0 %', good: null }
  const text = `${percent > 0 ? '↑' : '↓'} ${formatCount(Math.abs(percent))} %`
  return { text, good: better === null ? null : percent < 0 }
}
