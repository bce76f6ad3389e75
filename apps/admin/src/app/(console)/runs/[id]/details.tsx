import type { WholeRun } from '@quartermaster/db'
import Link from 'next/link'
import { data } from '../../../../data.ts'
import { readCardsOf } from '../../../../question-card/read-cards.ts'
import { runtime } from '../../../../runtime.ts'
import { Answered, Asking, CallDetail } from '../../../../trace/call-detail.tsx'
import { readCall } from '../../../../trace/read-call.ts'
import { readMessage, readStep } from '../../../../trace/read-step.ts'
import { MessageDetail, StepDetail } from '../../../../trace/step-detail.tsx'

interface DetailsProps {
  run: WholeRun
  /** The key of a row of the waterfall, out of the address. */
  item: string | null
  viewer: { workspaceId: string; memberId: string }
  now: Date
  timezone: string
}

/** What is known of the row that is chosen. */
export async function Details({ run, item, viewer, now, timezone }: DetailsProps) {
  const { workspaceId } = viewer
  const of = { workspaceId, runId: run.id }
  const number = /^[ms](\d{1,9})$/.exec(item ?? '')?.[1]
  if (item && number && item.startsWith('m')) {
    const message = await readMessage(of, Number(number))
    if (message) return <MessageDetail message={message} timezone={timezone} />
  } else if (item && number) {
    const step = await readStep({ ...of, status: run.status, last: run.finishedAt ?? now }, Number(number))
    if (step) return <StepDetail step={step} finishedAt={run.finishedAt} now={now} timezone={timezone} />
  } else if (item) {
    const call = await readCall(viewer, { callId: item, runId: run.id })
    if (call)
      return (
        <CallDetail
          call={call}
          now={now}
          timezone={timezone}
          facts={[
            ['Agent', run.agent.name],
            ['Asked by', run.requester?.name],
          ]}
        />
      )
    const question = await data.readQuestionCard(runtime().db, { workspaceId, questionId: item })
    const [found] = question?.runId === run.id ? await readCardsOf(viewer, [item]) : []
    if (found)
      return found.card.closed ? (
        <Answered found={found} timezone={timezone} />
      ) : (
        <Asking found={found} now={now} timezone={timezone} />
      )
  }
  return (
    <p className="text-ink-3">
      {item ? 'This run has nothing of that name. ' : ''}
      Choose a row to see all that is known of it.{' '}
      <Link href={`/runs/${run.id}?view=log`} className="text-accent-strong underline">
        The log
      </Link>{' '}
      has every event.
    </p>
  )
}
