import { MessagesSquare } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { describeChanges } from '../../../../agents/describe-changes.ts'
import { writeSeen } from '../../../../agents/seen.ts'
import { Button } from '../../../../components/button.tsx'
import { TabLinks } from '../../../../components/tab-links.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { When } from '../../../../components/when.tsx'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'
import { requireMember } from '../../../../session.ts'
import { type AgentView, readNames } from '../queries.ts'
import { ArchiveButton, RestoreButton } from './archive-button.tsx'
import { DraftButtons } from './draft-buttons.tsx'

const tabs = [
  { path: '', label: 'Configuration' },
  { path: '/tools', label: 'Tools' },
  { path: '/effective', label: 'Effective tools' },
  { path: '/channels', label: 'Channels' },
  { path: '/secrets', label: 'Secrets' },
  { path: '/versions', label: 'Versions' },
] as const

export type AgentTab = (typeof tabs)[number]['path']

/** What stands over every page of an agent: which one it is, its draft, and the way to its other pages. */
export async function Frame({ view, tab, children }: { view: AgentView; tab: AgentTab; children: ReactNode }) {
  const { agent, configuration, mayTalk } = view
  const { membership } = await requireMember('viewer')
  const isAdmin = data.atLeast(membership.role, 'admin')
  const places = isAdmin
    ? await data.listPlacesOfAgent(runtime().db, { workspaceId: view.workspaceId, agentId: agent.id })
    : []
  const addressOf = (path: string) => `/agents/${agent.id}${path}`
  return (
    <>
      <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b px-4 py-2 md:px-5">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          <h1 className="flex min-w-0 items-center gap-1.5 font-semibold text-base">
            <Link href="/agents" className="font-normal text-ink-3 hover:text-ink">
              Agents<span className="sr-only">:</span>
            </Link>
            <span aria-hidden="true" className="font-normal text-ink-3">
              /
            </span>
            <span className="truncate">{agent.name}</span>
          </h1>
          {agent.archivedAt ? (
            <Tag>archived</Tag>
          ) : agent.published ? (
            <Tag tone="ok">version {agent.published.number}</Tag>
          ) : (
            <Tag tone="warn">not published</Tag>
          )}
          {agent.published && (
            <span className="text-ink-3 text-xs max-sm:hidden">
              {agent.published.publishedBy ? `${agent.published.publishedBy.name}, ` : ''}
              <When date={agent.published.publishedAt as Date} now={view.now} timezone={view.timezone} />
            </span>
          )}
        </div>
        <div className="flex items-center gap-2">
          {isAdmin &&
            (agent.archivedAt ? (
              <RestoreButton agentId={agent.id} />
            ) : (
              <ArchiveButton agentId={agent.id} name={agent.name} places={places} />
            ))}
          {mayTalk && (
            <Button asChild className="max-sm:h-10">
              <Link href={`/playground?agent=${agent.id}`}>
                <MessagesSquare aria-hidden="true" /> Talk to it
              </Link>
            </Button>
          )}
        </div>
      </header>
      {agent.draft && <DraftBar view={view} />}
      <TabLinks
        label={`Pages of ${agent.name}`}
        tabs={tabs.map(({ path, label }) => ({
          href: addressOf(path),
          label,
          ...(path === '/tools' ? { count: configuration.attachments.length } : {}),
        }))}
        chosen={addressOf(tab)}
      />
      {children}
    </>
  )
}

async function DraftBar({ view }: { view: AgentView }) {
  const { agent, changes, mayEdit } = view
  const blocks = describeChanges(changes, await readNames(view.workspaceId))
  const count = changes.length === 1 ? '1 change' : `${changes.length || 'no'} changes`
  return (
    <section
      aria-label="Draft"
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b bg-accent-soft/60 px-4 py-2 md:px-5"
    >
      <p className="min-w-0 text-ink-2">
        <span className="font-medium text-ink">Draft: {count}</span>
        {agent.draft?.by && (
          <span className="text-xs">
            {' '}
            · {agent.draft.by.name}, <When date={agent.draft.updatedAt} now={view.now} timezone={view.timezone} />
          </span>
        )}
        <span className="block text-xs">
          {agent.published
            ? `Version ${agent.published.number} answers until this is published.`
            : 'It answers nobody until this is published.'}
        </span>
      </p>
      {mayEdit && (
        <DraftButtons
          agentId={agent.id}
          name={agent.name}
          seen={writeSeen(agent.seen)}
          number={(agent.published?.number ?? 0) + 1}
          isFirst={!agent.published}
          count={count}
          blocks={blocks}
        />
      )}
    </section>
  )
}
