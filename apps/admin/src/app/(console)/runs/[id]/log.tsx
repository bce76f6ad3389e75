import type { RunEvent } from '@quartermaster/db'
import Link from 'next/link'
import { Cell, HeadCell, Row, Table } from '../../../../components/table.tsx'

const words: Record<RunEvent['kind'], string> = {
  'run-queue': 'Queued',
  'run-start': 'Taken by a process',
  'run-park': 'Waits',
  'run-end': 'Ended',
  'stop-request': 'Asked to stop',
  message: 'Message',
  'model-start': 'Model asked',
  'model-end': 'Model answered',
  'tool-call-request': 'Tool asked for',
  decision: 'Decided',
  'tool-call-start': 'Tool started',
  'tool-call-end': 'Tool ended',
  'question-ask': 'Question asked',
  'question-answer': 'Question answered',
  'question-escalate': 'Question escalated',
  'question-close': 'Question over',
  delivery: 'Sent',
}

/** The run's events as they were written, with their exact times. */
export function Log({ events, timezone }: { events: RunEvent[]; timezone: string }) {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    day: '2-digit',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  })
  return (
    <Table label="Log">
      <thead>
        <tr>
          <HeadCell>Time</HeadCell>
          <HeadCell>What</HeadCell>
          <HeadCell>About it</HeadCell>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <Row key={event.id}>
            <Cell className="text-ink-3 tabular-nums">
              <time dateTime={event.at.toISOString()}>{clock.format(event.at)}</time>
            </Cell>
            <Cell className="font-medium" title={event.kind}>
              {words[event.kind] ?? event.kind}
            </Cell>
            <Cell className="w-full whitespace-normal py-1">
              <code className="break-words font-mono text-2xs text-ink-2">{describe(event.data)}</code>
              {typeof event.data.toolCallId === 'string' && (
                <Link
                  href={`/runs/${event.runId}?item=${event.data.toolCallId}`}
                  className="ml-2 whitespace-nowrap text-accent-strong text-xs underline underline-offset-2"
                >
                  the call
                </Link>
              )}
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

const describe = (about: Record<string, unknown>) =>
  Object.entries(about)
    .filter(([name, value]) => value !== null && value !== undefined && name !== 'toolCallId')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join('  ')
