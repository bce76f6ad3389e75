import { History, SearchX } from 'lucide-react'
import type { Metadata } from 'next'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ExportMenu } from '../../../components/export-menu.tsx'
import { FilterBar, FilterDay, FilterSearch, FilterSelect } from '../../../components/filters.tsx'
import { Live } from '../../../components/live.tsx'
import { OlderLink } from '../../../components/older-link.tsx'
import { data } from '../../../data.ts'
import { formatWhen } from '../../../format.ts'
import { parsePageKey, writePageKey } from '../../../paging.ts'
import { runtime } from '../../../runtime.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { readZone } from '../../../viewer-zone.ts'
import { channelKinds, filterNames, parseRunFilters, statuses, triggers } from './filters.ts'
import { listChoices } from './queries.ts'
import { RunTable } from './run-table.tsx'
import { channelNames, triggerNames } from './words.ts'

export const metadata: Metadata = { title: 'Runs' }

const pageRows = 50

export default async function RunsPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const { workspaceId } = membership
  const { db } = runtime()
  const parameters = await searchParams
  const read = (name: string) => [parameters[name]].flat()[0] ?? null
  const [timezone, settings] = await Promise.all([readZone(workspaceId), data.readSettings(db, workspaceId)])
  const filters = parseRunFilters(read, settings.timezone)
  const after = parsePageKey(read('after'))
  const [{ runs, next }, choices] = await Promise.all([
    data.listRuns(db, { workspaceId, limit: pageRows, ...filters, ...(after ? { after } : {}) }),
    listChoices(workspaceId),
  ])
  const chosen = new URLSearchParams(filterNames.flatMap((name) => (read(name) ? [[name, read(name) as string]] : [])))
  const older = new URLSearchParams(chosen)
  if (next) older.set('after', writePageKey(next))
  const isShort = next !== null && runs.length < pageRows
  return (
    <>
      <PageHeader title="Runs">
        <div className="flex items-center gap-3">
          {!after && <Live />}
          <ExportMenu address="/api/runs/export" chosen={chosen.toString()} />
        </div>
      </PageHeader>
      <FilterBar names={filterNames}>
        <FilterSearch label="Search titles and errors" />
        <FilterSelect
          name="status"
          label="Status"
          any="Any status"
          options={statuses.map((status) => ({ value: status, label: status }))}
        />
        <FilterSelect name="agent" label="Agent" any="Any agent" options={choices.agents} />
        <FilterSelect
          name="channel"
          label="Channel"
          any="Any channel"
          options={channelKinds.map((kind) => ({ value: kind, label: channelNames[kind] }))}
        />
        <FilterSelect name="member" label="Requester" any="Anybody" options={choices.members} />
        <FilterSelect
          name="trigger"
          label="Trigger"
          any="Any trigger"
          options={triggers.map((trigger) => ({ value: trigger, label: triggerNames[trigger] }))}
        />
        <FilterDay name="from" label="From" zone={settings.timezone} />
        <FilterDay name="to" label="To" zone={settings.timezone} />
      </FilterBar>
      <h2 className="sr-only">The runs, the newest first</h2>
      {runs.length > 0 && <RunTable runs={runs} now={new Date()} timezone={timezone} />}
      {runs.length === 0 && !isShort && (
        <div className="py-10">{chosen.size || after ? <NothingFound /> : <NothingYet />}</div>
      )}
      {isShort && next && (
        <p className="px-4 pt-6 text-center text-ink-3">
          {runs.length ? 'No more' : 'None'} back to {formatWhen(next.at, timezone)}. There are older runs to look
          through.
        </p>
      )}
      <OlderLink href={next && `/runs?${older}`} />
    </>
  )
}

function NothingFound() {
  return (
    <EmptyState icon={SearchX} title="No run is like that">
      Take a filter away, or look for a shorter part of the title.
    </EmptyState>
  )
}

function NothingYet() {
  return (
    <EmptyState icon={History} title="No run yet">
      Write to an agent in the Playground, in Slack or on Telegram: each time one starts to work, its run is here, with
      all that it did and why it might.
    </EmptyState>
  )
}
