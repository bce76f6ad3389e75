import type { ToolCallKey } from '@quartermaster/db'
import type { Caller, FindCaller } from '../api/require-caller.ts'
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

/** How often whoever takes a long export is looked at again. */
const checkMs = 10_000

/** Page by page, as they are taken, with the whole arguments. Ends when the caller may not read any more. */
export async function* exportCalls(
  { workspaceId }: Caller,
  filter: CallFilter,
  { signal, findAgain }: { signal: AbortSignal; findAgain: FindCaller },
): AsyncGenerator<Record<string, ExportValue>> {
  const { db } = runtime()
  let checkedAt = Date.now()
  let after: ToolCallKey | null = null
  do {
    const page = await data.listToolCalls(db, { workspaceId, ...filter, ...(after ? { after } : {}) })
    for await (const call of data.withArguments(db, workspaceId, page.calls)) {
      if (signal.aborted) return
      const { argumentsStart: _, ...row } = call
      yield row as Record<string, ExportValue>
    }
    if (Date.now() - checkedAt > checkMs) {
      checkedAt = Date.now()
      const again = await findAgain()
      if (again?.workspaceId !== workspaceId) throw new Error('the caller of an export lost its access')
    }
    after = page.next
  } while (after && !signal.aborted)
}
