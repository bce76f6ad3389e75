// Everything that is recorded of one tool call, in words where the record has codes. Both pages that show a call (in its
// run's trace, and by itself under Executions) read this.
import type { ToolCallStatus, TrailLine } from '@quartermaster/db'
import { data } from '../data.ts'
import { describeArguments } from '../describe-arguments.ts'
import { imageTypes } from '../playground/limits.ts'
import { type FoundCard, readCardsOf } from '../question-card/read-cards.ts'
import { runtime } from '../runtime.ts'

export interface CallDetailView {
  id: string
  tool: string
  /** In plain words; the tool's name where it has no title. */
  title: string
  effect: 'read' | 'write' | 'execute' | 'send'
  status: ToolCallStatus
  decision: 'allow' | 'ask' | 'deny' | null
  trail: TrailLine[]
  /** As JSON text. What ran, where somebody changed it before approving. */
  arguments: string
  editedBy: string | null
  output: string | null
  /** Bytes that the tool wrote, before it was cut. */
  outputBytes: number | null
  error: string | null
  findings: Finding[]
  /** Where strangers' content in its output came from. */
  taint: string[]
  files: CallFileView[]
  /** The questions about it, the oldest first, as this member meets them. */
  questions: FoundCard[]
  step: number
  requestedAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  durationMs: number | null
  run: { id: string; title: string }
  agent: string
  requester: string | null
}

export interface Finding {
  kind: string
  what: string
  excerpt: string | null
}

export interface CallFileView {
  name: string
  mimeType: string
  address: string
  isImage: boolean
  caption: string | null
}

interface Viewer {
  workspaceId: string
  memberId: string
}

/** Characters of an output that are shown at once; no tool's output is longer than the executor lets it be. */
const outputLength = 400_000

/** Null when there is no such call in the workspace, or not in that run. */
export async function readCall(
  viewer: Viewer,
  call: { callId: string; runId?: string },
): Promise<CallDetailView | null> {
  const { rows } = await runtime().db.pool.query(
    `SELECT t.*, left(t.output, $3) AS shown_output, coalesce(nullif(r.title, ''), nullif(c.title, ''), 'Untitled') AS run_title,
       a.name AS agent_name, m.name AS requester_name,
       (SELECT k.name FROM tools k LEFT JOIN tool_details d ON d.tool_id = k.id WHERE k.handler_key = t.tool_name
         AND (d.workspace_id IS NULL OR d.workspace_id = t.workspace_id) ORDER BY d.workspace_id NULLS LAST LIMIT 1) AS title,
       ARRAY(SELECT q.id FROM questions q WHERE q.tool_call_id = t.id) AS questions,
       (SELECT e_by.name FROM questions q JOIN audit_events e ON e.workspace_id = t.workspace_id AND e.subject_kind = 'question'
          AND e.subject_id = q.id AND e.action = 'question.edit' JOIN members e_by ON e_by.id = e.actor_id
        WHERE q.tool_call_id = t.id ORDER BY e.number DESC LIMIT 1) AS edited_by
     FROM tool_calls t JOIN runs r ON r.id = t.run_id JOIN conversations c ON c.id = r.conversation_id
     JOIN agents a ON a.id = t.agent_id LEFT JOIN members m ON m.id = r.requested_by
     WHERE t.id = $1 AND t.workspace_id = $2 AND ($4::text IS NULL OR t.run_id = $4)`,
    [call.callId, viewer.workspaceId, outputLength, call.runId ?? null],
  )
  const row = rows[0]
  if (!row) return null
  const [files, questions] = await Promise.all([
    readFiles(viewer.workspaceId, row.run_id, row.tool_use_id),
    readCardsOf(viewer, row.questions),
  ])
  return {
    id: row.id,
    tool: row.tool_name,
    title: row.title ?? row.tool_name,
    effect: row.effect,
    status: row.status,
    decision: row.decision,
    trail: data.describeTrail(row.trail),
    arguments: describeArguments(row.arguments),
    editedBy: row.edited_by,
    output: row.shown_output,
    outputBytes: row.output_bytes,
    error: row.error,
    findings: parseFindings(row.findings),
    taint: row.taint,
    files,
    questions: questions.reverse(),
    step: row.step,
    requestedAt: row.requested_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    durationMs: row.duration_ms,
    run: { id: row.run_id, title: row.run_title },
    agent: row.agent_name,
    requester: row.requester_name,
  }
}

/** What it sent to people. A file that has not arrived anywhere is not there yet. */
async function readFiles(workspaceId: string, runId: string, toolUseId: string): Promise<CallFileView[]> {
  const { rows } = await runtime().db.pool.query(
    `SELECT id, payload ->> 'filename' AS name, payload ->> 'mimeType' AS type, payload ->> 'caption' AS caption FROM deliveries
     WHERE workspace_id = $1 AND run_id = $2 AND key IS NOT NULL AND starts_with(key, $3) AND kind = 'media' AND status = 'sent'
     ORDER BY number LIMIT $4`,
    [workspaceId, runId, `${toolUseId}/`, data.limits.pageRows],
  )
  return rows.map((row) => ({
    name: row.name ?? 'a file',
    mimeType: row.type ?? 'application/octet-stream',
    address: `/api/runs/${encodeURIComponent(runId)}/files/${encodeURIComponent(row.id)}`,
    isImage: imageTypes.includes(row.type),
    caption: row.caption?.trim() || null,
  }))
}

/** Older records, and those of tools of old, may hold anything. */
function parseFindings(findings: unknown): Finding[] {
  if (!Array.isArray(findings)) return []
  return findings.flatMap((entry: unknown): Finding[] => {
    if (typeof entry === 'string') return [{ kind: 'finding', what: entry, excerpt: null }]
    const { kind, what, excerpt } = (entry ?? {}) as Record<string, unknown>
    if (typeof what !== 'string') return []
    return [{ kind: String(kind ?? 'finding'), what, excerpt: typeof excerpt === 'string' ? excerpt : null }]
  })
}
