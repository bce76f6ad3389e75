import { CircleCheck, History, Inbox } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { classNames } from '../../../components/class-names.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { requireMember } from '../../../session.ts'
import { PageHeader } from '../../../shell/page-header.tsx'
import { Live } from './live.tsx'
import { listQuestions, parseShelf, type Shelf, shelves } from './queries.ts'
import { QuestionEntry } from './question-entry.tsx'

export const metadata: Metadata = { title: 'Approvals' }

const labels: Record<Shelf, string> = { mine: 'Waiting for you', open: 'All open', history: 'History' }

export default async function ApprovalsPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const { membership } = await requireMember('viewer')
  const { show, after } = await searchParams
  const shelf = parseShelf(show)
  const [{ found, next }, settings] = await Promise.all([
    listQuestions(membership, shelf, after),
    data.readSettings(runtime().db, membership.workspaceId),
  ])
  const now = new Date().toISOString()
  return (
    <>
      <PageHeader title="Approvals">
        <Live />
      </PageHeader>
      <nav aria-label="Which questions" className="flex gap-1 overflow-x-auto border-line border-b px-3 md:px-4">
        {shelves.map((each) => (
          <Link
            key={each}
            href={each === 'mine' ? '/approvals' : `/approvals?show=${each}`}
            aria-current={each === shelf ? 'page' : undefined}
            className={classNames(
              '-mb-px whitespace-nowrap border-transparent border-b-2 px-2 py-2 text-ink-3 hover:text-ink focus-visible:-outline-offset-2',
              each === shelf && 'border-accent font-medium text-ink',
            )}
          >
            {labels[each]}
          </Link>
        ))}
      </nav>
      <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-5 p-4 md:p-5">
        <h2 className="sr-only">{labels[shelf]}</h2>
        {found.length === 0 && <Nothing shelf={shelf} />}
        {found.map(({ card, agent, requester, askedAt }) => (
          <QuestionEntry
            key={card.id}
            card={card}
            agent={agent}
            requester={requester}
            askedAt={askedAt}
            now={now}
            timezone={settings.timezone}
          />
        ))}
        {next && (
          <Link
            href={`/approvals?${new URLSearchParams({ show: shelf, after: next })}`}
            className="justify-self-center text-accent-strong underline underline-offset-2"
          >
            Older ones
          </Link>
        )}
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
