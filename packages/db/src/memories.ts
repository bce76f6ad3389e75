// What agents note for later conversations, behind the port Memories of packages/tools. A note knows where strangers'
// content came from that stood in its conversation then: what they wrote does not become anybody's own by being noted.
import { createHash } from 'node:crypto'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { storableText } from './storable.ts'
import { taintOf } from './taint.ts'

export interface MemoryOwner {
  workspaceId: string
  /** Null: the workspace's own. */
  agentId: string | null
}

export interface Memory {
  id: string
  namespace: string
  content: string
  createdAt: Date
  taint: string[]
}

export interface NewMemory {
  namespace: string
  content: string
  mode: 'append' | 'replace'
  conversationId: string
}

export function createMemories(db: Database) {
  return {
    read: (owner: MemoryOwner, namespace: string) => readNamespace(db, owner, namespace),
    write: (owner: MemoryOwner, note: NewMemory) => writeMemory(db, owner, note),
    search: (owner: MemoryOwner, search: MemorySearch) => searchMemories(db, owner, search),
  }
}

/** $1 is the workspace, $2 the agent or null. */
const within = 'workspace_id = $1 AND agent_id IS NOT DISTINCT FROM $2'

const columns = 'id, namespace, content, created_at AS "createdAt", taint'

async function readNamespace(
  db: Database,
  { workspaceId, agentId }: MemoryOwner,
  namespace: string,
): Promise<{ memories: Memory[]; more: boolean; nested: string[] }> {
  const { rows } = await db.pool.query<Memory & { before: number }>(
    `SELECT * FROM (
       SELECT ${columns}, sum(length(content)) OVER (ORDER BY created_at DESC, id DESC)::int - length(content) AS before
       FROM memories WHERE ${within} AND namespace = $3 ORDER BY created_at DESC, id DESC LIMIT $4
     ) AS newest WHERE before < $5`,
    [workspaceId, agentId, namespace, limits.pageRows + 1, limits.memoryReadCharacters],
  )
  const { rows: counted } = await db.pool.query<{ notes: number; nested: string[] | null }>(
    `SELECT count(*) FILTER (WHERE namespace = $3)::int AS notes,
       (array_agg(DISTINCT namespace) FILTER (WHERE starts_with(namespace, $3 || '/')))[1:$4] AS nested
     FROM memories WHERE ${within} AND (namespace = $3 OR starts_with(namespace, $3 || '/'))`,
    [workspaceId, agentId, namespace, limits.pageRows],
  )
  const found = rows.slice(0, limits.pageRows).map(({ before: _, ...memory }) => memory)
  return {
    memories: found.reverse(),
    more: (counted[0]?.notes ?? 0) > found.length,
    nested: counted[0]?.nested ?? [],
  }
}

type Written = { ok: true; noted: boolean; forgotten: number } | { ok: false; problem: string }

async function writeMemory(db: Database, owner: MemoryOwner, note: NewMemory): Promise<Written> {
  const content = storableText(note.content)
  const digest = createHash('sha256').update(content).digest()
  return inTransaction(db, async (tx) => {
    // In order, so that the count below is everybody's and a replacement replaces all that is there.
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('memories ' || $1, 0))`, [
      owner.agentId ?? owner.workspaceId,
    ])
    const forgotten = note.mode === 'replace' ? await forgetOthers(tx, owner, note.namespace, digest) : 0
    if (!content) return { ok: true, noted: false, forgotten }
    const { rows } = await tx.query(
      `SELECT count(*)::int AS notes FROM (SELECT 1 FROM memories WHERE ${within} LIMIT $3) AS counted`,
      [owner.workspaceId, owner.agentId, limits.memories],
    )
    if (rows[0].notes >= limits.memories)
      return {
        ok: false,
        problem: `The memory is full: it has ${limits.memories} notes. Replace a namespace by a shorter note first.`,
      }
    const { rowCount } = await tx.query(
      `INSERT INTO memories (id, workspace_id, agent_id, namespace, content, digest, taint)
       SELECT $3, c.workspace_id, $2, $4, $5, $6, ARRAY(${taintOf('c.id', '$8')})
       FROM conversations c WHERE c.id = $7 AND c.workspace_id = $1
       ON CONFLICT (workspace_id, agent_id, namespace, digest) DO NOTHING`,
      [
        owner.workspaceId,
        owner.agentId,
        newId('note'),
        note.namespace,
        content,
        digest,
        note.conversationId,
        limits.pageRows,
      ],
    )
    return { ok: true, noted: rowCount === 1, forgotten }
  })
}

async function forgetOthers(tx: Queryable, owner: MemoryOwner, namespace: string, digest: Buffer): Promise<number> {
  const { rowCount } = await tx.query(`DELETE FROM memories WHERE ${within} AND namespace = $3 AND digest <> $4`, [
    owner.workspaceId,
    owner.agentId,
    namespace,
    digest,
  ])
  return rowCount ?? 0
}

export interface MemorySearch {
  query: string
  namespace?: string
  limit: number
}

/** The text of index memories_words. */
const words = `(to_tsvector('simple', content) || to_tsvector('english', content))`

/**
 * What has any of the words, in any of their English forms; what has more of them, and nearer together, comes first. A
 * word that says little ("the") finds something only where all words of the query are of that kind.
 */
async function searchMemories(
  db: Database,
  { workspaceId, agentId }: MemoryOwner,
  { query, namespace, limit }: MemorySearch,
): Promise<Memory[]> {
  const { rows } = await db.pool.query<Memory>(
    `WITH asked AS (
       SELECT CASE WHEN numnode(telling) > 0 THEN telling ELSE plainto_tsquery('simple', $3) END AS q
       FROM (SELECT replace(plainto_tsquery('english', $3)::text, ' & ', ' | ')::tsquery AS telling) AS said
     )
     SELECT ${columns} FROM memories, asked
     WHERE ${within} AND ($4::text IS NULL OR namespace = $4 OR starts_with(namespace, $4 || '/')) AND ${words} @@ asked.q
     ORDER BY ts_rank_cd(${words}, asked.q) DESC, created_at DESC, id DESC LIMIT $5`,
    [workspaceId, agentId, storableText(query), namespace ?? null, limit],
  )
  return rows
}
