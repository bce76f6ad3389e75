// The tool calls of a workspace, the newest first, a page at a time by key. It stays flat however many there are: one
// index leads the way, and what it does not know is looked for among a bounded number of rows. A page that ends there
// says how far it looked, and the next one goes on from that row.
import type { Database, Queryable } from './client.ts'
import { limits } from './limits.ts'
import { type ListedToolCall, readListed } from './read-listed-calls.ts'
import {
  allOf,
  type Condition,
  indexedConditions,
  otherConditions,
  stretchOf,
  type ToolCallFilter,
  Values,
} from './tool-call-filter.ts'

/** Where the next page begins: after this one. */
export interface ToolCallKey {
  requestedAt: Date
  id: string
}

export interface ToolCallPage {
  calls: ListedToolCall[]
  /** Null on the last page. */
  next: ToolCallKey | null
  /** Where the page is not full because enough rows were looked at: the time of the last one. `next` looks further. */
  lookedBackTo?: Date
  /** How many rows were looked at for it. */
  looked: number
}

export type ListToolCalls = ToolCallFilter & {
  after?: ToolCallKey
  limit?: number
  /** How many rows may be looked at for a page, and how long; limits says what holds otherwise. */
  walk?: { rows?: number; ms?: number }
}

export async function listToolCalls(db: Pick<Database, 'pool'>, list: ListToolCalls): Promise<ToolCallPage> {
  const { ids, next, looked, stopped } = await findToolCalls(db, list)
  const calls = await readListed(db.pool, list.workspaceId, ids)
  return { calls, next, looked, ...(stopped && next ? { lookedBackTo: next.requestedAt } : {}) }
}

interface Found {
  ids: string[]
  next: ToolCallKey | null
  looked: number
  /** Not for want of rows, and not because the page is full. */
  stopped: boolean
}

/** The ids of a page. */
async function findToolCalls(db: Pick<Database, 'pool'>, list: ListToolCalls): Promise<Found> {
  const limit = Math.max(1, Math.min(list.limit ?? limits.pageRows, limits.pageRows))
  const leading = await chooseLeading(db.pool, list)
  const others = [...indexedConditions(list).filter(({ name }) => name !== leading?.name), ...otherConditions(list)]
  const most = Math.min(list.walk?.rows ?? limits.walkedCalls, limits.walkedCalls)
  const until = performance.now() + (list.walk?.ms ?? limits.walkedCallsMs)
  const ids: string[] = []
  let after = list.after ?? null
  let looked = 0
  // Small reads first: where what is looked for is common, they are enough. Nothing to look for: one read of one page.
  for (let rows = others.length ? limit * 4 : limit + 1; ; rows = Math.min(rows * 3, limits.walkedCallsAtOnce)) {
    const size = others.length ? Math.min(rows, most - looked) : rows
    const walked = await walk(db.pool, { list, leading, others, after, rows: size, wanted: limit + 1 - ids.length })
    looked += walked.count
    for (const hit of walked.hits) {
      if (ids.length === limit) return { ids, next: after, looked, stopped: false }
      ids.push(hit.id)
      after = { requestedAt: hit.requested_at, id: hit.id }
    }
    // Fewer rows than were asked for: there are no more.
    if (walked.count < size) return { ids, next: null, looked, stopped: false }
    // A full page goes on after its last call, and whether there is another one the next page finds out.
    if (ids.length === limit) return { ids, next: after, looked, stopped: false }
    after = walked.last
    if (looked >= most || performance.now() > until) return { ids, next: after, looked, stopped: true }
  }
}

interface Walk {
  list: ToolCallFilter
  leading: Condition | null
  others: readonly Condition[]
  after: ToolCallKey | null
  rows: number
  wanted: number
}

interface Walked {
  count: number
  last: ToolCallKey | null
  hits: { id: string; requested_at: Date }[]
}

/** Looks at the next `rows` rows of the leading index, and finds those of them on which the other conditions hold. */
async function walk(pool: Queryable, { list, leading, others, after, rows, wanted }: Walk): Promise<Walked> {
  const values = new Values()
  const stretch = stretchOf(list, leading, after, values)
  const { rows: found } = await pool.query<{ kind: 'hit' | 'last'; id: string; requested_at: Date; count: number }>(
    `WITH walked AS MATERIALIZED (
       SELECT t.id, t.requested_at, ${allOf(others, values)} AS hit FROM tool_calls t WHERE ${stretch}
       ORDER BY t.requested_at DESC, t.id DESC LIMIT ${values.add(rows)}
     )
     (SELECT 'hit' AS kind, id, requested_at, 0 AS count FROM walked WHERE hit
      ORDER BY requested_at DESC, id DESC LIMIT ${values.add(wanted)})
     UNION ALL
     (SELECT 'last', id, requested_at, (SELECT count(*)::int FROM walked) FROM walked ORDER BY requested_at, id LIMIT 1)`,
    values.list,
  )
  const last = found.find(({ kind }) => kind === 'last')
  return {
    count: last?.count ?? 0,
    last: last ? { requestedAt: last.requested_at, id: last.id } : null,
    hits: found.filter(({ kind }) => kind === 'hit'),
  }
}

/**
 * Which index leads: the one that gets furthest back in time with a few hundred rows, for it passes over most of what
 * is not looked for. A look at that many entries of an index costs a millisecond at any size.
 */
async function chooseLeading(pool: Queryable, list: ListToolCalls): Promise<Condition | null> {
  const candidates = indexedConditions(list)
  if (candidates.length < 2) return candidates[0] ?? null
  const values = new Values()
  const reaches = candidates.map(
    (candidate) => `(SELECT t.requested_at FROM tool_calls t
       WHERE ${stretchOf(list, candidate, list.after ?? null, values)}
       ORDER BY t.requested_at DESC, t.id DESC OFFSET ${limits.probedCalls} LIMIT 1)`,
  )
  const { rows } = await pool.query<{ reach: Date | null }>(
    `SELECT reach FROM unnest(ARRAY[${reaches.join(', ')}]::timestamptz[]) WITH ORDINALITY AS each (reach, nth) ORDER BY nth`,
    values.list,
  )
  // Null: it has fewer rows than that in all.
  const reachOf = (index: number) => rows[index]?.reach?.getTime() ?? Number.NEGATIVE_INFINITY
  return candidates.reduce((best, candidate, index) =>
    reachOf(index) < reachOf(candidates.indexOf(best)) ? candidate : best,
  )
}
