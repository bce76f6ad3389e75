import { describeArguments } from '../describe-arguments.ts'
import { runtime } from '../runtime.ts'
import type { CallView } from './view.ts'

/** Characters of an output that a page shows; the whole is in the record of the call. */
const outputLength = 20_000

export interface FoundCall {
  id: string
  runId: string
  toolUseId: string
  tool: string
  title: string | null
  status: keyof typeof states
  arguments: unknown
  output: string | null
  error: string | null
  isLonger: boolean
  durationMs: number | null
  decision: CallView['decision']
  why: string[]
}

export async function readCalls(workspaceId: string, runIds: readonly string[]): Promise<FoundCall[]> {
  if (!runIds.length) return []
  const { rows } = await runtime().db.pool.query(
    `SELECT t.id, t.run_id, t.tool_use_id, t.tool_name, t.status, t.arguments, left(t.output, $3) AS output, t.error,
       length(t.output) > $3 AS longer, t.duration_ms, t.decision, t.trail,
       (SELECT k.name FROM tools k LEFT JOIN tool_details d ON d.tool_id = k.id WHERE k.handler_key = t.tool_name
         AND (d.workspace_id IS NULL OR d.workspace_id = t.workspace_id) ORDER BY d.workspace_id NULLS LAST LIMIT 1) AS title
     FROM tool_calls t WHERE t.workspace_id = $1 AND t.run_id = ANY($2)`,
    [workspaceId, runIds, outputLength],
  )
  return rows.map((row) => ({
    id: row.id,
    runId: row.run_id,
    toolUseId: row.tool_use_id,
    tool: row.tool_name,
    title: row.title,
    status: row.status,
    arguments: row.arguments,
    output: row.output,
    error: row.error,
    isLonger: row.longer === true,
    durationMs: row.duration_ms,
    decision: row.decision,
    why: reasonsOf(row.trail),
  }))
}

function reasonsOf(trail: unknown): string[] {
  const entries = Array.isArray(trail) ? (trail as { reason?: unknown }[]) : []
  return entries.flatMap(({ reason }) => (typeof reason === 'string' ? [reason] : []))
}

const states = {
  requested: 'running',
  approved: 'running',
  running: 'running',
  asking: 'waiting',
  succeeded: 'done',
  failed: 'failed',
  interrupted: 'failed',
  refused: 'refused',
  denied: 'refused',
} as const

/** What the model asked for, with what became of it. `isOver`: its run has ended, so nothing more will. */
export function renderCall(
  block: { id?: string; name?: string; input?: unknown },
  call: FoundCall | undefined,
  isOver: boolean,
  copied?: CopiedResult,
): CallView {
  if (!call && copied) return renderCopied(block, copied)
  const tool = call?.tool ?? block.name ?? 'a tool'
  const state = call ? states[call.status] : isOver ? 'refused' : 'running'
  return {
    trace: call ? { runId: call.runId, callId: call.id } : null,
    toolUseId: block.id ?? '',
    tool,
    title: plainWords(call?.title ?? null, tool),
    state,
    note: call?.status === 'interrupted' ? 'Nobody knows whether it finished.' : (call?.error ?? null),
    arguments: describeArguments(call?.arguments ?? block.input ?? {}),
    output: call?.output ? `${call.output}${call.isLonger ? '\n… and more' : ''}` : null,
    durationMs: call?.durationMs ?? null,
    decision: call?.decision ?? null,
    why: call?.why ?? [],
  }
}

/** A result that a fork began with: its call is the record of another run. */
export interface CopiedResult {
  text: string
  failed: boolean
}

const renderCopied = (
  block: { id?: string; name?: string; input?: unknown },
  { text, failed }: CopiedResult,
): CallView => ({
  trace: null,
  toolUseId: block.id ?? '',
  tool: block.name ?? 'a tool',
  title: plainWords(null, block.name ?? 'a tool'),
  state: failed ? 'failed' : 'done',
  note: 'From the run that this was forked from; it was not run again.',
  arguments: JSON.stringify(block.input ?? {}, null, 2),
  output: text,
  durationMs: null,
  decision: null,
  why: [],
})

/** `file.write` → "File write", where the registry has no better name. */
function plainWords(title: string | null, tool: string): string {
  if (title && title !== tool) return title
  const words = tool.replace(/[._-]+/g, ' ').trim()
  return words ? words[0]?.toUpperCase() + words.slice(1) : 'A tool'
}
