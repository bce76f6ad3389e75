import type { ToolCallKey } from '@quartermaster/db'
import type { ExportValue } from '../api/stream-rows.ts'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'
import type { CallFilter } from './call-filter.ts'

export const exportColumns = [
  'id',
  'requestedAt',
  'finishedAt',
  'durationMs',
  'agentId',
  'agentName',
  'toolName',
  'requesterId',
  'requesterName',
  'status',
  'decision',
  'arguments',
  'error',
  'runId',
  'conversationId',
] as const

/** Page by page, as they are taken, with the whole arguments. */
export async function* exportCalls(
  workspaceId: string,
  filter: CallFilter,
  signal: AbortSignal,
): AsyncGenerator<Record<string, ExportValue>> {
  const { db } = runtime()
  let after: ToolCallKey | null = null
  do {
    const page = await data.listToolCalls(db, { workspaceId, ...filter, ...(after ? { after } : {}) })
    for await (const call of data.withArguments(db, workspaceId, page.calls)) {
      if (signal.aborted) return
      const { argumentsStart: _, ...row } = call
      yield row as Record<string, ExportValue>
    }
    after = page.next
  } while (after && !signal.aborted)
}
