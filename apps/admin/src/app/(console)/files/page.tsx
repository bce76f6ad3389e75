import { ChevronRight, File, FileSearch, Folder, Link2, Unplug } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Card } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { FilterBar, FilterSearch } from '../../../components/filters.tsx'
import { OlderLink } from '../../../components/older-link.tsx'
import { TabLinks } from '../../../components/tab-links.tsx'
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx'
import { When } from '../../../components/when.tsx'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { toolKit } from '../../../tool-kit.ts'
import { readZone } from '../../../viewer-zone.ts'
import { findWorkFolder, type WorkFolderState } from '../../../work-folder.ts'
import { formatBytes } from './format-bytes.ts'
import { fileLimits } from './limits.ts'
import { listVirtualFiles } from './queries.ts'

export const metadata: Metadata = { title: 'Files' }

const one = (value: unknown) => (typeof value === 'string' ? value.slice(0, 5_000) : '')

export default async function FilesPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('member')
  const { workspaceId } = membership
  const search = await searchParams
  const isVirtual = search.in === 'virtual'
  const q = one(search.q).trim().slice(0, 200)
  const timezone = await readZone(workspaceId)
  const about = { timezone, now: new Date() }
  return (
    <>
      <PageHeader title="Files" />
      <TabLinks
        label="Which files"
        tabs={[
          { href: '/files', label: 'Work folder' },
          { href: '/files?in=virtual', label: 'Virtual files' },
        ]}
        chosen={isVirtual ? '/files?in=virtual' : '/files'}
      />
      <FilterBar names={['q']}>
        <FilterSearch label="Search by name" />
      </FilterBar>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4 md:p-5">
        {isVirtual ? (
          <VirtualFiles {...about} workspaceId={workspaceId} q={q} after={search.after} />
        ) : (
          <WorkFolder {...about} workspaceId={workspaceId} q={q} path={one(search.path)} after={one(search.after)} />
        )}
      </div>
    </>
  )
}

interface Shown {
  workspaceId: string
  q: string
  now: Date
  timezone: string
}

async function WorkFolder({ workspaceId, q, path, after, now, timezone }: Shown & { path: string; after: string }) {
  const folder = await findWorkFolder(workspaceId)
  if (folder.state !== 'there') return <Unreachable folder={folder} />
  const signal = AbortSignal.timeout(10_000)
  const found = await browse(() =>
    q
      ? toolKit.searchFolder(folder.path, q, signal).then((result) => ({ ...result, path: '', next: null }))
      : toolKit
          .browseFolder(folder.path, path, { limit: fileLimits.pageEntries, signal, ...(after ? { after } : {}) })
          .then((result) => ({ ...result, more: false })),
  )
  return (
    <>
      {q ? <h2 className="font-medium">Named like “{q}”</h2> : <Crumbs path={found.path} />}
      {found.entries.length === 0 ? (
        <EmptyState icon={q ? FileSearch : Folder} title={q ? 'Nothing has such a name' : 'This folder is empty'}>
          {q
            ? 'Folders that programs fill, such as node_modules and .git, are not searched.'
            : 'What agents write with file.write and their programs lies here. Ask one in the Playground: “write hello to notes.txt”.'}
        </EmptyState>
      ) : (
        <Card>
          <Table label="What is in the folder">
            <thead>
              <tr>
                <HeadCell className="w-full">Name</HeadCell>
                <HeadCell className="text-right">Size</HeadCell>
                <HeadCell>Changed</HeadCell>
              </tr>
            </thead>
            <tbody>
              {found.entries.map((entry) => (
                <Row key={entry.path}>
                  <Cell>
                    <span className="flex items-center gap-2">
                      <Icon kind={entry.kind} />
                      <Name entry={entry} shown={q ? entry.path : entry.name} />
                    </span>
                  </Cell>
                  <Cell className="text-right text-ink-2 tabular-nums">
                    {entry.kind === 'file' ? formatBytes(entry.size) : <span className="text-ink-3">–</span>}
                  </Cell>
                  <Cell className="text-ink-2">
                    <When date={entry.modifiedAt} now={now} timezone={timezone} />
                  </Cell>
                </Row>
              ))}
            </tbody>
          </Table>
        </Card>
      )}
      {found.more && <p className="text-ink-3 text-xs">There is more than is shown. Search for more of the name.</p>}
      {found.next && (
        <Link
          href={`/files?${new URLSearchParams({ path: found.path, after: found.next })}`}
          className="mx-auto text-accent-strong underline underline-offset-2"
        >
          More of this folder
        </Link>
      )}
    </>
  )
}

