import { Download, ScrollText } from 'lucide-react'
import type { Metadata } from 'next'
import { Button } from '../../../components/button.tsx'
import { Card, CardHeader } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { FilterBar, FilterDay, FilterSearch, FilterSelect } from '../../../components/filters.tsx'
import { OlderLink } from '../../../components/older-link.tsx'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { readZone } from '../../../viewer-zone.ts'
import { AuditEntry } from './audit-entry.tsx'
import { describeActor } from './describe-event.ts'
import { filterNames, parseFilter } from './parse-filter.ts'
import { readNames } from './read-names.ts'
import { Verify } from './verify-button.tsx'

export const metadata: Metadata = { title: 'Audit' }

const pageRows = 50
const formats = { csv: 'CSV', jsonl: 'JSONL', log: 'Lines' }

export default async function AuditPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('admin')
  const { workspaceId } = membership
  const { db } = runtime()
  const query = await searchParams
  const [timezone, settings] = await Promise.all([readZone(workspaceId), data.readSettings(db, workspaceId)])
  const filter = parseFilter(query, settings.timezone)
  const [{ events, next }, actions, actors] = await Promise.all([
    data.listAuditEvents(db, { workspaceId, filter, before: parseNumber(query.after), limit: pageRows }),
    data.listAuditActions(db, workspaceId),
    data.listAuditActors(db, workspaceId),
  ])
  const about = filter.subject ? [subjectOnly(filter.subject)] : []
  const names = await readNames(workspaceId, [...events, ...actors.map(actorOnly), ...about])
  const given = filterNames.flatMap((name) =>
    typeof query[name] === 'string' && query[name] ? [[name, query[name]]] : [],
  )
  const addressOf = (path: string, more: Record<string, string>) =>
    `${path}?${new URLSearchParams([...given, ...Object.entries(more)])}`
  const now = new Date()
  return (
    <>
      <PageHeader title="Audit">
        <span className="flex items-center gap-1">
          <Download aria-hidden="true" className="size-4 text-ink-3" />
          <span className="sr-only">Export what is filtered as</span>
          {Object.entries(formats).map(([format, label]) => (
            <Button key={format} size="small" look="ghost" asChild className="max-sm:h-10">
              <a href={addressOf('/api/audit/export', { format })} download>
                {label}
              </a>
            </Button>
          ))}
        </span>
      </PageHeader>
      <FilterBar names={filterNames}>
        <FilterSearch label="Text in an event" />
        <FilterSelect
          name="actor"
          label="Who"
          any="Anybody"
          options={actors
            .map((actor) => ({ value: `${actor.kind}:${actor.id}`, label: describeActor({ actor }, names) }))
            .sort((one, other) => one.label.localeCompare(other.label))}
        />
        <FilterSelect name="action" label="What" any="Any action" options={actionOptions(actions)} />
        <FilterDay name="from" label="From" zone={settings.timezone} />
        <FilterDay name="to" label="To" zone={settings.timezone} />
      </FilterBar>
      <div className="grid max-w-6xl gap-3 p-4 md:p-5">
        <Card aria-labelledby="chain">
          <CardHeader
            id="chain"
            title="The chain"
            about="Each event’s hash covers the one before it. Keep the head’s hash elsewhere, and no rewriting can hide from it."
          />
          <div className="px-4 pt-1 pb-3">
            <Verify />
          </div>
        </Card>
        <Card aria-labelledby="events">
          <CardHeader
            id="events"
            title="Events"
            about={
              filter.subject
                ? `Those about the ${filter.subject.kind} ${names.get(filter.subject.id) ?? filter.subject.id}, the newest first.`
                : 'The newest first.'
            }
          />
          {events.length === 0 ? (
            <EmptyState icon={ScrollText} title={next ? 'Nothing in this stretch' : 'Nothing like that was recorded'}>
              {next
                ? 'A text is looked for in twenty thousand events at a time. Go on to the older ones.'
                : 'Clear the filters to see everything.'}
            </EmptyState>
          ) : (
            <ul className="border-line border-t">
              {events.map((event) => (
                <AuditEntry key={event.number} event={event} names={names} now={now} timezone={timezone} />
              ))}
            </ul>
          )}
        </Card>
        <OlderLink href={next === null ? null : addressOf('/audit', { after: String(next) })} />
      </div>
    </>
  )
}

const actorOnly = (actor: { kind: 'member' | 'agent' | 'system'; id: string }) => ({
  ...{ actor, subject: { kind: actor.kind, id: actor.id }, data: {} },
})

const subjectOnly = (subject: { kind: string; id: string }) => ({
  ...{ actor: { kind: 'system' as const, id: '' }, subject, data: {} },
})

const parseNumber = (text: unknown) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : null)

/** Each area before its actions. */
function actionOptions(actions: string[]) {
  const areas = [...new Set(actions.map((action) => action.split('.')[0]))]
  return areas.flatMap((area) => [
    { value: `${area}.*`, label: `All of ${area}` },
    ...actions.filter((action) => action.startsWith(`${area}.`)).map((action) => ({ value: action, label: action })),
  ])
}
