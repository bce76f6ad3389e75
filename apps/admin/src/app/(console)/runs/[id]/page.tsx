import type { RunStatus } from '@quartermaster/db'
import { ChevronRight, ExternalLink } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { Button } from '../../../../components/button.tsx'
import { KeepPlace } from '../../../../components/keep-place.tsx'
import { RunStatusTag } from '../../../../components/run-status.tsx'
import { RunningTime } from '../../../../components/running-time.tsx'
import { Stat } from '../../../../components/stat.tsx'
import { TabLinks } from '../../../../components/tab-links.tsx'
import { When } from '../../../../components/when.tsx'
import { data } from '../../../../data.ts'
import { formatCost, formatCount, formatDuration } from '../../../../format.ts'
import { runtime } from '../../../../runtime.ts'
import { findCurrentMember, requireMember } from '../../../../session.ts'
import { chatLinkOf } from '../../../../trace/chat-link.ts'
import { readTimeline } from '../../../../trace/read-timeline.ts'
import type { TraceItem } from '../../../../trace/view.ts'
import { readZone } from '../../../../viewer-zone.ts'
import { channelNames, triggerNames } from '../words.ts'
import { Details } from './details.tsx'
import { ForkButton, RepeatButton } from './fork-button.tsx'
import { LiveTrace, LiveWriting } from './live-trace.tsx'
import { Log } from './log.tsx'
import { StopButton } from './stop-button.tsx'
import { Waterfall } from './waterfall.tsx'

/** Once a request: for the page and for its title. */
const findRun = cache((workspaceId: string, id: string) =>
  data.readRun(runtime().db, { workspaceId, runId: id.slice(0, 100) }),
)

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  const current = await findCurrentMember()
  const run = current && (await findRun(current.membership.workspaceId, (await params).id))
  return { title: run?.title ?? 'A run' }
}

