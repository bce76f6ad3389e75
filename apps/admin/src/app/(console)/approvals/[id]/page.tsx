import { ArrowLeft } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { Live } from '../../../../components/live.tsx'
import { readCardsOf } from '../../../../question-card/read-cards.ts'
import { findCurrentMember, requireMember } from '../../../../session.ts'
import { PageHeader } from '../../../../shell/page-header.tsx'
import { readZone } from '../../../../viewer-zone.ts'
import { QuestionEntry } from '../question-entry.tsx'

/** Once a request: for the page and for its title. */
const findQuestion = cache(async (workspaceId: string, memberId: string, id: string) => {
  const [found] = await readCardsOf({ workspaceId, memberId }, [id.slice(0, 100)])
  return found ?? null
})

export async function generateMetadata({ params }: { params: Promise<{ id: string }> }): Promise<Metadata> {
  const membership = (await findCurrentMember())?.membership
  const found = membership && (await findQuestion(membership.workspaceId, membership.memberId, (await params).id))
  return { title: found?.card.title ?? 'A question' }
}

/** One question, where a link from a chat leads. */
export default async function QuestionPage({ params }: { params: Promise<{ id: string }> }) {
  const { membership } = await requireMember('viewer')
  const [found, timezone] = await Promise.all([
    findQuestion(membership.workspaceId, membership.memberId, (await params).id),
    readZone(membership.workspaceId),
  ])
  if (!found) notFound()
  const { card, agent, requester, askedAt, runId, toolCallId } = found
  return (
    <>
      <PageHeader title="A question">
        <Live />
      </PageHeader>
      <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-4 p-4 md:p-5">
        <Link href="/approvals" className="flex w-fit items-center gap-1 text-ink-3 hover:text-ink">
          <ArrowLeft aria-hidden="true" className="size-3.5" />
          All approvals
        </Link>
        <h2 className="sr-only">Its card</h2>
        <QuestionEntry
          card={card}
          agent={agent}
          requester={requester}
          askedAt={askedAt}
          now={new Date().toISOString()}
          timezone={timezone}
          trace={`/runs/${runId}?item=${toolCallId ?? card.id}`}
        />
      </div>
    </>
  )
}
