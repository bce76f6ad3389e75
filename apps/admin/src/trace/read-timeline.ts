// The waterfall of a run: what people said, what the model was asked, what it asked for, and where that waited.
import type { RunEvent, ToolCallStatus, WholeRun } from '@quartermaster/db'
import { data } from '../data.ts'
import { formatCount } from '../format.ts'
import { runtime } from '../runtime.ts'
import { toolKit } from '../tool-kit.ts'
import { shortArgument } from './short-argument.ts'
import type { Span, Timeline, TraceItem } from './view.ts'

/** Calls and messages of one run that are drawn; a run with more is read in its log. */
const mostRows = 1_000
/** Pages of events that are read for the model calls. */
const mostPages = 15

interface CallRow {
  id: string
  tool_name: string
  step: number
  status: ToolCallStatus
  decision: 'allow' | 'ask' | 'deny' | null
  arguments: unknown
  requested_at: Date
  started_at: Date | null
  finished_at: Date | null
  duration_ms: number | null
}

interface QuestionRow {
  id: string
  tool_call_id: string | null
  title: string | null
  status: 'open' | 'answered' | 'expired' | 'withdrawn'
  asked_at: Date
  closed_at: Date | null
}

interface MessageRow {
  number: number
  name: string | null
  created_at: Date
}

export async function readTimeline(run: WholeRun, workspaceId: string, now: Date): Promise<Timeline> {
  const { pool } = runtime().db
  const of = [run.id, workspaceId, mostRows]
  const [events, calls, questions, messages] = await Promise.all([
    readEvents(workspaceId, run.id),
    pool.query<CallRow>(
      `SELECT id, tool_name, step, status, decision, arguments, requested_at, started_at, finished_at, duration_ms
       FROM tool_calls WHERE run_id = $1 AND workspace_id = $2 ORDER BY step, requested_at, id LIMIT $3`,
      of,
    ),
    pool.query<QuestionRow>(
      `SELECT id, tool_call_id, prompt ->> 'title' AS title, status, asked_at, closed_at FROM questions
       WHERE run_id = $1 AND workspace_id = $2 ORDER BY asked_at, id LIMIT $3`,
      of,
    ),
    pool.query<MessageRow>(
      `SELECT w.number, m.name, w.created_at FROM messages w LEFT JOIN members m ON m.id = w.member_id
       WHERE w.conversation_id = $4 AND w.run_id = $1 AND w.workspace_id = $2 AND w.role = 'user' ORDER BY w.number LIMIT $3`,
      [...of, run.conversation.id],
    ),
  ])
  return drawTimeline({ run, events, calls: calls.rows, questions: questions.rows, messages: messages.rows, now })
}

/** Of a very long run the first ones. */
export async function readEvents(workspaceId: string, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for (let page = 0; page < mostPages; page++) {
    const read = await data.readRunEvents(runtime().db, { workspaceId, runId, after: events.at(-1)?.id ?? 0 })
    events.push(...read)
    if (read.length < data.limits.pageRows) break
  }
  return events
}

interface Records {
  run: Pick<WholeRun, 'status' | 'queuedAt' | 'startedAt' | 'finishedAt' | 'children'>
  events: readonly Pick<RunEvent, 'kind' | 'data' | 'at'>[]
  calls: readonly CallRow[]
  questions: readonly QuestionRow[]
  messages: readonly MessageRow[]
  now: Date
}

