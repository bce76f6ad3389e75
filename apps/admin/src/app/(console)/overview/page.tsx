import type { Metadata } from 'next'
import { Live } from '../../../components/live.tsx'
import { data } from '../../../data.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { readZone } from '../../../viewer-zone.ts'
import { BusyAgents } from './busy-agents.tsx'
import { Charts } from './charts.tsx'
import { Failures } from './failures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { HealthPanel } from './health-panel.tsx'
import { parsePeriod, periods } from './period.ts'
import { PeriodPicker } from './period-picker.tsx'
import {
  hasRuns,
  listBusyAgents,
  listOpenQuestions,
  listRecentRuns,
  listTroubledChannels,
  readBots,
  readOverviewUsage,
} from './queries.ts'
import { QuestionList } from './question-list.tsx'
import { RunList } from './run-list.tsx'
import { Stats } from './stats.tsx'

export const metadata: Metadata = { title: 'Overview' }

export default async function OverviewPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const { workspaceId } = membership
  const id = parsePeriod((await searchParams).period)
  const period = periods[id]
  const now = new Date()
  const timezone = await readZone(workspaceId)
  const [usage, questions, runs, failures, bots, used, agents, troubled] = await Promise.all([
    readOverviewUsage(workspaceId, period, timezone, now),
    listOpenQuestions(workspaceId, 5),
    listRecentRuns(workspaceId, 8),
    listRecentRuns(workspaceId, 5, true),
    readBots(),
    hasRuns(workspaceId),
    listBusyAgents(workspaceId, period, timezone, now, 5),
    listTroubledChannels(workspaceId),
  ])
  const clock = { now, timezone }

  return (
    <>
      <PageHeader title="Overview">
        <div className="flex items-center gap-3">
          <Live restSeconds={5} atLeastEverySeconds={30} />
          <PeriodPicker chosen={id} />
        </div>
      </PageHeader>
      <div className="grid gap-3 p-4 md:p-5">
        {!used && <FirstSteps bots={bots} mayWrite={data.atLeast(membership.role, 'member')} />}
        <Stats usage={usage} openQuestions={questions.total} period={period} />
        <Charts usage={usage} period={period} timezone={timezone} />
        <div className="grid gap-3 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <div className="grid content-start gap-3">
            <QuestionList questions={questions.newest} total={questions.total} {...clock} />
            <RunList runs={runs} {...clock} />
          </div>
          <div className="grid content-start gap-3">
            <HealthPanel bots={bots} troubled={troubled} />
            <BusyAgents agents={agents} words={period.words} />
            <Failures runs={failures} {...clock} />
          </div>
        </div>
      </div>
    </>
  )
}
