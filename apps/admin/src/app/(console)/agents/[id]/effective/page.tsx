import type { RegisteredTool } from '@quartermaster/db'
import { ShieldQuestion } from 'lucide-react'
import type { Metadata } from 'next'
import { type Decided, decideTools, type ToolDecision } from '../../../../../agents/decide-tools.ts'
import { oneOfEachName, readAgentTools } from '../../../../../agents/read-tools.ts'
import { EmptyState } from '../../../../../components/empty-state.tsx'
import { FilterBar, FilterSearch, FilterSelect } from '../../../../../components/filters.tsx'
import { Cell, HeadCell, Row, Table } from '../../../../../components/table.tsx'
import { data } from '../../../../../data.ts'
import { placeOfReason } from '../../../../../policy/place-of-reason.ts'
import { runtime } from '../../../../../runtime.ts'
import { toolKit } from '../../../../../tool-kit.ts'
import { readAgentView } from '../../queries.ts'
import { Frame } from '../frame.tsx'
import { Because } from './because.tsx'
import { Verdict, verdictWords } from './verdict.tsx'

export const metadata: Metadata = { title: 'Effective tools' }

interface EffectivePageProps {
  params: Promise<{ id: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function EffectiveToolsPage({ params, searchParams }: EffectivePageProps) {
  const view = await readAgentView(params)
  const { agent, workspaceId } = view
  const { q, decision } = await searchParams
  const { db } = runtime()
  const [stored, fixed, tools] = await Promise.all([
    data.loadPolicy(db, workspaceId),
    data.readInstallationPolicy(db),
    readAgentTools(workspaceId),
  ])
  const installation = toolKit.fromLynkrSettings(fixed?.settings ?? {})
  const decide = (configuration: typeof view.configuration | undefined): Decided | null =>
    configuration && stored ? decideTools({ agentId: agent.id, configuration, stored, installation, tools }) : null
  const now = decide(agent.published?.configuration)
  const then = decide(agent.draft?.configuration)
  const problems = [now, then].flatMap((each) => (each && !each.ok ? each.problems : []))
  const search = typeof q === 'string' ? q.toLowerCase() : ''
  const attached = new Set(view.configuration.attachments.map(({ toolId }) => toolId))
  const shown = entriesOf(oneOfEachName(tools.rows, attached), now, then).filter(
    ({ row, before, after }) =>
      `${row.name} ${row.title}`.toLowerCase().includes(search) &&
      (!decision || (decision === 'changed' ? isChanged(before, after) : (after ?? before)?.verdict === decision)),
  )
  return (
    <Frame view={view} tab="/effective">
      <h2 className="sr-only">Effective tools</h2>
      <FilterBar names={['q', 'decision']}>
        <FilterSearch label="Search tools" />
        <FilterSelect
          name="decision"
          label="Decision"
          any="Any decision"
          options={[
            ...(['allow', 'ask', 'deny'] as const).map((value) => ({ value, label: verdictWords[value] })),
            ...(then && now ? [{ value: 'changed', label: 'Changed by the draft' }] : []),
          ]}
        />
      </FilterBar>
      <p className="max-w-3xl px-4 pt-3 text-ink-3 text-xs md:px-5">
        What happens to a call of each tool before its arguments are known, by the code that decides in the bot. Rules
        and hooks that look at arguments are named, and every reason leads to where it is written. Strangers’ content in
        a run can make any call ask.
      </p>
      {problems.length > 0 && (
        <ul aria-label="Problems of the policy" className="mx-4 mt-3 rounded-md bg-bad-soft px-3 py-2 text-bad md:mx-5">
          {problems.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {shown.length === 0 ? (
        <EmptyState icon={ShieldQuestion} title="No tool is decided like that">
          Take a filter away to see the others.
        </EmptyState>
      ) : (
        <div className="pt-2">
          <Table label="Effective tools">
            {/* On a phone each tool is a block: what happens beside its name, why below. */}
            <thead className="max-sm:sr-only">
              <tr>
                <HeadCell>Tool</HeadCell>
                {now && <HeadCell>Now</HeadCell>}
                {then && <HeadCell>{now ? 'With the draft' : 'When published'}</HeadCell>}
                <HeadCell>Because</HeadCell>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ row, before, after }) => {
                const decided = after ?? before
                return (
                  <Row
                    key={row.id}
                    className="max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto_auto] max-sm:items-baseline max-sm:pr-2 max-sm:pb-1.5"
                  >
                    <Cell className="max-w-64 py-2 align-top max-sm:h-auto max-sm:max-w-none max-sm:pb-0">
                      <p className="truncate">
                        <code className="text-xs">{row.name}</code>
                      </p>
                      {row.title !== row.name && (
                        <p className="truncate text-ink-3 text-xs max-sm:hidden">{row.title}</p>
                      )}
                    </Cell>
                    {now && (
                      <Cell className="py-2 align-top max-sm:h-auto max-sm:pr-2 max-sm:pb-0">
                        <Verdict
                          verdict={before?.verdict ?? 'deny'}
                          muted={isChanged(before, after) || isNotAttached(before)}
                        />
                      </Cell>
                    )}
                    {then && (
                      <Cell className="py-2 align-top max-sm:h-auto max-sm:pr-2 max-sm:pb-0">
                        <Verdict verdict={after?.verdict ?? 'deny'} muted={isNotAttached(after)} />
                      </Cell>
                    )}
                    <Cell className="w-full min-w-64 whitespace-normal py-2 align-top max-sm:col-span-3 max-sm:h-auto max-sm:py-1 max-sm:pl-4">
                      {row.unavailable ? (
                        <span className="text-ink-3">
                          {row.unavailable === 'gone' ? 'no running bot has it' : 'it is switched off'}
                        </span>
                      ) : (
                        decided && (
                          <Because
                            decision={decided}
                            name={row.name}
                            placeOf={(reason) =>
                              placeOfReason(reason, {
                                agentId: agent.id,
                                toolId: row.id,
                                rules: stored?.config.rules ?? [],
                              })
                            }
                            mayEdit={view.mayEdit}
                          />
                        )
                      )}
                    </Cell>
                  </Row>
                )
              })}
            </tbody>
          </Table>
        </div>
      )}
    </Frame>
  )
}

interface Entry {
  row: RegisteredTool
  before: ToolDecision | undefined
  after: ToolDecision | undefined
}

const unusable: ToolDecision = { verdict: 'deny', trail: [], byArguments: [] }

function entriesOf(rows: readonly RegisteredTool[], now: Decided | null, then: Decided | null): Entry[] {
  const of = (decided: Decided | null, row: RegisteredTool) =>
    decided?.ok ? (row.unavailable ? unusable : decided.decisions.get(row.name)) : undefined
  return rows.map((row) => ({ row, before: of(now, row), after: of(then, row) })).sort((a, b) => rankOf(a) - rankOf(b))
}

/** What the draft changes first, then what there is for the agent, then what is denied; the many that it has not come last. */
function rankOf({ before, after }: Entry): number {
  if (isChanged(before, after)) return 0
  const decided = after ?? before
  if (decided?.verdict !== 'deny') return 1
  return isNotAttached(decided) ? 3 : 2
}

/** Nobody denied it; it was only never given to the agent. */
const isNotAttached = (decision: ToolDecision | undefined) => decision?.trail.at(-1)?.layer === 'attachment'

const isChanged = (before: ToolDecision | undefined, after: ToolDecision | undefined) =>
  before !== undefined && after !== undefined && before.verdict !== after.verdict
