import { data } from '../../../data.ts'
import { pageOf, parsePageKey } from '../../../paging.ts'
import { runtime } from '../../../runtime.ts'

export interface VirtualFileRow {
  id: string
  path: string
  size: number
  updatedAt: Date
  /** Whose tree it is in. */
  owner: { kind: 'conversation' | 'agent'; id: string; name: string }
}

const pageRows = 50
/** How far back a search by name looks; what is older is found by its conversation. */
const searchedRows = 20_000

const columns = `f.id, f.path, f.size, f.updated_at AS "updatedAt",
  json_build_object('kind', CASE WHEN f.agent_id IS NULL THEN 'conversation' ELSE 'agent' END,
    'id', coalesce(f.agent_id, f.conversation_id),
    'name', coalesce(a.name, nullif(c.title, ''), 'A conversation')) AS owner`
const joins = `LEFT JOIN agents a ON a.id = f.agent_id AND a.workspace_id = f.workspace_id
  LEFT JOIN conversations c ON c.id = f.conversation_id AND c.workspace_id = f.workspace_id`

/** The virtual files of the workspace, those changed last first. */
export async function listVirtualFiles(
  workspaceId: string,
  { q, after }: { q: string; after: unknown },
): Promise<{ rows: VirtualFileRow[]; next: string | null }> {
  const key = parsePageKey(after)
  const { rows } = await runtime().db.pool.query<VirtualFileRow>(
    `SELECT ${columns} FROM (
       SELECT * FROM (SELECT id, workspace_id, path, size, updated_at, agent_id, conversation_id FROM virtual_files
         WHERE workspace_id = $1 AND ($2::timestamptz IS NULL OR (updated_at, id) < ($2, $3::text))
         ORDER BY updated_at DESC, id DESC LIMIT $4) AS newest
       WHERE $5 = '' OR position(lower($5) IN lower(path)) > 0
       ORDER BY updated_at DESC, id DESC LIMIT $6
     ) AS f ${joins} ORDER BY f.updated_at DESC, f.id DESC`,
    [workspaceId, key?.at ?? null, key?.id ?? null, q ? searchedRows : pageRows + 1, q, pageRows + 1],
  )
  return pageOf(rows, pageRows, (row) => ({ at: row.updatedAt, id: row.id }))
}

export async function readVirtualFile(
  workspaceId: string,
  id: string,
): Promise<(VirtualFileRow & { content: Uint8Array }) | null> {
  const { rows } = await runtime().db.pool.query(
    `SELECT ${columns}, f.content FROM virtual_files f ${joins} WHERE f.workspace_id = $1 AND f.id = $2`,
    [workspaceId, data.storableText(id.slice(0, 100))],
  )
  return rows[0] ?? null
}
