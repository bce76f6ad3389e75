import type { AgentConfiguration, AgentVersion } from '@quartermaster/db'
import { GitCompare, History } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { describeChanges } from '../../../../../agents/describe-changes.ts'
import { writeSeen } from '../../../../../agents/seen.ts'
import { Card, CardHeader } from '../../../../../components/card.tsx'
import { classNames } from '../../../../../components/class-names.ts'
import { EmptyState } from '../../../../../components/empty-state.tsx'
import { OlderLink } from '../../../../../components/older-link.tsx'
import { Tag } from '../../../../../components/tag.tsx'
import { When } from '../../../../../components/when.tsx'
import { data } from '../../../../../data.ts'
import { runtime } from '../../../../../runtime.ts'
import { ChangeList } from '../../change-list.tsx'
import { type AgentView, readAgentView, readNames } from '../../queries.ts'
import { Frame } from '../frame.tsx'
import { ComparePicker } from './compare-picker.tsx'
import { RollBackButton } from './roll-back-button.tsx'

export const metadata: Metadata = { title: 'Versions of an agent' }

interface VersionsPageProps {
  params: Promise<{ id: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function AgentVersionsPage({ params, searchParams }: VersionsPageProps) {
  const view = await readAgentView(params)
  const { agent, workspaceId } = view
  const { from, to, before } = await searchParams
  const whose = { workspaceId, agentId: agent.id }
  const size = data.limits.agentsOfPage
  const found = await data.listAgentVersions(runtime().db, { ...whose, before: parseNumber(before), limit: size + 1 })
  const versions = found.slice(0, size)
  const newest = agent.published?.number ?? 0
  const right = to === 'draft' && agent.draft ? 'draft' : (parseNumber(to) ?? newest)
  const left = parseNumber(from) ?? (right === 'draft' ? newest : Math.max(1, right - 1))
  if (!agent.published)
    return (
      <Frame view={view} tab="/versions">
        <EmptyState icon={History} title="Nothing is published yet">
          Each time the draft is published, what it was is kept here: who, when and why.
        </EmptyState>
      </Frame>
    )
  const numbers = Array.from({ length: Math.min(newest, 200) }, (_, index) => newest - index)
  return (
    <Frame view={view} tab="/versions">
      <div className="grid max-w-6xl grid-cols-[minmax(0,1fr)] items-start gap-3 p-4 md:p-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        <Card aria-labelledby="history">
          <CardHeader id="history" title="History" about="Published versions never change." />
          <ol aria-label="Versions">
            {versions.map((version, index) => (
              <Version
                key={version.number}
                view={view}
                version={version}
                previous={found[index + 1] ?? null}
                isShown={version.number === right}
              />
            ))}
          </ol>
          <div className="px-4 empty:hidden">
            <OlderLink
              href={found.length > size ? `/agents/${agent.id}/versions?before=${versions.at(-1)?.number}` : null}
            />
          </div>
        </Card>
        <Card aria-labelledby="difference">
          <CardHeader id="difference" title="Difference">
            <ComparePicker from={left} to={right} numbers={numbers} hasDraft={agent.draft !== null} />
          </CardHeader>
          <Difference view={view} left={left} right={right} />
        </Card>
      </div>
    </Frame>
  )
}

const parseNumber = (text: unknown): number | null =>
  typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null

interface VersionProps {
  view: AgentView
  version: AgentVersion
  /** Null: it is the first one, or stands on the next page. */
  previous: AgentVersion | null
  isShown: boolean
}

async function Version({ view, version, previous, isShown }: VersionProps) {
  const { agent, mayEdit, now, timezone } = view
  const { number, note, publishedAt, publishedBy, configuration } = version
  const count = previous ? data.diffConfigurations(previous.configuration, configuration).length : null
  const current = agent.published?.configuration as AgentConfiguration
  const back = number === agent.published?.number ? [] : data.diffConfigurations(current, configuration)
  return (
    <li
      aria-current={isShown ? 'true' : undefined}
      className={classNames('border-line border-t px-4 py-2.5', isShown && 'bg-accent-soft/50')}
    >
      <div className="flex min-w-0 items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium tabular-nums">Version {number}</span>
            {number === agent.published?.number && <Tag tone="ok">holds now</Tag>}
          </p>
          {note && <p className="break-words text-ink-2">{note}</p>}
          <p className="text-ink-3 text-xs">
            {publishedBy?.name ?? 'The installation'}
            {publishedAt && (
              <>
                , <When date={publishedAt} now={now} timezone={timezone} />
              </>
            )}
            {count !== null && ` · ${count === 1 ? '1 change' : `${count || 'no'} changes`}`}
          </p>
        </div>
        <span className="flex shrink-0 items-center gap-1">
          {number > 1 && (
            <Link
              href={`/agents/${agent.id}/versions?from=${number - 1}&to=${number}`}
              aria-label={`What version ${number} changed`}
              scroll={false}
              className="inline-flex size-8 items-center justify-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink max-sm:size-10"
            >
              <GitCompare aria-hidden="true" className="size-4" />
            </Link>
          )}
          {mayEdit && back.length > 0 && (
            <RollBackButton
              agentId={agent.id}
              name={agent.name}
              to={number}
              seen={writeSeen(agent.seen)}
              hasDraft={agent.draft !== null}
              blocks={describeChanges(back, await readNames(view.workspaceId))}
            />
          )}
        </span>
      </div>
    </li>
  )
}

async function Difference({ view, left, right }: { view: AgentView; left: number; right: number | 'draft' }) {
  const { agent, workspaceId } = view
  const read = (number: number) => data.readAgentVersion(runtime().db, { workspaceId, agentId: agent.id, number })
  const [one, other] = await Promise.all([read(left), right === 'draft' ? agent.draft : read(right)])
  if (!one || !other)
    return <p className="px-4 pb-4 text-ink-3">There is no version {one ? right : left} of this agent.</p>
  const changes = data.diffConfigurations(one.configuration, other.configuration)
  if (!changes.length) return <p className="px-4 pb-4 text-ink-3">They are the same.</p>
  return (
    <div className="px-4 pb-4">
      <ChangeList
        label={`From version ${left} to ${right === 'draft' ? 'the draft' : `version ${right}`}`}
        blocks={describeChanges(changes, await readNames(workspaceId))}
      />
    </div>
  )
}
