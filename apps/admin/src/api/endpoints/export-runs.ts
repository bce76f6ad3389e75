// The runs that the filters of the console's page leave, as a file. The parameters are those of the page's address.
import type { RunFilters, RunKey } from '@quartermaster/db'
import { z } from 'zod'
import { channelKinds, parseRunFilters, statuses, triggers } from '../../app/(console)/runs/filters.ts'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import { dayQueryShape, textShape } from '../shapes.ts'
import { type ExportValue, exportFormats, streamRows } from '../stream-rows.ts'
import { whileAllowed } from '../while-allowed.ts'

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

const exportedId = z
  .string()
  .regex(/^[\w-]{1,100}$/, 'Expected an id.')
  .optional()

export const exportRuns = endpoint({
  area: 'Runs',
  role: 'viewer',
  scope: 'runs',
  method: 'GET',
  path: '/api/runs/export',
  summary: 'Export runs as a file',
  description: 'All that the filters let in, the newest first, written while it is read.',
  query: z.strictObject({
    q: textShape.optional().describe('Part of the title or of the error, in any case.'),
    status: z.enum(statuses).optional(),
    agent: exportedId.describe('An agent’s id.'),
    trigger: z.enum(triggers).optional(),
    channel: z.enum(channelKinds).optional(),
    by: exportedId.describe('The id of the member who asked for it.'),
    from: dayQueryShape.describe('Queued on this day of the workspace’s calendar or later.'),
    to: dayQueryShape.describe('Queued on this day or before.'),
    format: z.enum(exportFormats).default('csv'),
  }),
  answer: {
    status: 200,
    description: 'The file.',
    otherTypes: { 'text/csv': 'A line for each run.', 'application/x-ndjson': 'A JSON object on each line.' },
  },
  work: async ({ caller: { workspaceId }, query: { format, ...query }, request: { signal }, isStillAllowed }) => {
    const { timezone } = await data.readSettings(runtime().db, workspaceId)
    const filters = parseRunFilters((name) => (query as Record<string, string | undefined>)[name] ?? null, timezone)
    const rows = whileAllowed(readRows(workspaceId, filters, signal), isStillAllowed)
    return streamRows({ name: 'runs', format, columns, rows, signal })
  },
})

async function* readRows(
  workspaceId: string,
  filters: RunFilters,
  signal: AbortSignal,
): AsyncGenerator<Record<(typeof columns)[number], ExportValue>> {
  const { db } = runtime()
  let after: RunKey | null = null
  do {
    const page: Awaited<ReturnType<typeof data.listRuns>> = await data.listRuns(db, {
      workspaceId,
      ...filters,
      ...(after ? { after } : {}),
    })
    for (const run of page.runs)
      yield {
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
      }
    after = page.next
  } while (after && !signal.aborted)
}
