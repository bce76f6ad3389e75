// What of the tool calls is looked for, as SQL. Each condition alone is either a stretch of an index, or it is held
// against row after row; which of them leads the way is list-tool-calls.ts's choice.
import type { ToolCallStatus } from './tool-calls.ts'

export interface ToolCallFilter {
  workspaceId: string
  agentId?: string
  toolName?: string
  /** The member who asked for the run. */
  memberId?: string
  status?: ToolCallStatus
  decision?: 'allow' | 'ask' | 'deny'
  /** Took at least so long, in milliseconds. */
  minDurationMs?: number
  /** Requested at this time or later; before that time. */
  from?: Date
  to?: Date
  /** Stands in the tool's name, the arguments or the error; capitals do not count. */
  text?: string
}

/** Arguments larger than this (in bytes as stored) are not searched for text: reading them takes too long. */
export const searchedArgumentBytes = 32 * 1024

/** Collects a statement's values; `add` gives the place of each in the text. */
export class Values {
  readonly list: unknown[] = []
  add(value: unknown): string {
    this.list.push(value)
    return `$${this.list.length}`
  }
}

export interface Condition {
  name: keyof ToolCallFilter
  /** Over the row `t` of tool_calls. */
  sql: (values: Values) => string
}

/** Those that an index serves in the order of the list: index tool_calls (workspace, this, time, id). */
export function indexedConditions(filter: ToolCallFilter): Condition[] {
  const { agentId, toolName, status, decision } = filter
  const found: Condition[] = []
  if (toolName !== undefined) found.push({ name: 'toolName', sql: (v) => `t.tool_name = ${v.add(toolName)}` })
  if (agentId !== undefined) found.push({ name: 'agentId', sql: (v) => `t.agent_id = ${v.add(agentId)}` })
  if (status !== undefined) found.push({ name: 'status', sql: (v) => `t.status = ${v.add(status)}::tool_call_status` })
  // Partial index tool_calls_not_allowed: its predicate is written out, so that a prepared plan can use it.
  if (decision === 'ask' || decision === 'deny')
    found.push({ name: 'decision', sql: (v) => `t.decision <> 'allow' AND t.decision = ${v.add(decision)}::decision` })
  return found
}

/** Those that no index serves. */
export function otherConditions(filter: ToolCallFilter): Condition[] {
  const { memberId, decision, minDurationMs, text } = filter
  const found: Condition[] = []
  if (decision === 'allow') found.push({ name: 'decision', sql: () => `t.decision = 'allow'` })
  if (minDurationMs !== undefined)
    found.push({ name: 'minDurationMs', sql: (v) => `t.duration_ms >= ${v.add(minDurationMs)}` })
  // A look by key at each row's run: joined, the planner may begin with all runs of a busy member.
  if (memberId !== undefined)
    found.push({
      name: 'memberId',
      sql: (v) => `(SELECT r.requested_by FROM runs r WHERE r.id = t.run_id) = ${v.add(memberId)}`,
    })
  if (text)
    found.push({
      name: 'text',
      sql: (values) => {
        const pattern = values.add(`%${text.replace(/[\\%_]/g, '\\$&')}%`)
        return `(t.tool_name ILIKE ${pattern} OR t.error ILIKE ${pattern} OR CASE
          WHEN pg_column_size(t.arguments) <= ${searchedArgumentBytes} THEN t.arguments::text ILIKE ${pattern} END)`
      },
    })
  return found
}

/** All of them as one expression that is never null; true where there is none. */
export const allOf = (conditions: readonly Condition[], values: Values): string =>
  conditions.length ? `coalesce(${conditions.map(({ sql }) => `(${sql(values)})`).join(' AND ')}, false)` : 'true'

/** The rows that are looked at: a stretch of the leading index, or of all calls by time. */
export function stretchOf(
  { workspaceId, from, to }: ToolCallFilter,
  leading: Condition | null,
  after: { requestedAt: Date; id: string } | null,
  values: Values,
): string {
  const parts = [`t.workspace_id = ${values.add(workspaceId)}`]
  if (leading) parts.push(leading.sql(values))
  if (from) parts.push(`t.requested_at >= ${values.add(from)}`)
  if (to) parts.push(`t.requested_at < ${values.add(to)}`)
  if (after) parts.push(`(t.requested_at, t.id) < (${values.add(after.requestedAt)}, ${values.add(after.id)})`)
  return parts.join(' AND ')
}
