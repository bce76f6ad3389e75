// A tool call of the list as it travels: in the words of the REST API. The page that reads along has it from there too.
import type { FollowedToolCall, ListedToolCall, ToolCallRecord } from '@quartermaster/db'

export const executionParts = (call: Omit<ListedToolCall, 'argumentsStart'> | ToolCallRecord) => ({
  id: call.id,
  run_id: call.runId,
  conversation_id: call.conversationId,
  agent: { id: call.agentId, name: call.agentName },
  tool: call.toolName,
  requester: call.requesterId === null ? null : { id: call.requesterId, name: call.requesterName ?? call.requesterId },
  status: call.status,
  decision: call.decision,
  duration_ms: call.durationMs,
  error: call.error,
  requested_at: call.requestedAt.toISOString(),
  finished_at: call.finishedAt?.toISOString() ?? null,
})

export const renderExecution = (call: ListedToolCall) => ({
  ...executionParts(call),
  arguments_start: call.argumentsStart,
})

export type ListedExecution = ReturnType<typeof renderExecution>

export function readExecution({ matches, ...call }: ListedExecution & { matches: boolean }): FollowedToolCall {
  return {
    id: call.id,
    runId: call.run_id,
    conversationId: call.conversation_id,
    agentId: call.agent.id,
    agentName: call.agent.name,
    toolName: call.tool,
    requesterId: call.requester?.id ?? null,
    requesterName: call.requester?.name ?? null,
    status: call.status,
    decision: call.decision,
    durationMs: call.duration_ms,
    error: call.error,
    requestedAt: new Date(call.requested_at),
    finishedAt: call.finished_at === null ? null : new Date(call.finished_at),
    argumentsStart: call.arguments_start,
    matches,
  }
}
