import type { Role } from '@quartermaster/db'
import { areas } from '../areas.ts'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'

export interface Found {
  kind: 'run' | 'call' | 'question' | 'agent' | 'tool'
  label: string
  /** What tells it from others of that name. */
  about: string
  href: string
}

/** Shorter texts find everything; longer ones are no name. */
const length = { least: 2, most: 100 }
/** Of each kind. */
const most = 5
/** Runs are looked for by title among the newest ones: an answer has to come while somebody types. */
const searchedRuns = 2_000

/** By each area's address: what it has of that name or id. `$1` is the workspace. */
const byName: Record<string, { kind: Found['kind']; sql: string }> = {
  '/agents': {
    kind: 'agent',
    sql: `SELECT id, name AS label, CASE WHEN archived_at IS NULL THEN 'agent' ELSE 'archived agent' END AS about FROM agents
      WHERE workspace_id = $1 AND (name ILIKE $2 OR slug ILIKE $2) ORDER BY archived_at NULLS FIRST, name, id LIMIT ${most}`,
  },
  '/tools': {
    kind: 'tool',
    sql: `SELECT t.id, t.name AS label, t.handler_key AS about FROM tools t JOIN tool_details d ON d.tool_id = t.id
      WHERE (d.workspace_id IS NULL OR d.workspace_id = $1) AND (t.name ILIKE $2 OR t.handler_key ILIKE $2)
      ORDER BY t.name, t.id LIMIT ${most}`,
  },
  '/runs': {
    kind: 'run',
    sql: `SELECT id, title AS label, status::text AS about
      FROM (SELECT * FROM runs WHERE workspace_id = $1 ORDER BY queued_at DESC, id DESC LIMIT ${searchedRuns}) AS newest
      WHERE title ILIKE $2 ORDER BY queued_at DESC, id DESC LIMIT ${most}`,
  },
}

const byId: Record<string, { kind: Found['kind']; sql: string }> = {
  '/runs': {
    kind: 'run',
    sql: `SELECT id, coalesce(nullif(title, ''), 'Untitled') AS label, status::text AS about FROM runs WHERE workspace_id = $1 AND id = $2`,
  },
  '/executions': {
    kind: 'call',
    sql: `SELECT id, tool_name AS label, status::text AS about FROM tool_calls WHERE workspace_id = $1 AND id = $2`,
  },
  '/approvals': {
    kind: 'question',
    sql: `SELECT id, coalesce(prompt ->> 'title', 'A question') AS label, status::text AS about FROM questions WHERE workspace_id = $1 AND id = $2`,
  },
  '/agents': {
    kind: 'agent',
    sql: `SELECT id, name AS label, 'agent' AS about FROM agents WHERE workspace_id = $1 AND id = $2`,
  },
}

/** Only of areas that there are, and that the role opens. */
export async function searchWorkspace(
  { workspaceId, role }: { workspaceId: string; role: Role },
  typed: string,
): Promise<Found[]> {
  const text = typed.trim()
  if (text.length < length.least || text.length > length.most || text.includes('\0')) return []
  const isId = /^[a-z]{1,8}_[0-9a-z]{10,}$/i.test(text)
  const wanted = isId ? text : `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const open = areas.filter(({ minimumRole }) => data.atLeast(role, minimumRole)).map(({ href }) => href)
  const searches = Object.entries(isId ? byId : byName).filter(([href]) => open.includes(href))
  const found = await Promise.all(
    searches.map(async ([href, { kind, sql }]) => {
      const { rows } = await runtime().db.pool.query<{ id: string; label: string; about: string }>(sql, [
        workspaceId,
        wanted,
      ])
      return rows.map(({ id, label, about }) => ({ kind, label, about, href: `${href}/${encodeURIComponent(id)}` }))
    }),
  )
  return found.flat()
}
