import { CircleCheck, History, Inbox } from 'lucide-react'
import type { Metadata } from 'next'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Live } from '../../../components/live.tsx'
import { OlderLink } from '../../../components/older-link.tsx'
import { TabLinks } from '../../../components/tab-links.tsx'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { readZone } from '../../../viewer-zone.ts'
import { listQuestions, parseShelf, type Shelf, shelves } from './queries.ts'
import { QuestionEntry } from './question-entry.tsx'
import { StillList } from './still-list.tsx'

export const metadata: Metadata = { title: 'Approvals' }

const labels: Record<Shelf, string> = { mine: 'Waiting for you', open: 'All open', history: 'History' }
const addressOf = (shelf: Shelf) => (shelf === 'mine' ? '/approvals' : `/approvals?show=${shelf}`)

export default async function ApprovalsPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const { show, after } = await searchParams
  const shelf = parseShelf(show)
  const [{ found, next }, timezone] = await Promise.all([
    listQuestions(membership, shelf, after),
    readZone(membership.workspaceId),
  ])
  const now = new Date().toISOString()
  return (
    <>
      <PageHeader title="Approvals">
        <Live />
      </PageHeader>
      <TabLinks
        label="Which questions"
        tabs={shelves.map((each) => ({ href: addressOf(each), label: labels[each] }))}
        chosen={addressOf(shelf)}
      />
      <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-5 p-4 md:p-5">
        <h2 className="sr-only">{labels[shelf]}</h2>
        {found.length === 0 && <Nothing shelf={shelf} />}
        <StillList order={found.map(({ card }) => card.id).join()}>
          {found.map(({ card, agent, requester, askedAt, runId, toolCallId }) => (
            <QuestionEntry
              key={card.id}
              card={card}
              agent={agent}
              requester={requester}
              askedAt={askedAt}
              now={now}
              timezone={timezone}
              trace={`/runs/${runId}?item=${toolCallId ?? card.id}`}
              leaves={shelf !== 'history'}
            />
          ))}
        </StillList>
        <OlderLink href={next && `/approvals?${new URLSearchParams({ show: shelf, after: next })}`} />
      </div>
    </>
  )
}

function Nothing({ shelf }: { shelf: Shelf }) {
  if (shelf === 'history')
    return (
      <EmptyState icon={History} title="Nothing has been asked yet">
        What people decided, and what nobody answered in time, stays here.
      </EmptyState>
    )
  if (shelf === 'open')
    return (
      <EmptyState icon={CircleCheck} title="Nobody is waiting for an answer">
        When an agent needs a decision it asks in its thread, and the same card is here until it is answered.
      </EmptyState>
    )
  return (
    <EmptyState icon={Inbox} title="Nothing waits for you">
      Questions that you may answer come here by themselves. “All open” shows those that wait for others.
    </EmptyState>
  )
}