export default async function RunPage({
  params,
  searchParams,
}: {
  params: Promise<{ id: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const { workspaceId, memberId, role } = membership
  const { db } = runtime()
  const { id } = await params
  const [run, timezone, parameters] = await Promise.all([findRun(workspaceId, id), readZone(workspaceId), searchParams])
  if (!run) notFound()
  const runId = run.id
  const now = new Date()
  const isLog = parameters.view === 'log'
  const timeline = await readTimeline(run, workspaceId, now)
  const wanted = typeof parameters.item === 'string' ? parameters.item.slice(0, 100) : null
  const item = wanted ?? firstToSee(timeline.items, run.status)
  const isOver = run.finishedAt !== null
  const mayAct = data.atLeast(role, 'member')
  const mayStop = mayAct && !isOver && (await data.mayStopRun(db, { workspaceId, runId, memberId }))
  const chat = chatLinkOf(run, memberId)
  const step = Math.min(stepOf(timeline.items, item) ?? 1, run.steps)
  return (
    <>
      <header className="grid gap-y-1 border-line border-b px-4 py-2 md:px-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 lg:flex-nowrap">
          <nav aria-label="Breadcrumb" className="flex shrink-0 items-center gap-1 text-ink-3">
            <Link href="/runs" className="hover:text-ink">
              Runs
            </Link>
            {run.parent && (
              <>
                <ChevronRight aria-hidden="true" className="size-3.5" />
                <Link href={`/runs/${run.parent.id}`} className="max-w-40 truncate hover:text-ink">
                  {run.parent.title}
                </Link>
              </>
            )}
            <ChevronRight aria-hidden="true" className="size-3.5" />
          </nav>
          <h1 className="min-w-0 max-w-full truncate font-semibold text-base" title={run.title}>
            {run.title}
          </h1>
          <RunStatusTag status={run.status} />
          <span className="min-w-0 flex-1" />
          <div className="flex flex-wrap items-center gap-2 lg:shrink-0 lg:flex-nowrap">
            {chat && (
              <Button asChild className="max-sm:h-10">
                {chat.href.startsWith('/') ? (
                  <Link href={chat.href}>{chat.label}</Link>
                ) : (
                  <a href={chat.href} target="_blank" rel="noreferrer">
                    {chat.label} <ExternalLink aria-hidden="true" />
                  </a>
                )}
              </Button>
            )}
            {mayAct && !run.conversation.deleted && (
              <>
                <RepeatButton runId={run.id} agent={run.agent.name} />
                {step > 0 && <ForkButton key={step} runId={run.id} step={step} steps={run.steps} />}
              </>
            )}
            <KeepPlace shown={mayStop}>
              <StopButton runId={run.id} title={run.title} />
            </KeepPlace>
          </div>
        </div>
        <div className="flex flex-wrap items-center gap-x-3 text-ink-3 text-xs">
          <p>
            {run.agent.name} · {channelNames[run.channelKind]} · {run.requester?.name ?? triggerNames[run.trigger]} ·{' '}
            <When date={run.queuedAt} now={now} timezone={timezone} />
          </p>
          <KeepPlace shown={!isOver}>
            <LiveTrace runId={run.id} isOver={isOver} />
          </KeepPlace>
        </div>
      </header>
      <div className={isLog ? undefined : 'lg:grid lg:grid-cols-[minmax(0,1fr)_400px]'}>
        <div className="min-w-0">
          {run.error && (
            <p role="status" className="mx-4 mt-4 rounded-md bg-bad-soft px-3 py-2 text-bad md:mx-5">
              <code className="font-mono text-2xs">{run.error.code}</code> {run.error.message}
            </p>
          )}
          {run.conversation.forkedFrom && (
            <p className="px-4 pt-4 text-ink-3 md:px-5">
              It goes on from{' '}
              <Link href={`/runs/${run.conversation.forkedFrom}`} className="text-accent-strong underline">
                another run
              </Link>
              , whose conversation it began with.
            </p>
          )}
          <h2 className="sr-only">In numbers</h2>
          <div className="grid grid-cols-2 gap-3 p-4 md:p-5 xl:grid-cols-4">
            <Stat
              label="Duration"
              value={
                run.finishedAt ? (
                  formatDuration(run.finishedAt.getTime() - run.queuedAt.getTime())
                ) : (
                  <RunningTime since={run.queuedAt.toISOString()} now={now.toISOString()} />
                )
              }
              note={
                run.startedAt
                  ? `${formatDuration(run.startedAt.getTime() - run.queuedAt.getTime())} in the queue`
                  : 'in the queue'
              }
            />
            <Stat label="Steps" value={String(run.steps)} note={run.version && `version ${run.version.number}`} />
            <Stat
              label="Tokens"
              value={formatCount(run.inputTokens + run.outputTokens)}
              note={`${formatCount(run.inputTokens)} in, ${formatCount(run.outputTokens)} out`}
            />
            <Stat label="Cost" value={formatCost(run.costMicros)} note={run.version?.model} />
          </div>
          <TabLinks
            label="How it is shown"
            tabs={[
              { href: `/runs/${run.id}`, label: 'Waterfall' },
              { href: `/runs/${run.id}?view=log`, label: 'Log' },
            ]}
            chosen={isLog ? `/runs/${run.id}?view=log` : `/runs/${run.id}`}
          />
          {isLog ? (
            <LogPage workspaceId={workspaceId} runId={run.id} after={parameters.after} timezone={timezone} />
          ) : (
            <Waterfall timeline={timeline} chosen={item} />
          )}
          {!isOver && <LiveWriting runId={run.id} />}
        </div>
        {!isLog && (
          <aside
            id="chosen"
            aria-label="What is chosen"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard (WCAG 2.1.1).
            tabIndex={0}
            className="scroll-mt-12 border-line bg-panel p-4 focus-visible:-outline-offset-2 max-lg:border-t lg:sticky lg:top-0 lg:max-h-dvh lg:min-h-[calc(100dvh-71px)] lg:overflow-y-auto lg:border-l"
          >
            <Details run={run} item={item} viewer={{ workspaceId, memberId }} now={now} timezone={timezone} />
          </aside>
        )}
      </div>
    </>
  )
}

/** What waits for somebody; of a run that failed what went wrong last; else the last thing that happened. */
function firstToSee(items: readonly TraceItem[], status: RunStatus): string | null {
  const own = items.filter(({ href }) => href === null)
  const waits = own.find(({ tag }) => tag?.word === 'asking')
  const wrong = status === 'failed' ? own.findLast(({ tag }) => tag?.tone === 'bad') : undefined
  return (waits ?? wrong ?? own.at(-1))?.key ?? null
}

/** The step that a row belongs to. */
function stepOf(items: readonly TraceItem[], key: string | null): number | null {
  const at = items.findIndex((item) => item.key === key)
  const model = items.slice(0, at + 1).findLast(({ kind }) => kind === 'model')
  return model ? Number(model.key.slice(1)) : null
}

async function LogPage(props: { workspaceId: string; runId: string; after: unknown; timezone: string }) {
  const { workspaceId, runId, timezone } = props
  const after = /^\d{1,15}$/.test(String(props.after)) ? Number(props.after) : 0
  const { db } = runtime()
  const events = await data.readRunEvents(db, { workspaceId, runId, after })
  const last = events.length === data.limits.pageRows ? events.at(-1) : undefined
  return (
    <>
      <Log events={events} timezone={timezone} />
      {last && (
        <div className="flex justify-center px-4 py-3">
          <Button asChild>
            <Link href={`/runs/${runId}?view=log&after=${last.id}`}>Later ones</Link>
          </Button>
        </div>
      )}
    </>
  )
}
