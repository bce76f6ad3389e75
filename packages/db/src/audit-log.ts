// Reading the audit log: a page at a time, the newest first, by number. Each filter has an index that gives its events
// in that order, so a page costs the same at the end of a long log as at its start:
//
//   action or area   one stretch of (action, number) for each action that matches; how many actions there are is bounded
//                    by the code and not by the log
//   actor            the same of (actor, action, number)
//   subject          (subject, number)
//   time             first turned into numbers by (at, number); `at` is when the transaction began and the number when
//                    it recorded, so the bounds are wider by as long as a transaction may last: who began that much
//                    earlier was numbered before anybody in the range. The page looks at the moment itself as well
//   text             no index: it is looked for in a bounded stretch of numbers, and `next` says where to go on
import type { Actor } from './audit.ts'
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import { storableText } from './storable.ts'

export interface AuditFilter {
  actor?: Actor
  /** An action, or an area: `secret.*`. */
  action?: string
  subject?: { kind: string; id: string }
  /** From this moment on, and before that one. */
  from?: Date
  to?: Date
  /** In the action, the ids and the data, whatever the case. */
  text?: string
}

export interface ListedAuditEvent {
  number: number
  at: Date
  /** To the microsecond, as it is hashed. */
  exactAt: string
  actor: Actor
  action: string
  subject: { kind: string; id: string }
  data: Record<string, unknown>
  previousHash: string
  hash: string
}

export interface AuditPage {
  events: ListedAuditEvent[]
  /** The next page is `before` this number; null after the last event. */
  next: number | null
}

type Source = { pool: Queryable }

export async function listAuditEvents(
  db: Source,
  input: { workspaceId: string; filter?: AuditFilter; before?: number | null; limit: number },
): Promise<AuditPage> {
  const { workspaceId, filter = {} } = input
  const bounds = await findBounds(db, workspaceId, filter)
  if (!bounds) return { events: [], next: null }
  const below = Math.min(bounds.below, input.before ?? Number.MAX_SAFE_INTEGER)
  const window = filter.text === undefined ? null : Math.max(bounds.from, below - limits.auditTextRows)
  const actions = filter.action || filter.actor ? await matchingActions(db, workspaceId, filter.action) : null
  if (actions?.length === 0) return { events: [], next: null }

  const parameters: unknown[] = [workspaceId, window ?? bounds.from, below, input.limit + 1]
  const put = (value: unknown) => `$${parameters.push(value)}`
  const conditions = ['e.workspace_id = $1', 'e.number >= $2', 'e.number < $3']
  if (filter.from) conditions.push(`e.at >= ${put(filter.from)}`)
  if (filter.to) conditions.push(`e.at < ${put(filter.to)}`)
  if (filter.actor)
    conditions.push(`e.actor_kind = ${put(filter.actor.kind)} AND e.actor_id = ${put(storableText(filter.actor.id))}`)
  if (filter.subject)
    conditions.push(
      `e.subject_kind = ${put(filter.subject.kind)} AND e.subject_id = ${put(storableText(filter.subject.id))}`,
    )
  if (filter.text !== undefined)
    conditions.push(
      `concat_ws(' ', e.action, e.actor_id, e.subject_kind, e.subject_id, e.data::text) ILIKE ${put(like(filter.text))}`,
    )
  const where = conditions.join(' AND ')
  const byAction = actions && !filter.subject && filter.text === undefined
  if (actions && !byAction && filter.action) parameters.push(actions)
  const { rows } = await db.pool.query(
    byAction
      ? `SELECT e.* FROM unnest(${put(actions)}::text[]) AS one(name) CROSS JOIN LATERAL (
           SELECT ${columns} FROM audit_events e WHERE ${where} AND e.action = one.name ORDER BY e.number DESC LIMIT $4) e
         ORDER BY e.number DESC LIMIT $4`
      : `SELECT ${columns} FROM audit_events e
         WHERE ${where}${actions && filter.action ? ` AND e.action = ANY($${parameters.length}::text[])` : ''}
         ORDER BY e.number DESC LIMIT $4`,
    parameters,
  )
  const events = rows.slice(0, input.limit).map(readEvent)
  const more = rows.length > input.limit
  const last = events.at(-1)
  if (more && last) return { events, next: last.number }
  return { events, next: window !== null && window > bounds.from ? window : null }
}

