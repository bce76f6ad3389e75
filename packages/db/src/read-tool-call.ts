import type { Database } from './client.ts'
import type { ToolCallStatus } from './tool-calls.ts'

/** Everything that is recorded of a call. */
export interface ToolCallRecord {
  id: string
  runId: string
  runTitle: string
  conversationId: string
  agentId: string
  agentName: string
  requesterId: string | null
  requesterName: string | null
  toolUseId: string
  toolName: string
  toolVersion: string
  effect: 'read' | 'write' | 'execute' | 'send'
  idempotent: boolean
  step: number
  arguments: unknown
  argumentsDigest: string
  status: ToolCallStatus
  decision: 'allow' | 'ask' | 'deny' | null
  trail: unknown[]
  output: string | null
  error: string | null
  outputBytes: number | null
  findings: unknown[]
  taint: string[]
  durationMs: number | null
  requestedAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  /** What people were asked about it, the first question first. */
  questionIds: string[]
}

/** Null where the workspace has no such call. */
export async function readToolCall(
  db: Pick<Database, 'pool'>,
  { workspaceId, callId }: { workspaceId: string; callId: string },
): Promise<ToolCallRecord | null> {
  const { rows } = await db.pool.query<ToolCallRecord>(
    `SELECT t.id, t.run_id AS "runId", coalesce(nullif(r.title, ''), nullif(c.title, ''), 'Untitled') AS "runTitle",
       t.conversation_id AS "conversationId", t.agent_id AS "agentId", a.name AS "agentName",
       r.requested_by AS "requesterId", m.name AS "requesterName", t.tool_use_id AS "toolUseId",
       t.tool_name AS "toolName", t.tool_version AS "toolVersion", t.effect, t.idempotent, t.step, t.arguments,
       t.arguments_digest AS "argumentsDigest", t.status, t.decision, t.trail, t.output, t.error,
       t.output_bytes AS "outputBytes", t.findings, t.taint, t.duration_ms AS "durationMs",
       t.requested_at AS "requestedAt", t.started_at AS "startedAt", t.finished_at AS "finishedAt",
       ARRAY(SELECT q.id FROM questions q WHERE q.tool_call_id = t.id ORDER BY q.asked_at, q.id) AS "questionIds"
     FROM tool_calls t JOIN runs r ON r.id = t.run_id JOIN agents a ON a.id = t.agent_id
     JOIN conversations c ON c.id = t.conversation_id LEFT JOIN members m ON m.id = r.requested_by
     WHERE t.id = $1 AND t.workspace_id = $2`,
    [callId, workspaceId],
  )
  return rows[0] ?? null
}
