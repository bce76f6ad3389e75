import type { RegisteredTool, ToolUse } from '@quartermaster/db'
import { SearchX } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Card } from '../../../components/card.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { FilterBar, FilterSearch, FilterSelect } from '../../../components/filters.tsx'
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx'
import { Tag } from '../../../components/tag.tsx'
import { formatCount, formatDuration } from '../../../format.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import {
  filterTools,
  formatRate,
  parseToolFilter,
  readRegistry,
  readUses,
  sources,
  successRate,
  withoutDoubles,
} from './queries.ts'
import { readWorkspaceTools, type WorkspaceTools } from './read-policy.ts'
import { categoryWord, effectWords, sourceWords } from './words.ts'

export const metadata: Metadata = { title: 'Tools' }

export default async function ToolsPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const filter = parseToolFilter(await searchParams)
  const all = withoutDoubles(await readRegistry(membership.workspaceId))
  const [uses, ofWorkspace] = await Promise.all([
    readUses(membership.workspaceId, new Date()),
    readWorkspaceTools(membership.workspaceId, all),
  ])
  const found = filterTools(all, filter)
  const categories = [...new Set(all.map(({ category }) => category))].sort((a, b) =>
    categoryWord(a).localeCompare(categoryWord(b)),
  )
  return (
    <>
      <PageHeader title="Tools">
        <span className="text-ink-3 text-xs tabular-nums">
          {found.length === all.length ? `${all.length} tools` : `${found.length} of ${all.length} tools`}
        </span>
      </PageHeader>
      <FilterBar names={['q', 'category', 'source', 'state']}>
        <FilterSearch label="Search by name, alias or what it does" />
        <FilterSelect
          name="category"
          label="Category"
          any="Any category"
          options={categories.map((value) => ({ value, label: categoryWord(value) }))}
        />
        <FilterSelect
          name="source"
          label="Source"
          any="Any source"
          options={sources.map((value) => ({ value, label: sourceWords[value] }))}
        />
        <FilterSelect
          name="state"
          label="State"
          any="On and off"
          options={[
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Switched off' },
            { value: 'gone', label: 'Gone' },
          ]}
        />
      </FilterBar>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5 p-4 md:p-5">
        {ofWorkspace === null && (
          <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
            The policy of this workspace cannot be read, so every tool call is refused until it is set right.
          </p>
        )}
        {found.length === 0 && (
          <EmptyState icon={SearchX} title={all.length ? 'No tool is like that' : 'The registry is empty'}>
            {all.length
              ? 'Take a filter away, or search for one of its aliases, such as “Read” or “bash”.'
              : 'The bot writes its tools into the registry when it starts. Start it with “npm start”.'}
          </EmptyState>
        )}
        {categories.map((category) => {
          const tools = found.filter((tool) => tool.category === category)
          return (
            tools.length > 0 && (
              <Category key={category} category={category} tools={tools} uses={uses} ofWorkspace={ofWorkspace} />
            )
          )
        })}
        {found.length > 0 && (
          <p className="text-ink-3 text-xs">
            Uses, success and median duration are of the last 30 days, counted every minute. Success is of the calls
            that ran.
          </p>
        )}
      </div>
    </>
  )
}

interface CategoryProps {
  category: string
  tools: readonly RegisteredTool[]
  uses: ReadonlyMap<string, ToolUse>
  ofWorkspace: WorkspaceTools | null
}

function Category({ category, tools, uses, ofWorkspace }: CategoryProps) {
  return (
    <section aria-labelledby={`category-${category}`} className="min-w-0">
      <h2 id={`category-${category}`} className="mb-1.5 font-semibold text-sm">
        {categoryWord(category)}
      </h2>
      <Card>
        <Table label={`Tools: ${categoryWord(category)}`} className="table-fixed min-w-[820px]">
          <thead>
            <tr>
              <HeadCell>Tool</HeadCell>
              <HeadCell className="w-24">Effect</HeadCell>
              <HeadCell className="w-24">Source</HeadCell>
              <HeadCell className="w-24 text-right">Agents</HeadCell>
              <HeadCell className="w-20 text-right">Uses</HeadCell>
              <HeadCell className="w-20 text-right">Success</HeadCell>
              <HeadCell className="w-24 text-right">Median</HeadCell>
            </tr>
          </thead>
          <tbody>
            {tools.map((tool) => (
              <ToolRow key={tool.id} tool={tool} use={uses.get(tool.name)} ofWorkspace={ofWorkspace} />
            ))}
          </tbody>
        </Table>
      </Card>
    </section>
  )
}

function ToolRow({
  tool,
  use,
  ofWorkspace,
}: {
  tool: RegisteredTool
  use: ToolUse | undefined
  ofWorkspace: WorkspaceTools | null
}) {
  const agents = ofWorkspace?.standings(tool.name).filter(({ decision }) => decision.verdict !== 'deny').length
  const rate = successRate(use)
  const effect = tool.effect && effectWords[tool.effect]
  return (
    <Row>
      <Cell className="max-w-0 py-1.5">
        <div className="flex items-center gap-2">
          <Link
            href={`/tools/${encodeURIComponent(tool.id)}`}
            className="truncate font-medium font-mono text-xs hover:underline"
          >
            {tool.name}
          </Link>
          {tool.unavailable === 'disabled' && <Tag tone="bad">off</Tag>}
          {tool.unavailable === 'gone' && <Tag tone="warn">gone</Tag>}
        </div>
        <p
          className="truncate text-ink-3 text-xs"
          title={tool.aliases.length ? `Also: ${tool.aliases.join(', ')}` : ''}
        >
          {tool.title === tool.name ? tool.description : tool.title}
          {tool.aliases.length > 0 && ` · also ${tool.aliases.join(', ')}`}
        </p>
      </Cell>
      <Cell>{effect && <Tag tone={effect.tone}>{effect.word}</Tag>}</Cell>
      <Cell className="text-ink-2">{tool.source ? sourceWords[tool.source] : 'Unknown'}</Cell>
      <Cell className="text-right tabular-nums">{agents === undefined ? '–' : formatCount(agents)}</Cell>
      <Cell className="text-right tabular-nums">{use ? formatCount(use.calls) : <None />}</Cell>
      <Cell className="text-right tabular-nums">
        {rate === null ? <None /> : <span className={rate < 0.9 ? 'text-bad' : undefined}>{formatRate(rate)}</span>}
      </Cell>
      <Cell className="text-right tabular-nums">{use?.p50Ms == null ? <None /> : formatDuration(use.p50Ms)}</Cell>
    </Row>
  )
}

const None = () => <span className="text-ink-3">–</span>