/** What leads out or is not there is no page of ours, whatever the address says. */
async function browse<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof toolKit.PathProblem) notFound()
    throw error
  }
}

function Unreachable({ folder }: { folder: Exclude<WorkFolderState, { state: 'there' }> }) {
  if (folder.state === 'denied')
    return (
      <EmptyState icon={Unplug} title="The console may not look into the work folder">
        {folder.path} on {folder.host} belongs to another account. Run the console as the account that the bot runs as.
      </EmptyState>
    )
  if (folder.elsewhere.length)
    return (
      <EmptyState icon={Unplug} title="The agents’ files are on another machine">
        The bot runs on {folder.elsewhere.join(', ')}, and the console on {folder.host}, where there is no {folder.path}
        . Share the folder between them and set WORKSPACE_ROOT for both to see its files here.
      </EmptyState>
    )
  return (
    <EmptyState icon={Folder} title="No agent has written a file yet">
      The work folder is made at the first one: {folder.path} on {folder.host}. If the bot keeps its files elsewhere,
      set WORKSPACE_ROOT for the console as well.
    </EmptyState>
  )
}

function Crumbs({ path }: { path: string }) {
  const names = path.split('/').filter(Boolean)
  return (
    <nav aria-label="Folder" className="flex flex-wrap items-center gap-1">
      <Link href="/files" className="font-medium hover:underline" aria-current={names.length ? undefined : 'page'}>
        Work folder
      </Link>
      {names.map((name, index) => (
        <span key={names.slice(0, index + 1).join('/')} className="flex min-w-0 items-center gap-1">
          <ChevronRight aria-hidden="true" className="size-3.5 text-ink-3" />
          <Link
            href={`/files?path=${encodeURIComponent(names.slice(0, index + 1).join('/'))}`}
            aria-current={index === names.length - 1 ? 'page' : undefined}
            className="break-all hover:underline"
          >
            {toolKit.escapeForDisplay(name)}
          </Link>
        </span>
      ))}
    </nav>
  )
}

function Icon({ kind }: { kind: string }) {
  const Shown = kind === 'folder' ? Folder : kind === 'link' ? Link2 : File
  return <Shown aria-hidden="true" className="size-4 shrink-0 text-ink-3" />
}

function Name({
  entry,
  shown,
}: {
  entry: { kind: string; path: string; target: string | null; reachable: boolean }
  shown: string
}) {
  const text = toolKit.escapeForDisplay(shown)
  if (entry.kind === 'link')
    return (
      <span>
        {text} <span className="text-ink-3">→ {toolKit.escapeForDisplay(entry.target ?? '?')}</span>
      </span>
    )
  if (!entry.reachable || (entry.kind !== 'folder' && entry.kind !== 'file'))
    return <span className="text-ink-3">{text}</span>
  const path = encodeURIComponent(entry.path)
  return (
    <Link
      href={entry.kind === 'folder' ? `/files?path=${path}` : `/files/open?path=${path}`}
      className="font-medium hover:underline"
    >
      {text}
    </Link>
  )
}

async function VirtualFiles({ workspaceId, q, after, now, timezone }: Shown & { after: unknown }) {
  const { rows, next } = await listVirtualFiles(workspaceId, { q, after })
  if (!rows.length)
    return (
      <EmptyState icon={FileSearch} title={q ? 'Nothing has such a name' : 'There are no virtual files yet'}>
        {q
          ? 'Looked at were those that changed last.'
          : 'Agents write them with vfs.write: notes and results of a conversation that need no disk.'}
      </EmptyState>
    )
  return (
    <>
      <Card>
        <Table label="Virtual files">
          <thead>
            <tr>
              <HeadCell className="w-full">Path</HeadCell>
              <HeadCell>Of</HeadCell>
              <HeadCell className="text-right">Size</HeadCell>
              <HeadCell>Changed</HeadCell>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.id}>
                <Cell>
                  <Link href={`/files/virtual/${row.id}`} className="font-medium hover:underline">
                    {toolKit.escapeForDisplay(row.path)}
                  </Link>
                </Cell>
                <Cell className="max-w-64 truncate text-ink-2">
                  {row.owner.kind === 'agent' ? `the agent ${row.owner.name}` : row.owner.name}
                </Cell>
                <Cell className="text-right text-ink-2 tabular-nums">{formatBytes(row.size)}</Cell>
                <Cell className="text-ink-2">
                  <When date={row.updatedAt} now={now} timezone={timezone} />
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      </Card>
      <OlderLink href={next && `/files?${new URLSearchParams({ in: 'virtual', ...(q ? { q } : {}), after: next })}`} />
    </>
  )
}