export function drawTimeline({ run, events, calls, questions, messages, now }: Records): Timeline {
  const last = run.finishedAt ?? now
  const begin = Math.min(run.queuedAt.getTime(), ...messages.map(({ created_at }) => created_at.getTime()))
  const ms = (at: Date) => Math.max(0, at.getTime() - begin)
  const end = Math.max(ms(last), ...events.map(({ at }) => ms(at)))
  const span = (from: Date, to: Date | null, look: Span['look']): Span => ({
    from: ms(from),
    to: to ? ms(to) : end,
    look,
  })

  const callItem = (call: CallRow): TraceItem => {
    const about = questions.filter(({ tool_call_id }) => tool_call_id === call.id)
    return {
      key: call.id,
      kind: 'call',
      label: call.tool_name,
      note: describeShortly(call.arguments),
      tag: tagOf(call),
      nested: true,
      spans: [
        ...about.map(({ asked_at, closed_at }) => span(asked_at, closed_at, 'wait')),
        ...(call.started_at
          ? [span(call.started_at, call.finished_at, looks[call.status] ?? 'ok')]
          : about.length
            ? []
            : [span(call.requested_at, call.finished_at ?? call.requested_at, looks[call.status] ?? 'mute')]),
      ],
      durationMs: durationOf(call, about, ms, end),
      costMicros: null,
      href: null,
    }
  }

  const steps = modelCalls(events, run.status, last)
  const top: { at: number; items: TraceItem[] }[] = messages.map((message) => ({
    at: ms(message.created_at),
    items: [
      {
        key: `m${message.number}`,
        kind: 'message',
        label: `Message from ${message.name ?? 'somebody'}`,
        note: null,
        tag: null,
        nested: false,
        spans: [span(message.created_at, message.created_at, 'mute')],
        durationMs: null,
        costMicros: null,
        href: null,
      },
    ],
  }))
  for (const step of steps)
    top.push({
      at: ms(step.from),
      items: [
        {
          key: `s${step.number}`,
          kind: 'model',
          label: step.model ? `Model · ${step.model}` : step.byHand ? 'By hand' : 'Model',
          note: step.tokens === null ? null : `${formatCount(step.tokens)} tokens`,
          tag: step.to
            ? null
            : run.finishedAt
              ? { tone: 'bad', word: 'no answer' }
              : { tone: 'accent', word: 'working' },
          nested: false,
          spans: [span(step.from, step.to, step.to || !run.finishedAt ? 'model' : 'bad')],
          durationMs: ms(step.to ?? last) - ms(step.from),
          costMicros: step.costMicros,
          href: null,
        },
        ...calls.filter((call) => call.step === step.number).map(callItem),
      ],
    })
  // What belongs to no step that is known: a step whose record is cut off.
  for (const call of calls)
    if (!steps.some(({ number }) => number === call.step))
      top.push({ at: ms(call.requested_at), items: [{ ...callItem(call), nested: false }] })
  for (const question of questions)
    if (question.tool_call_id === null)
      top.push({
        at: ms(question.asked_at),
        items: [
          {
            key: question.id,
            kind: 'question',
            label: question.title ?? 'A question',
            note: null,
            tag:
              question.status === 'open' ? { tone: 'wait', word: 'asking' } : { tone: 'mute', word: question.status },
            nested: false,
            spans: [span(question.asked_at, question.closed_at, 'wait')],
            durationMs: ms(question.closed_at ?? last) - ms(question.asked_at),
            costMicros: null,
            href: null,
          },
        ],
      })
  for (const child of run.children)
    top.push({
      at: end,
      items: [
        {
          key: child.id,
          kind: 'child',
          label: `Run of ${child.agentName}`,
          note: child.title,
          tag: { tone: childTones[child.status], word: child.status },
          nested: false,
          spans: [],
          durationMs: null,
          costMicros: null,
          href: `/runs/${child.id}`,
        },
      ],
    })
  // Sorting is stable: of one moment, what people said comes first.
  top.sort((one, other) => one.at - other.at)
  return { items: top.flatMap(({ items }) => items), idle: idleTimes(run, events, ms, end), length: Math.max(end, 1) }
}

function describeShortly(given: unknown): string | null {
  const short = shortArgument(given)
  return short && toolKit.escapeForDisplay(short)
}

const looks: Partial<Record<ToolCallStatus, Span['look']>> = {
  succeeded: 'ok',
  running: 'ok',
  failed: 'bad',
  interrupted: 'bad',
  refused: 'bad',
  denied: 'bad',
}

const childTones = {
  queued: 'mute',
  running: 'accent',
  waiting: 'wait',
  succeeded: 'ok',
  failed: 'bad',
  stopped: 'mute',
} as const

