// The runs of a workspace, the newest first, a page at a time by key, and everything of one run.
//
// However many runs there are, a page costs the same. One filter is served by its own index. Of several the one that
// leaves the fewest drives, and the others are asked of the rows it brings, in windows of limits.listedWindow: after
// limits.listedWindows of them a page ends, maybe short, and says where to go on. A word is looked for in the newest
// window first, where a common one is found at once; a rare one then comes out of its trigram index (runs_text). The
// kind of a channel has no index of its own, because runs do not carry it: it is asked of windows.
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import type { RunStatus, Trigger } from './runs.ts'
import { storableText } from './storable.ts'

export interface RunFilters {
  status?: RunStatus
  agentId?: string
  trigger?: Trigger
  channelKind?: 'slack' | 'telegram' | 'web'
  /** The member who asked for it. */
  requestedBy?: string
  /** Queued at or after, and before. */
  from?: Date
  to?: Date
  /** Part of the title or of the error's message, in any case. */
  text?: string
}

export interface RunKey {
  at: Date
  id: string
}

export interface ListedRun {
  id: string
  title: string
  status: RunStatus
  agent: { id: string; name: string }
  channelKind: 'slack' | 'telegram' | 'web'
  trigger: Trigger
  requester: { id: string; name: string } | null
  steps: number
  inputTokens: number
  outputTokens: number
  costMicros: number
  queuedAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  error: { code: string; message: string } | null
}

export interface ListedRuns {
  runs: ListedRun[]
  /** Null on the last page. A page that is not full and has a next one has looked as far back as `next.at`. */
  next: RunKey | null
}

export async function listRuns(
  db: { pool: Queryable },
  list: { workspaceId: string; after?: RunKey; limit?: number } & RunFilters,
): Promise<ListedRuns> {
  const limit = Math.max(1, Math.min(list.limit ?? limits.pageRows, limits.pageRows))
  const { drive, rest } = chooseDrive(list)
  const found: ListedRun[] = []
  let after = list.after ?? null
  for (let windows = 0; ; windows++) {
    const wanted = limit + 1 - found.length
    found.push(...(await readWindow(db, list, drive, rest, after, wanted)))
    if (found.length > limit) return { runs: found.slice(0, limit), next: keyOf(found[limit - 1] as ListedRun) }
    const end = rest.length ? await endOfWindow(db, list, drive, after) : null
    if (!end) return { runs: found, next: null }
    after = end
    if (canUseWords(list)) {
      found.push(...(await readByWords(db, list, after, limit + 1 - found.length)))
      const isLast = found.length <= limit
      return { runs: found.slice(0, limit), next: isLast ? null : keyOf(found[limit - 1] as ListedRun) }
    }
    if (windows + 1 === limits.listedWindows) return { runs: found, next: after }
  }
}

const keyOf = (run: ListedRun): RunKey => ({ at: run.queuedAt, id: run.id })

/** A filter as a condition over the run `r` and the channel `ch`. */
interface Condition {
  sql: (value: string) => string
  value: unknown
}

const equals = (column: string, value: unknown): Condition => ({ sql: (place) => `r.${column} = ${place}`, value })

/** Which one index is walked, and what is asked of the rows that it brings. */
function chooseDrive(list: RunFilters): { drive: Condition[]; rest: Condition[] } {
  const byStatus = list.status && equals('status', list.status)
  // What succeeded is most of what there is, and so is what a message asked for.
  const choices = [
    list.requestedBy !== undefined && equals('requested_by', list.requestedBy),
    list.status !== 'succeeded' && byStatus,
    // In words, so that the partial index is seen to serve it.
    list.trigger && list.trigger !== 'message' && { ...equals('trigger', list.trigger), sql: ofTrigger },
    list.agentId !== undefined && equals('agent_id', list.agentId),
    list.status === 'succeeded' && byStatus,
  ].filter((choice) => choice !== undefined && choice !== false)
  const rest = [
    ...choices.slice(1),
    list.trigger === 'message' && equals('trigger', 'message'),
    list.channelKind && { sql: (place: string) => `ch.kind = ${place}`, value: list.channelKind },
    list.text && containsText(list.text),
  ].filter((condition) => typeof condition === 'object')
  return { drive: choices.slice(0, 1), rest }
}

