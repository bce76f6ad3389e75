import { Bot, Plus } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { FilterBar, FilterSearch } from '../../../components/filters.tsx'
import { OlderLink } from '../../../components/older-link.tsx'
import { TabLinks } from '../../../components/tab-links.tsx'
import { data } from '../../../data.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { readZone } from '../../../viewer-zone.ts'
import { AgentList } from './agent-list.tsx'
import { listAgentsPage } from './queries.ts'

export const metadata: Metadata = { title: 'Agents' }

export default async function AgentsPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const { show, q, after } = await searchParams
  const archived = show === 'archived'
  const search = typeof q === 'string' ? q.slice(0, 200) : ''
  const [{ rows, next }, timezone] = await Promise.all([
    listAgentsPage(membership.workspaceId, { archived, search, after }),
    readZone(membership.workspaceId),
  ])
  const kept = { ...(archived ? { show: 'archived' } : {}), ...(search ? { q: search } : {}) }
  return (
    <>
      <PageHeader title="Agents">
        {data.atLeast(membership.role, 'admin') && (
          <Button asChild look="primary" className="max-sm:h-10">
            <Link href="/agents/new">
              <Plus aria-hidden="true" /> New agent
            </Link>
          </Button>
        )}
      </PageHeader>
      <TabLinks
        label="Which agents"
        tabs={[
          { href: '/agents', label: 'In use' },
          { href: '/agents?show=archived', label: 'Archived' },
        ]}
        chosen={archived ? '/agents?show=archived' : '/agents'}
      />
      <FilterBar names={['q']}>
        <FilterSearch label="Search agents by name or description" />
      </FilterBar>
      <h2 className="sr-only">{archived ? 'Archived agents' : 'Agents in use'}</h2>
      {rows.length === 0 ? (
        <Nothing search={search} archived={archived} />
      ) : (
        <AgentList agents={rows} now={new Date()} timezone={timezone} />
      )}
      <div className="px-4 py-3 md:px-5">
        <OlderLink href={next && `/agents?${new URLSearchParams({ ...kept, after: next })}`} />
      </div>
    </>
  )
}

function Nothing({ search, archived }: { search: string; archived: boolean }) {
  if (search)
    return (
      <EmptyState icon={Bot} title="No agent is called like that">
        Only names and descriptions are searched.
      </EmptyState>
    )
  return archived ? (
    <EmptyState icon={Bot} title="No agent is archived">
      An agent that is put away keeps its history here, and can be restored.
    </EmptyState>
  ) : (
    <EmptyState icon={Bot} title="There is no agent yet">
      An agent is instructions, a model, and the tools that it may use. “New agent” makes one as a draft; nobody meets
      it before you publish it.
    </EmptyState>
  )
}
