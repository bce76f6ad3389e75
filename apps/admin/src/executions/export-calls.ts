import type { ListedToolCall, ToolCallKey } from '@quartermaster/db'
import type { ExportValue } from '../api/stream-rows.ts'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'
import type { CallFilter } from './call-filter.ts'

export const exportColumns = [
  'id',
  'requested_at',
  'finished_at',
  'duration_ms',
  'agent_id',
  'agent',
  'tool',
  'requester_id',
  'requester',
  'status',
  'decision',
  'arguments',
  'error',
  'run_id',
  'conversation_id',
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
      yield rowOf(call)
    }
    after = page.next
  } while (after && !signal.aborted)
}

const rowOf = (call: ListedToolCall & { arguments: object }): Record<string, ExportValue> => ({
  id: call.id,
  requested_at: call.requestedAt,
  finished_at: call.finishedAt,
  duration_ms: call.durationMs,
  agent_id: call.agentId,
  agent: call.agentName,
  tool: call.toolName,
  requester_id: call.requesterId,
  requester: call.requesterName,
  status: call.status,
  decision: call.decision,
  arguments: call.arguments,
  error: call.error,
  run_id: call.runId,
  conversation_id: call.conversationId,
})
