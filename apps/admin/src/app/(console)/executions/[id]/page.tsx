import { ArrowLeft } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { CopyButton } from '../../../../components/copy-button.tsx'
import { Live } from '../../../../components/live.tsx'
import { findCurrentMember, requireMember } from '../../../../session.ts'
import { PageHeader } from '../../../../shell/page-header.tsx'
import { CallDetail } from '../../../../trace/call-detail.tsx'
import { readCall } from '../../../../trace/read-call.ts'
import { readZone } from '../../../../viewer-zone.ts'

/** Once a request: for the page and for its title. */
const findCall = cache((workspaceId: string, memberId: string, id: string) =>
  readCall({ workspaceId, memberId }, { callId: id.slice(0, 100) }),
)

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  const membership = (await findCurrentMember())?.membership
  const call = membership && (await findCall(membership.workspaceId, membership.memberId, (await params).id))
  return { title: call?.tool ?? 'A tool call' }
}

/** One call by itself, where a link leads. */
export default async function ExecutionPage({ params }: { params: Promise<{ id: string }> }) {
  const { membership } = await requireMember('viewer')
  const [call, timezone] = await Promise.all([
    findCall(membership.workspaceId, membership.memberId, (await params).id),
    readZone(membership.workspaceId),
  ])
  if (!call) notFound()
  const isOver = call.finishedAt !== null
  return (
    <>
      <PageHeader title="A tool call">{!isOver && <Live />}</PageHeader>
      <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-4 p-4 md:p-5">
        <Link href="/executions" className="flex w-fit items-center gap-1 text-ink-3 hover:text-ink">
          <ArrowLeft aria-hidden="true" className="size-3.5" />
          All executions
        </Link>
        <CallDetail
          call={call}
          now={new Date()}
          timezone={timezone}
          facts={[
            ['Agent', call.agent],
            ['Asked by', call.requester ?? 'nobody: it was not a person’s message'],
            [
              'Run',
              <Link
                key="run"
                href={`/runs/${call.run.id}?item=${call.id}`}
                prefetch={false}
                className="text-accent-strong hover:underline"
              >
                {call.run.title}, step {call.step}
              </Link>,
            ],
            [
              'Id',
              <span key="id" className="flex flex-wrap items-center gap-1.5">
                <code className="break-all font-mono text-xs">{call.id}</code>
                <CopyButton text={call.id} label="Copy the id" />
              </span>,
            ],
          ]}
        />
      </div>
    </>
  )
}
