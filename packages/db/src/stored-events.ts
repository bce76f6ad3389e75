// How events stand in their table: one row for what one statement appends to a run. Where that is one event, the row is the
// event. The statements of a turn append several that say almost the same; their row names the statement, has each fact
// once, and is read as the events that it stands for.
import type { RunEvent, RunEventKind } from './run-events.ts'

type Data = Record<string, unknown>

type Told = readonly [kind: RunEventKind, data: Data, at?: Date]

const step = ({ number, startedAt, ...end }: Data): Told[] => [
  ...(typeof startedAt === 'number' ? [['model-start', { step: end.step }, new Date(startedAt)] satisfies Told] : []),
  ['model-end', end],
  ['message', { number, role: 'assistant' }],
]

/** What each of these rows is read as, in this order. What a word means stays: there are rows that have it. */
const several = {
  /** A message that began a run. */
  'message-in': ({ number }: Data): Told[] => [
    ['run-queue', { reason: 'message' }],
    ['message', { number, role: 'user' }],
  ],
  /** A model call, as it was recorded with its answer. `startedAt` is in milliseconds. */
  step,
  /** One with which the run ended. */
  'last-step': (data: Data): Told[] => [
    ...step(data),
    ['run-end', { status: 'succeeded', errorCode: null, steps: data.step }],
  ],
  /** A tool call that was allowed as soon as it was asked for. */
  'tool-call-begin': (call: Data): Told[] => [
    ['tool-call-request', call],
    ['decision', { toolCallId: call.toolCallId, decision: 'allow' }],
    ['tool-call-start', call],
  ],
  /** The call of a step that ended last, with the message of the results. */
  'last-call-end': ({ number, ...end }: Data): Told[] => [
    ['tool-call-end', end],
    ['message', { number, role: 'tool' }],
  ],
}

export type SeveralEvents = keyof typeof several

/** An event's id is that of its row and which of the row's it is: unique, and in the order in which they were appended. */
export const eventsOfRow = 32

export interface StoredRow {
  id: string
  workspace_id: string
  run_id: string
  kind: string
  data: Data
  at: Date
}

export function readRow(row: StoredRow): RunEvent[] {
  const events: Told[] = Object.hasOwn(several, row.kind)
    ? several[row.kind as SeveralEvents](row.data)
    : [[row.kind as RunEventKind, row.data]]
  return events.map(([kind, data, at], nth) => ({
    id: Number(row.id) * eventsOfRow + nth,
    workspaceId: row.workspace_id,
    runId: row.run_id,
    kind,
    data,
    at: at ?? row.at,
  }))
}
