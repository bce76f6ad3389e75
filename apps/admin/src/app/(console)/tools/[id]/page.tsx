import { ArrowLeft } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Card, CardHeader } from '../../../../components/card.tsx'
import { Facts } from '../../../../components/facts.tsx'
import { Stat } from '../../../../components/stat.tsx'
import { Tag } from '../../../../components/tag.tsx'
import { data } from '../../../../data.ts'
import { formatCount, formatDuration } from '../../../../format.ts'
import { requireMember } from '../../../../session.ts'
import { PageHeader } from '../../../../shell/page-header.tsx'
import { readZone } from '../../../../viewer-zone.ts'
import { readBots } from '../../channels/queries.ts'
import { formatRate, readHooks, readRecentCalls, readRegistry, readScopes, readUses, successRate } from '../queries.ts'
import { readWorkspaceTools } from '../read-policy.ts'
import { categoryWord, effectWords, sourceWords } from '../words.ts'
import { AgentList } from './agent-list.tsx'
import { Aliases } from './aliases.tsx'
import { HookCard } from './hook-card.tsx'
import { RecentUses } from './recent-uses.tsx'
import { SchemaTable } from './schema-table.tsx'
import { Scopes } from './scopes.tsx'
import { SwitchButton } from './switch-button.tsx'
import { TryIt } from './try-it.tsx'

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  return { title: decode((await params).id) }
}

export default async function ToolPage({ params }: { params: Promise<{ id: string }> }) {
  const { membership } = await requireMember('viewer')
  const { workspaceId, role } = membership
  const id = decode((await params).id)
  const registry = await readRegistry(workspaceId)
  const tool = registry.find((candidate) => candidate.id === id)
  if (!tool) notFound()
  const now = new Date()
  const [ofWorkspace, uses, recent, scopes, hooks, timezone, bots] = await Promise.all([
    readWorkspaceTools(workspaceId, registry),
    readUses(workspaceId, now),
    readRecentCalls(workspaceId, tool.name),
    readScopes(workspaceId, tool.requiredSecretScopes),
    readHooks(workspaceId),
    readZone(workspaceId),
    readBots(),
  ])
  const use = uses.get(tool.name)
  const rate = successRate(use)
  const standings = ofWorkspace?.standings(tool.name) ?? []
  const mayTry = data.atLeast(role, 'member') && tool.unavailable === null
  const mayChange = data.atLeast(role, 'admin')
  const effect = tool.effect && effectWords[tool.effect]
  const schema = parse(tool.parametersSchema)
  return (
    <>
      <PageHeader title={tool.title}>
        {mayChange && (
          <SwitchButton
            tool={tool}
            agents={standings.filter(({ decision }) => decision.verdict !== 'deny').map(({ name }) => name)}
          />
        )}
      </PageHeader>
      <div className="mx-auto grid w-full max-w-6xl grid-cols-[minmax(0,1fr)] gap-4 p-4 md:p-5">
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <Link href="/tools" className="flex w-fit items-center gap-1 text-ink-3 hover:text-ink">
            <ArrowLeft aria-hidden="true" className="size-3.5" />
            All tools
          </Link>
          <div className="flex flex-wrap items-center gap-2">
            <code className="font-mono font-semibold">{tool.name}</code>
            {effect && <Tag tone={effect.tone}>{effect.word}</Tag>}
            {tool.untrusted && <Tag tone="warn">returns strangers’ content</Tag>}
            {tool.unavailable === 'disabled' && <Tag tone="bad">switched off</Tag>}
            {tool.unavailable === 'gone' && <Tag tone="warn">gone</Tag>}
          </div>
          <p className="max-w-3xl whitespace-pre-line text-ink-2">{tool.description}</p>
          {tool.unavailable === 'disabled' && (
            <p className="rounded-md bg-bad-soft px-3 py-2 text-bad">
              It is switched off in this workspace: every call of it is refused, whoever makes it.
            </p>
          )}
          {tool.unavailable === 'gone' && (
            <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
              No running version of Quartermaster has it any more. Its attachments stay, and do nothing.
            </p>
          )}
        </div>
        <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
          <Stat label="Uses, last 30 days" value={formatCount(use?.calls ?? 0)} note={notRunOf(use)} />
          <Stat label="Success" value={rate === null ? '–' : formatRate(rate)} note={failuresOf(use)} />
          <Stat label="Median duration" value={use?.p50Ms == null ? '–' : formatDuration(use.p50Ms)} />
          <Stat label="95 of 100 within" value={use?.p95Ms == null ? '–' : formatDuration(use.p95Ms)} />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px]">
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            {mayTry && (
              <TryIt
                tool={{ id: tool.id, name: tool.name, schema }}
                agents={standings.map(({ id: agentId, name, decision }) => ({
                  id: agentId,
                  name,
                  refused: decision.verdict === 'deny' ? (decision.trail.at(-1)?.reason ?? 'denied') : null,
                }))}
                botAlive={bots.length > 0}
                now={now.toISOString()}
                timezone={timezone}
              />
            )}
            <Card>
              <CardHeader title="Arguments" about="What an agent, or a person who tries it, gives it." />
              <SchemaTable schema={schema} what="arguments" />
            </Card>
            {tool.configSchema && (
              <Card>
                <CardHeader
                  title="Configuration"
                  about="What an owner sets where the tool is attached to an agent, beside default_, max_ and fixed_ for each argument."
                />
                <SchemaTable schema={parse(tool.configSchema)} what="settings" />
              </Card>
            )}
            <RecentUses calls={recent} toolName={tool.name} now={now} timezone={timezone} />
          </div>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <Card className="pb-3">
              <CardHeader title="About it" />
              <div className="px-4">
                <Facts
                  facts={[
                    ['Category', categoryWord(tool.category)],
                    ['Source', tool.source ? sourceWords[tool.source] : 'Unknown'],
                    [
                      'Version',
                      tool.version && (
                        <code className="font-mono text-xs" title={tool.version}>
                          {tool.version.slice(0, 12)}
                        </code>
                      ),
                    ],
                    ['Groups', tool.groups.map((group) => `group:${group}`).join(', ')],
                    ['After a crash', tool.idempotent ? 'may be started again' : 'is never started twice'],
                  ]}
                />
              </div>
            </Card>
            <HookCard tool={tool} stored={hooks} ofWorkspace={ofWorkspace} mayChange={mayChange} />
            <Scopes scopes={scopes} />
            <AgentList
              standings={standings}
              unreadable={ofWorkspace === null}
              toolId={tool.id}
              rules={ofWorkspace?.rules ?? []}
              mayEdit={mayChange}
            />
            <Aliases tool={tool} />
          </div>
        </div>
      </div>
    </>
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text).slice(0, 300)
  } catch {
    return text.slice(0, 300)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {} // Somebody wrote the row by hand. It is shown as one that takes nothing we know of.
  }
}

function notRunOf(use: { refused: number; denied: number } | undefined): string {
  if (!use || use.refused + use.denied === 0) return ''
  return `${formatCount(use.refused + use.denied)} of them not run`
}

function failuresOf(use: { failed: number; interrupted: number } | undefined): string {
  if (!use) return ''
  const failed = use.failed + use.interrupted
  return failed ? `${formatCount(failed)} failed` : ''
}