function tagOf({ status, decision }: CallRow): TraceItem['tag'] {
  if (status === 'asking') return { tone: 'wait', word: 'asking' }
  if (status === 'failed') return { tone: 'bad', word: 'failed' }
  if (status === 'interrupted') return { tone: 'warn', word: 'interrupted' }
  if (status === 'running') return { tone: 'accent', word: 'running' }
  if (status === 'denied' || status === 'refused') return { tone: 'bad', word: 'denied' }
  if (decision === 'ask') return { tone: 'ok', word: 'approved' }
  if (decision === 'allow') return { tone: 'ok', word: 'allowed' }
  return null
}

/** Its own time where it ran; where it did not, how long it waited for people. */
function durationOf(
  call: CallRow,
  about: readonly QuestionRow[],
  ms: (at: Date) => number,
  end: number,
): number | null {
  if (call.duration_ms !== null) return call.duration_ms
  if (call.started_at) return (call.finished_at ? ms(call.finished_at) : end) - ms(call.started_at)
  const [first] = about
  const last = about.at(-1)
  if (first && last) return (last.closed_at ? ms(last.closed_at) : end) - ms(first.asked_at)
  return call.finished_at ? 0 : null
}

interface ModelCall {
  number: number
  model: string | null
  tokens: number | null
  costMicros: number | null
  byHand: boolean
  from: Date
  /** Null while it is under way, and where it never answered. */
  to: Date | null
}

/** Each `model-end` with the `model-start` before it. Where the start was not recorded, it began when the last thing ended. */
export function modelCalls(events: Records['events'], status: WholeRun['status'], last: Date): ModelCall[] {
  const calls: ModelCall[] = []
  let begun: { at: Date; model: unknown } | null = null
  let boundary: Date | null = null
  for (const { kind, data: about, at } of events) {
    if (kind === 'model-start') begun = { at, model: about.model }
    else if (kind === 'model-end') {
      const model = about.model ?? begun?.model
      calls.push({
        number: typeof about.step === 'number' ? about.step : calls.length + 1,
        model: typeof model === 'string' ? model : null,
        tokens: typeof about.inputTokens === 'number' ? about.inputTokens + Number(about.outputTokens ?? 0) : null,
        costMicros: typeof about.costMicros === 'number' ? about.costMicros : null,
        byHand: about.byHand === true,
        from: begun?.at ?? boundary ?? at,
        to: at,
      })
      begun = null
    }
    if (kind === 'run-start' || kind === 'tool-call-end' || kind === 'model-end') boundary = at
  }
  const number = (calls.at(-1)?.number ?? 0) + 1
  if (begun) {
    const model = typeof begun.model === 'string' ? begun.model : null
    calls.push({ number, model, tokens: null, costMicros: null, byHand: false, from: begun.at, to: null })
  } else if (status === 'running' && isThinking(events))
    // The record of a model call is written when it has answered; until then it is known by what is not going on.
    calls.push({ number, model: null, tokens: null, costMicros: null, byHand: false, from: boundary ?? last, to: null })
  return calls
}

/** Nothing that was asked for is open. */
function isThinking(events: Records['events']): boolean {
  const open = new Set<unknown>()
  let asked = false
  for (const { kind, data: about } of events) {
    if (kind === 'tool-call-request') open.add(about.toolCallId)
    if (kind === 'tool-call-end') open.delete(about.toolCallId)
    if (kind === 'model-end') asked = about.stopReason === 'end_turn'
    else if (kind === 'tool-call-end' || kind === 'run-start') asked = false
  }
  return !open.size && !asked
}

/** From the queue to the start, and from each park to the next start. */
function idleTimes(
  run: Records['run'],
  events: Records['events'],
  ms: (at: Date) => number,
  end: number,
): Timeline['idle'] {
  const idle: Timeline['idle'] = []
  let since: number | null = 0
  for (const { kind, at } of events) {
    if (kind === 'run-start' && since !== null) {
      idle.push({ from: since, to: Math.max(since, ms(at)) })
      since = null
    }
    if ((kind === 'run-park' || kind === 'run-queue') && since === null) since = ms(at)
  }
  if (since !== null && (run.startedAt || !run.finishedAt)) idle.push({ from: since, to: end })
  return idle
}