const ofTrigger = (place: string) => `r.trigger = ${place} AND r.trigger <> 'message'`

/** The expression of index runs_text. */
const words = `(r.title || ' ' || coalesce(r.error_message, ''))`

const containsText = (text: string): Condition => ({
  sql: (place) => `${words} ILIKE ${place}`,
  value: `%${storableText(text).replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`,
})

/** Shorter ones have no trigram of their own, and the index would be read from end to end. */
const canUseWords = ({ text }: RunFilters) => text !== undefined && text.length >= 3

class Statement {
  readonly values: unknown[] = []

  place(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  where(list: { workspaceId: string } & RunFilters, conditions: readonly Condition[], after: RunKey | null): string {
    const parts = [`r.workspace_id = ${this.place(list.workspaceId)}`]
    for (const { sql, value } of conditions) parts.push(sql(this.place(value)))
    if (list.from) parts.push(`r.queued_at >= ${this.place(list.from)}`)
    if (list.to) parts.push(`r.queued_at < ${this.place(list.to)}`)
    if (after) parts.push(`(r.queued_at, r.id) < (${this.place(after.at)}, ${this.place(after.id)})`)
    return parts.join(' AND ')
  }
}

const newestFirst = 'ORDER BY r.queued_at DESC, r.id DESC'

const columns = `r.id, coalesce(nullif(r.title, ''), nullif(c.title, ''), 'Untitled') AS title, r.status, r.trigger,
  r.agent_id, a.name AS agent_name, ch.kind AS channel_kind, r.requested_by, m.name AS requester_name, r.steps,
  r.input_tokens::float8 AS input_tokens, r.output_tokens::float8 AS output_tokens, r.cost_micros::float8 AS cost_micros,
  r.queued_at, r.started_at, r.finished_at, r.error_code, r.error_message`

const joins = `JOIN conversations c ON c.id = r.conversation_id JOIN channels ch ON ch.id = c.channel_id
  JOIN agents a ON a.id = r.agent_id LEFT JOIN members m ON m.id = r.requested_by`

async function readWindow(
  db: { pool: Queryable },
  list: { workspaceId: string } & RunFilters,
  drive: readonly Condition[],
  rest: readonly Condition[],
  after: RunKey | null,
  count: number,
): Promise<ListedRun[]> {
  const statement = new Statement()
  const where = statement.where(list, drive, after)
  const also = rest.map(({ sql, value }) => sql(statement.place(value))).join(' AND ')
  const { rows } = await db.pool.query(
    `SELECT ${columns} FROM (SELECT * FROM runs r WHERE ${where} ${newestFirst} LIMIT ${rest.length ? limits.listedWindow : count}) r
     ${joins} ${also && `WHERE ${also}`} ${newestFirst} LIMIT ${count}`,
    statement.values,
  )
  return rows.map(toListedRun)
}

/** The last row of the window that begins after `after`; null where the list ends before that. */
async function endOfWindow(
  db: { pool: Queryable },
  list: { workspaceId: string } & RunFilters,
  drive: readonly Condition[],
  after: RunKey | null,
): Promise<RunKey | null> {
  const statement = new Statement()
  const where = statement.where(list, drive, after)
  const { rows } = await db.pool.query(
    `SELECT at, id, looked FROM (
       SELECT r.queued_at AS at, r.id, row_number() OVER (${newestFirst}) AS looked
       FROM (SELECT * FROM runs r WHERE ${where} ${newestFirst} LIMIT ${limits.listedWindow}) r) AS window_rows
     ORDER BY looked DESC LIMIT 1`,
    statement.values,
  )
  return Number(rows[0]?.looked ?? 0) < limits.listedWindow ? null : { at: rows[0].at, id: rows[0].id }
}

/** What is older than the first window. Unfinished runs are not in the index of words: they are few. */
async function readByWords(
  db: { pool: Queryable },
  list: { workspaceId: string } & RunFilters,
  after: RunKey,
  count: number,
): Promise<ListedRun[]> {
  const statement = new Statement()
  const { drive, rest } = chooseDrive(list)
  const where = statement.where(list, [], after)
  const text = containsText(list.text as string)
  const hasText = text.sql(statement.place(text.value))
  const also = [...drive, ...rest].map(({ sql, value }) => sql(statement.place(value))).join(' AND ')
  const { rows } = await db.pool.query(
    `WITH found AS MATERIALIZED (
       SELECT * FROM runs r WHERE ${where} AND r.finished_at IS NOT NULL AND ${hasText}
       UNION ALL SELECT * FROM runs r WHERE ${where} AND r.status IN ('queued', 'running', 'waiting') AND ${hasText}
     )
     SELECT ${columns} FROM found r ${joins} WHERE ${also} ${newestFirst} LIMIT ${count}`,
    statement.values,
  )
  return rows.map(toListedRun)
}

// biome-ignore lint/suspicious/noExplicitAny: as pg itself types a row that nobody described.
const toListedRun = (row: any): ListedRun => ({
  id: row.id,
  title: row.title,
  status: row.status,
  agent: { id: row.agent_id, name: row.agent_name },
  channelKind: row.channel_kind,
  trigger: row.trigger,
  requester: row.requested_by === null ? null : { id: row.requested_by, name: row.requester_name },
  steps: row.steps,
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  costMicros: row.cost_micros,
  queuedAt: row.queued_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  error:
    row.error_code === null && row.error_message === null
      ? null
      : {
          code: row.error_code ?? 'unknown',
          message: row.error_message ?? 'No reason was recorded.',
        },
})

export interface WholeRun extends ListedRun {
  conversation: {
    id: string
    /** The place on the platform, as the conversation's key has it: `C024BE91L:1725.001`. */
    key: string
    openedBy: string | null
    deleted: boolean
    /** The run that it was forked from. */
    forkedFrom: string | null
  }
  channel: { id: string; name: string; externalId: string }
  /** The agent's version that it works with; null where nobody had published one. */
  version: { number: number; model: string } | null
  stopRequested: boolean
  parent: { id: string; title: string } | null
  children: { id: string; title: string; status: RunStatus; agentName: string }[]
}

/** Null when there is no such run in the workspace. */
export async function readRun(
  db: { pool: Queryable },
  run: { workspaceId: string; runId: string },
): Promise<WholeRun | null> {
  const { rows } = await db.pool.query(
    `SELECT ${columns}, r.conversation_id, c.external_key, c.opened_by, c.deleted_at IS NOT NULL AS deleted, c.forked_from,
       ch.id AS channel_id, ch.name AS channel_name, ch.external_id AS channel_external_id, v.number AS version_number, v.model,
       r.stop_requested_at IS NOT NULL AS stop_requested, p.id AS parent_id, coalesce(nullif(p.title, ''), 'Untitled') AS parent_title,
       (SELECT coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'title', coalesce(nullif(k.title, ''), 'Untitled'), 'status', k.status,
           'agentName', k.name) ORDER BY k.queued_at, k.id), '[]')
         FROM (SELECT k.id, k.title, k.status, k.queued_at, ka.name FROM runs k JOIN agents ka ON ka.id = k.agent_id
           WHERE k.parent_run_id = r.id ORDER BY k.queued_at, k.id LIMIT ${limits.pageRows}) k) AS children
     FROM runs r ${joins} LEFT JOIN agent_versions v ON v.id = r.agent_version_id LEFT JOIN runs p ON p.id = r.parent_run_id
     WHERE r.id = $1 AND r.workspace_id = $2`,
    [run.runId, run.workspaceId],
  )
  const row = rows[0]
  if (!row) return null
  return {
    ...toListedRun(row),
    conversation: {
      id: row.conversation_id,
      key: row.external_key,
      openedBy: row.opened_by,
      deleted: row.deleted,
      forkedFrom: row.forked_from,
    },
    channel: { id: row.channel_id, name: row.channel_name, externalId: row.channel_external_id },
    version: row.version_number === null ? null : { number: row.version_number, model: row.model },
    stopRequested: row.stop_requested,
    parent: row.parent_id === null ? null : { id: row.parent_id, title: row.parent_title },
    children: row.children,
  }
}
