import type { RunKey } from '@quartermaster/db'
import { ApiError, renderError } from '../../../../api/api-error.ts'
import { requireCaller } from '../../../../api/require-caller.ts'
import { exportFormats, streamRows } from '../../../../api/stream-rows.ts'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'
import { parseRunFilters } from '../../../(console)/runs/filters.ts'

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

/** The runs that the filters leave, the newest first, read page by page while they are sent. */
export async function GET(request: Request): Promise<Response> {
  try {
    const { caller } = await requireCaller(request, { role: 'viewer', scope: 'runs' })
    const { searchParams } = new URL(request.url)
    const format = exportFormats.find((known) => known === searchParams.get('format'))
    if (!format)
      throw new ApiError('VALIDATION_ERROR', `Say which format you want: format=${exportFormats.join(' or format=')}.`)
    const { db } = runtime()
    const { workspaceId } = caller
    const { timezone } = await data.readSettings(db, workspaceId)
    const filters = parseRunFilters((name) => searchParams.get(name), timezone)
    async function* rows() {
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
      } while (after && !request.signal.aborted)
    }
    return streamRows({ name: 'runs', format, columns, rows: rows(), signal: request.signal })
  } catch (error) {
    return renderError(error)
  }
}