const columns = `e.number, e.at, to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS exact_at,
  e.actor_kind, e.actor_id, e.action, e.subject_kind, e.subject_id, e.data, e.previous_hash, e.hash`

// biome-ignore lint/suspicious/noExplicitAny: as pg types a row.
const readEvent = (row: any): ListedAuditEvent => ({
  number: Number(row.number),
  at: row.at,
  exactAt: row.exact_at,
  actor: { kind: row.actor_kind, id: row.actor_id },
  action: row.action,
  subject: { kind: row.subject_kind, id: row.subject_id },
  data: row.data,
  previousHash: row.previous_hash.toString('hex'),
  hash: row.hash.toString('hex'),
})

const like = (text: string) => `%${storableText(text).replace(/[\\%_]/g, '\\$&')}%`

/** The stretch of numbers in which the events of a time are. Null: the log is empty. */
async function findBounds(
  db: Source,
  workspaceId: string,
  { from, to }: AuditFilter,
): Promise<{ from: number; below: number } | null> {
  const find = async (condition: string, order: string, at: Date | undefined) => {
    if (!at) return undefined
    const { rows } = await db.pool.query(
      `SELECT number FROM audit_events WHERE workspace_id = $1 AND ${condition} ORDER BY ${order} LIMIT 1`,
      [workspaceId, at, limits.auditOutOfOrderMs],
    )
    return rows[0] ? Number(rows[0].number) : undefined
  }
  const before = await find(`at < $2::timestamptz - $3 * interval '1 millisecond'`, 'at DESC, number DESC', from)
  const after = await find(`at > $2::timestamptz + $3 * interval '1 millisecond'`, 'at, number', to)
  const { rows } = await db.pool.query(
    'SELECT number FROM audit_events WHERE workspace_id = $1 ORDER BY number DESC LIMIT 1',
    [workspaceId],
  )
  if (!rows[0]) return null
  return { from: (before ?? 0) + 1, below: after ?? Number(rows[0].number) + 1 }
}

async function matchingActions(db: Source, workspaceId: string, wanted: string | undefined): Promise<string[]> {
  if (wanted !== undefined && !wanted.endsWith('.*')) return [wanted]
  const all = await listAuditActions(db, workspaceId)
  return wanted === undefined ? all : all.filter((action) => action.startsWith(wanted.slice(0, -1)))
}

/** Every action that the log has, in alphabetical order: one step in the index for each, however long the log is. */
export async function listAuditActions(db: Source, workspaceId: string): Promise<string[]> {
  const next = (after: string) =>
    `SELECT e.action FROM audit_events e WHERE e.workspace_id = $1 ${after} ORDER BY e.action LIMIT 1`
  const { rows } = await db.pool.query(
    `WITH RECURSIVE found AS (
       (${next('')}) UNION ALL
       SELECT (${next('AND e.action > found.action')}) FROM found WHERE found.action IS NOT NULL
     ) SELECT action FROM found WHERE action IS NOT NULL LIMIT $2`,
    [workspaceId, limits.auditActions],
  )
  return rows.map((row) => row.action)
}

/** Everybody who did something, by the same steps. */
export async function listAuditActors(db: Source, workspaceId: string): Promise<Actor[]> {
  const next = (after: string) =>
    `SELECT e.actor_kind, e.actor_id FROM audit_events e WHERE e.workspace_id = $1 ${after}
     ORDER BY e.actor_kind, e.actor_id LIMIT 1`
  const { rows } = await db.pool.query(
    `WITH RECURSIVE found AS (
       (${next('')}) UNION ALL
       SELECT n.actor_kind, n.actor_id FROM found CROSS JOIN LATERAL (
         ${next('AND (e.actor_kind, e.actor_id) > (found.actor_kind, found.actor_id)')}) n
     ) SELECT actor_kind AS kind, actor_id AS id FROM found LIMIT $2`,
    [workspaceId, limits.auditActions],
  )
  return rows
}

/** Everything that fits, the newest first, read page by page while it is taken. */
export async function* readAuditEvents(
  db: Source,
  input: { workspaceId: string; filter?: AuditFilter },
): AsyncGenerator<ListedAuditEvent> {
  for (let before: number | null = null; ; ) {
    const page: AuditPage = await listAuditEvents(db, { ...input, before, limit: limits.auditExportRows })
    yield* page.events
    if (page.next === null) return
    before = page.next
  }
}
