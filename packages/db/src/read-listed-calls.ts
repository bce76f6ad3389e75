// Rows of the list of tool calls: by id, with all of their arguments, or those of runs that somebody follows.
import type { Database, Queryable } from './client.ts'
import { limits } from './limits.ts'
import {
  allOf,
  indexedConditions,
  otherConditions,
  stretchOf,
  type ToolCallFilter,
  Values,
} from './tool-call-filter.ts'
import type { ToolCallStatus } from './tool-calls.ts'

export interface ListedToolCall {
  id: string
  runId: string
  conversationId: string
  agentId: string
  agentName: string
  toolName: string
  /** Who asked for the run: null for a schedule, or somebody who is no member. */
  requesterId: string | null
  requesterName: string | null
  status: ToolCallStatus
  decision: 'allow' | 'ask' | 'deny' | null
  durationMs: number | null
  /** The beginning of the arguments as JSON; null where they are too large to be shown in a list. */
  argumentsStart: string | null
  error: string | null
  requestedAt: Date
  finishedAt: Date | null
}

const listedColumns = `t.id, t.run_id AS "runId", t.conversation_id AS "conversationId", t.agent_id AS "agentId",
  a.name AS "agentName", t.tool_name AS "toolName", r.requested_by AS "requesterId", m.name AS "requesterName", t.status,
  t.decision, t.duration_ms AS "durationMs", CASE WHEN pg_column_size(t.arguments) <= ${limits.listedArgumentBytes}
    THEN left(t.arguments::text, ${limits.listedArgumentCharacters}) END AS "argumentsStart",
  left(t.error, ${limits.listedArgumentCharacters}) AS error, t.requested_at AS "requestedAt", t.finished_at AS "finishedAt"`
const listedFrom = `JOIN agents a ON a.id = t.agent_id JOIN runs r ON r.id = t.run_id
  LEFT JOIN members m ON m.id = r.requested_by`

/** Calls by their ids, the newest first. */
export async function readListed(
  pool: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<ListedToolCall[]> {
  if (!ids.length) return []
  const { rows } = await pool.query<ListedToolCall>(
    `SELECT ${listedColumns} FROM tool_calls t ${listedFrom} WHERE t.id = ANY($1) AND t.workspace_id = $2
     ORDER BY t.requested_at DESC, t.id DESC`,
    [ids, workspaceId],
  )
  return rows
}

/**
 * Listed calls with their whole arguments and error, in the same order. Few are held at a time, and large ones one by
 * one, so that an export of millions needs no more memory than its largest call.
 */
export async function* withArguments(
  db: Pick<Database, 'pool'>,
  workspaceId: string,
  calls: readonly ListedToolCall[],
): AsyncGenerator<ListedToolCall & { arguments: object }> {
  const read = async (some: readonly ListedToolCall[]) => {
    const { rows } = await db.pool.query<{ id: string; arguments: object; error: string | null }>(
      'SELECT id, arguments, error FROM tool_calls WHERE id = ANY($1) AND workspace_id = $2',
      [some.map(({ id }) => id), workspaceId],
    )
    return new Map(rows.map((row) => [row.id, row]))
  }
  const isLarge = ({ argumentsStart }: ListedToolCall) => argumentsStart === null
  const small = await read(calls.filter((call) => !isLarge(call)))
  for (const call of calls) {
    const found = (isLarge(call) ? await read([call]) : small).get(call.id)
    if (found) yield { ...call, arguments: found.arguments, error: found.error }
  }
}

/** A call of a run that somebody follows, and whether the filter that they follow lets it in as it is now. */
export type FollowedToolCall = ListedToolCall & { matches: boolean }

/**
 * The newest calls of some runs, for whoever follows the list live. What can change while a call goes on (its status,
 * the decision, how long it took) only says whether it `matches`: a call that somebody sees is shown to its end.
 */
export async function readCallsOfRuns(
  db: Pick<Database, 'pool'>,
  { runIds, ...filter }: ToolCallFilter & { runIds: readonly string[] },
): Promise<FollowedToolCall[]> {
  const conditions = [...indexedConditions(filter), ...otherConditions(filter)]
  const changing = conditions.filter(({ name }) => ['status', 'decision', 'minDurationMs'].includes(name))
  const lasting = conditions.filter((condition) => !changing.includes(condition))
  const values = new Values()
  const stretch = stretchOf(filter, null, null, values)
  const { rows } = await db.pool.query<FollowedToolCall>(
    `SELECT ${listedColumns}, ${allOf(changing, values)} AS matches FROM tool_calls t ${listedFrom}
     WHERE t.run_id = ANY(${values.add(runIds)}) AND ${stretch} AND ${allOf(lasting, values)}
     ORDER BY t.requested_at DESC, t.id DESC LIMIT ${limits.pageRows}`,
    values.list,
  )
  return rows
}
