import type { AgentAttachment, RegisteredTool } from '@quartermaster/db'
import { PlugZap, Search } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { configSchemaOf } from '../../../../../agents/config-schema.ts'
import { type AgentTools, oneOfEachName, readAgentTools } from '../../../../../agents/read-tools.ts'
import { writeSeen } from '../../../../../agents/seen.ts'
import { Button } from '../../../../../components/button.tsx'
import { Card, CardHeader } from '../../../../../components/card.tsx'
import { EmptyState } from '../../../../../components/empty-state.tsx'
import { FilterBar, FilterSearch, FilterSelect } from '../../../../../components/filters.tsx'
import { Tag } from '../../../../../components/tag.tsx'
import { type AgentView, readAgentView } from '../../queries.ts'
import { Frame } from '../frame.tsx'
import { AttachButton, AttachDefaultSetButton, DetachButton } from './attach-buttons.tsx'
import { ConfigForm } from './config-form.tsx'

export const metadata: Metadata = { title: 'Tools of an agent' }

interface ToolsPageProps {
  params: Promise<{ id: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function AgentToolsPage({ params, searchParams }: ToolsPageProps) {
  const view = await readAgentView(params)
  const { tool, q, category } = await searchParams
  const tools = await readAgentTools(view.workspaceId)
  const chosen = typeof tool === 'string' ? tools.byId.get(tool) : undefined
  const search = typeof q === 'string' ? q.toLowerCase() : ''
  const filters = {
    ...(typeof q === 'string' ? { q } : {}),
    ...(typeof category === 'string' ? { category } : {}),
  }
  const { attachments } = view.configuration
  const isAttached = new Set(attachments.map(({ toolId }) => toolId))
  const attachable = oneOfEachName(tools.rows, isAttached).filter(
    (row) =>
      !isAttached.has(row.id) &&
      (!category || row.category === category) &&
      `${row.name} ${row.title} ${row.description}`.toLowerCase().includes(search),
  )
  const categories = [...new Set(tools.rows.map((row) => row.category))].sort()
  return (
    <Frame view={view} tab="/tools">
      <div className="grid max-w-6xl grid-cols-[minmax(0,1fr)] items-start gap-3 p-4 md:p-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="grid gap-3">
          {chosen && view.mayEdit && <Configure key={chosen.id} view={view} tools={tools} row={chosen} />}
          <Card aria-labelledby="attached">
            <CardHeader
              id="attached"
              title="Attached"
              about={
                attachments.length
                  ? 'These are all the tools there are for it. The policy says how each of them runs.'
                  : undefined
              }
            />
            {attachments.length === 0 ? (
              <EmptyState icon={PlugZap} title="Nothing is attached, so it has the default set">
                Every tool but those of connected accounts, clusters and MCP servers, as far as its profile and the
                policy allow.{' '}
                <Link href={`/agents/${view.agent.id}/effective`} className="text-accent-strong hover:underline">
                  Effective tools
                </Link>{' '}
                lists them. The first tool that is attached ends that: from then on it has what is attached, and nothing
                else. To keep what it has, attach the default set first.
                {view.mayEdit && <AttachDefaultSetButton agentId={view.agent.id} seen={writeSeen(view.agent.seen)} />}
              </EmptyState>
            ) : (
              <ul aria-label="Attached tools">
                {attachments.map((attachment) => (
                  <Attached
                    key={attachment.toolId}
                    view={view}
                    attachment={attachment}
                    row={tools.byId.get(attachment.toolId)}
                  />
                ))}
              </ul>
            )}
          </Card>
        </div>
        {view.mayEdit && (
          <Card aria-labelledby="attach">
            <CardHeader
              id="attach"
              title="Attach"
              about="What is attached here is in the draft until that is published."
            />
            <FilterBar names={['q', 'category']}>
              <FilterSearch label="Search tools" />
              <FilterSelect
                name="category"
                label="Category"
                any="Any category"
                options={categories.map((each) => ({ value: each, label: each }))}
              />
            </FilterBar>
            {attachable.length === 0 ? (
              <EmptyState icon={Search} title="No other tool is found">
                Tools come with the product, with a tool.yml, or from an MCP server.
              </EmptyState>
            ) : (
              <ul aria-label="Tools to attach" className="max-h-[36rem] overflow-y-auto [&>:first-child]:border-t-0">
                {attachable.map((row) => (
                  <Attachable key={row.id} view={view} row={row} filters={filters} />
                ))}
              </ul>
            )}
          </Card>
        )}
      </div>
    </Frame>
  )
}

const entry = 'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-line border-t px-4 py-2'

function Attached({
  view,
  attachment,
  row,
}: {
  view: AgentView
  attachment: AgentAttachment
  row: RegisteredTool | undefined
}) {
  const { toolId, config } = attachment
  const change = view.changes.find((each) => each.kind === 'tool' && each.toolId === toolId)
  const isNew = change?.kind === 'tool' && !change.before
  return (
    <li className={entry}>
      <div className="min-w-0">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <span className="truncate font-medium">{row?.title ?? toolId}</span>
          {row && row.title !== row.name && <code className="truncate text-ink-3 text-xs">{row.name}</code>}
          {change && <Tag tone="accent">{isNew ? 'new in the draft' : 'changed in the draft'}</Tag>}
          <Unavailable row={row} />
        </p>
        {config && Object.keys(config).length > 0 && (
          <p className="truncate font-mono text-2xs text-ink-2">
            {Object.entries(config)
              .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
              .join(' · ')}
          </p>
        )}
      </div>
      {view.mayEdit && (
        <span className="flex gap-1">
          {row && (
            <Button asChild look="ghost" size="small" className="max-sm:h-10">
              <Link
                href={`/agents/${view.agent.id}/tools?tool=${encodeURIComponent(toolId)}`}
                aria-label={`Configure ${row.name}`}
                scroll={false}
              >
                Configure
              </Link>
            </Button>
          )}
          <DetachButton agentId={view.agent.id} toolId={toolId} name={row?.name ?? toolId} />
        </span>
      )}
    </li>
  )
}

/** Why it cannot be used, where it cannot. */
function Unavailable({ row }: { row: RegisteredTool | undefined }) {
  if (!row) return <Tag tone="bad">not in the registry any more</Tag>
  if (row.unavailable === 'gone') return <Tag tone="warn">no running bot has it</Tag>
  return row.unavailable === 'disabled' ? <Tag tone="warn">switched off</Tag> : null
}

function Attachable({ view, row, filters }: { view: AgentView; row: RegisteredTool; filters: Record<string, string> }) {
  return (
    <li className={entry}>
      <div className="min-w-0">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2">
          <code className="truncate text-xs">{row.name}</code>
          <span className="text-2xs text-ink-3">{row.category}</span>
          <Unavailable row={row} />
        </p>
        <p className="truncate text-ink-3 text-xs">{row.description}</p>
      </div>
      {!row.unavailable && (
        <span className="flex gap-1">
          <Button asChild look="ghost" size="small" className="relative max-sm:hidden">
            <Link
              href={`/agents/${view.agent.id}/tools?${new URLSearchParams({ ...filters, tool: row.id })}`}
              scroll={false}
            >
              Configure…<span className="sr-only"> {row.name} and attach it</span>
            </Link>
          </Button>
          <AttachButton agentId={view.agent.id} toolId={row.id} name={row.name} />
        </span>
      )}
    </li>
  )
}

function Configure({ view, tools, row }: { view: AgentView; tools: AgentTools; row: RegisteredTool }) {
  const tool = tools.described.get(row.name)
  if (!tool) return null
  const attached = view.configuration.attachments.find(({ toolId }) => toolId === row.id)
  return (
    <Card aria-labelledby="configure">
      <CardHeader
        id="configure"
        title={attached ? `Configure ${row.name}` : `Attach ${row.name} with a configuration`}
        about={
          <>
            Only what is filled in counts. fixed_ says what an argument always is, default_ what it is when the model
            leaves it out, max_ the most it may be.
            {view.configuration.attachments.length === 0 && (
              <span className="block text-warn">
                Nothing is attached yet: with this one the agent has this one alone. To keep what it has, attach the
                default set first.
              </span>
            )}
          </>
        }
      />
      <ConfigForm
        agentId={view.agent.id}
        toolId={row.id}
        name={row.name}
        seen={writeSeen(view.agent.seen)}
        isAttached={attached !== undefined}
        schema={JSON.parse(JSON.stringify(configSchemaOf(tool)))}
        config={attached?.config ?? {}}
      />
    </Card>
  )
}
