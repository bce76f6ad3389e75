import type { Metadata } from 'next'
import { FilterBar, FilterSearch, FilterSelect } from '../../../components/filters.tsx'
import { callFilterNames, callStatuses, parseCallFilter } from '../../../executions/call-filter.ts'
import { formatCount, formatWhen } from '../../../format.ts'
import { requireMember } from '../../../session.ts'
import { readZone } from '../../../viewer-zone.ts'
import { CallList } from './call-list.tsx'
import { listCalls, readFilterChoices } from './queries.ts'

export const metadata: Metadata = { title: 'Executions' }

export default async function ExecutionsPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const { workspaceId } = membership
  const parameters = await searchParams
  const now = new Date()
  const { filter } = parseCallFilter(parameters, now)
  const [page, choices, timezone] = await Promise.all([
    listCalls(workspaceId, filter, parameters.after),
    readFilterChoices(workspaceId),
    readZone(workspaceId),
  ])
  const filters = new URLSearchParams()
  for (const name of callFilterNames) {
    const value = parameters[name]
    if (typeof value === 'string' && value) filters.set(name, value)
  }
  return (
    <CallList
      calls={page.calls}
      next={page.next}
      looked={
        page.lookedBackTo
          ? `Looked at ${formatCount(page.looked)} calls, back to ${formatWhen(page.lookedBackTo, timezone)}.`
          : null
      }
      filters={`${filters}`}
      isFirstPage={parameters.after === undefined && filter.to === undefined}
      now={now.toISOString()}
      timezone={timezone}
    >
      <FilterBar names={callFilterNames}>
        <FilterSearch label="Tool, arguments or error" />
        <FilterSelect name="tool" label="Tool" any="Any tool" options={choices.tools} />
        <FilterSelect name="agent" label="Agent" any="Any agent" options={choices.agents} />
        <FilterSelect name="member" label="Who asked" any="Anybody" options={choices.members} />
        <FilterSelect name="decision" label="Decision" any="Any decision" options={decisions} />
        <FilterSelect
          name="status"
          label="Status"
          any="Any status"
          options={callStatuses.map((status) => ({ value: status, label: status }))}
        />
        <FilterSelect name="slower" label="Duration" any="Any duration" options={durations} />
        <FilterSelect name="since" label="When" any="Any time" options={spans} />
      </FilterBar>
    </CallList>
  )
}

const decisions = [
  { value: 'allow', label: 'Allowed' },
  { value: 'ask', label: 'Asked' },
  { value: 'deny', label: 'Denied' },
]
const durations = [
  { value: '1s', label: 'Over 1 second' },
  { value: '10s', label: 'Over 10 seconds' },
  { value: '60s', label: 'Over a minute' },
  { value: '600s', label: 'Over 10 minutes' },
]
const spans = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
]
