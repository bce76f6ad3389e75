// The runs as a file, and one run as it goes on.
import type { ListedRun, RunFilters, RunKey } from '@quartermaster/db'
import { z } from 'zod'
import { data } from '../../data.ts'
import { streamEvents } from '../../playground/event-stream.ts'
import { runtime } from '../../runtime.ts'
import { tellWithRest } from '../../tell-with-rest.ts'
import { endpoint } from '../endpoint.ts'
import { idShape, notFound } from '../shapes.ts'
import { exportFormats, streamRows } from '../stream-rows.ts'
import { readRunFilters, runFilters } from './run-filters.ts'

const access = { area: 'Runs', role: 'viewer', scope: 'runs', method: 'GET' } as const

const columns = [
  'id',
  'title',
  'status',
  'agent',
  'channel',
  'trigger',
  'requester',
  'steps',
  'input_tokens',
  'output_tokens',
  'cost_micros',
  'queued_at',
  'started_at',
  'finished_at',
  'error_code',
  'error_message',
] as const

const rowOf = (run: ListedRun) => ({
  id: run.id,
  title: run.title,
  status: run.status,
  agent: run.agent.name,
  channel: run.channelKind,
  trigger: run.trigger,
  requester: run.requester?.name ?? null,
  steps: run.steps,
  input_tokens: run.inputTokens,
  output_tokens: run.outputTokens,
  cost_micros: run.costMicros,
  queued_at: run.queuedAt,
  started_at: run.startedAt,
  finished_at: run.finishedAt,
  error_code: run.error?.code ?? null,
  error_message: run.error?.message ?? null,
})

/** Page by page, as they are taken. */
async function* readRows(workspaceId: string, filters: RunFilters, signal: AbortSignal) {
  let after: RunKey | null = null
  do {
    const page: Awaited<ReturnType<typeof data.listRuns>> = await data.listRuns(runtime().db, {
      workspaceId,
      ...filters,
      ...(after ? { after } : {}),
    })
    for (const run of page.runs) yield rowOf(run)
    after = page.next
  } while (after && !signal.aborted)
}

export const exportRuns = endpoint({
  ...access,
  path: '/api/runs/export',
  summary: 'Export runs as a file',
  description: 'All that the filters let in, the newest first, written while it is read.',
  query: z.strictObject({ ...runFilters, format: z.enum(exportFormats).default('csv') }),
  answer: {
    status: 200,
    description: 'The file.',
    otherTypes: { 'text/csv': 'A line for each run.', 'application/x-ndjson': 'A JSON object on each line.' },
  },
  work: async ({ caller: { workspaceId }, query: { format, ...query }, request: { signal }, isStillAllowed }) => {
    const filters = await readRunFilters(workspaceId, query)
    const rows = readRows(workspaceId, filters, signal)
    return streamRows({ name: 'runs', format, columns, rows, signal, isStillAllowed })
  },
})

/** At most this often is a reader told to read anew, however much happens. */
const restMs = 150

export const followRun = endpoint({
  ...access,
  path: '/api/runs/{runId}/live',
  summary: 'Be told what happens in a run',
  params: z.strictObject({ runId: idShape.describe('The run’s id.') }),
  answer: {
    status: 200,
    description:
      'Server-sent events: `changed` says to read anew, `live` has what is being written right now, `gap` that some of it was left out.',
    otherTypes: { 'text/event-stream': 'Events until the caller leaves, or may not read any more.' },
  },
  work: async ({ caller: { workspaceId }, params: { runId }, request, isStillAllowed }) => {
    const run = await data.readRun(runtime().db, { workspaceId, runId })
    if (!run) throw notFound('run')
    return streamEvents(
      request.signal,
      (stream) => {
        let missed = false
        const changed = tellWithRest(() => stream.send('changed', {}), restMs)
        const leave = runtime().live.follow(
          { workspaceId, conversationId: run.conversation.id },
          (event) => {
            if (event.kind === 'changed') return changed.call()
            if (event.kind === 'gap') return void stream.send('gap', {})
            if (event.runId !== runId) return
            if (missed && stream.trySend('gap', {})) missed = false
            if (!stream.trySend('live', event.event)) missed = true
          },
          () => stream.end(),
        )
        return () => {
          changed.end()
          leave()
        }
      },
      isStillAllowed,
    )
  },
})
