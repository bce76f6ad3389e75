// The virtual files of the `vfs.*` tools: one tree a conversation, or one an agent. The shape is that of the port
// VirtualFiles of packages/tools, which this package does not import; a test of the bot sees to it that it fits.
//
// A directory is there while a file is in it. A path is a file or a directory and never both, and a tree keeps its
// limits: both are decided under a lock of the tree, because no index can hold them.
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'

export interface FileTree {
  workspaceId: string
  owner: { kind: 'conversation' | 'agent'; id: string }
}

export interface FileProblem {
  ok: false
  /** A sentence that a model or a person can act on. */
  problem: string
}

export interface FileEntry {
  kind: 'directory' | 'file'
  path: string
  size: number
}

/** Bound to a database; the port behind the `vfs.*` tools. */
export function createVirtualFiles(db: Database) {
  return {
    read: (tree: FileTree, path: string) => readFile(db, tree, path),
    write: (tree: FileTree, path: string, content: Uint8Array) => writeFile(db, tree, path, content),
    list: (tree: FileTree, path: string, page: { after?: string } = {}) => listFiles(db, tree, path, page),
  }
}

/** A condition on the rows of a tree: `$1` is the workspace, `$2` the owner. */
const within = ({ owner }: FileTree): string =>
  `workspace_id = $1 AND ${owner.kind === 'agent' ? 'agent_id' : 'conversation_id'} = $2`

async function readFile(
  db: Database,
  tree: FileTree,
  given: string,
): Promise<{ ok: true; path: string; content: Uint8Array } | FileProblem> {
  const path = normalizePath(given)
  if (typeof path !== 'string') return path
  const { rows } = await db.pool.query(`SELECT content FROM virtual_files WHERE ${within(tree)} AND path = $3`, [
    tree.workspaceId,
    tree.owner.id,
    path,
  ])
  if (rows[0]) return { ok: true, path, content: rows[0].content }
  if (path === '/' || (await isDirectory(db.pool, tree, path))) return refuse(`${path} is a directory. List it.`)
  return refuse(`There is no file ${path}.`)
}

async function writeFile(
  db: Database,
  tree: FileTree,
  given: string,
  content: Uint8Array,
): Promise<{ ok: true; path: string; created: boolean } | FileProblem> {
  const path = normalizePath(given)
  if (typeof path !== 'string') return path
  if (path === '/') return refuse('/ is a directory. Name a file in it.')
  if (content.byteLength > limits.virtualFileBytes)
    return refuse(
      `The file is too large: ${content.byteLength} bytes, and ${limits.virtualFileBytes} are the most. Split it.`,
    )
  return inTransaction(db, async (tx) => {
    const { workspaceId, owner } = tree
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('virtual files ' || $1, 0))`, [owner.id])
    if (await isDirectory(tx, tree, path)) return refuse(`${path} is a directory.`)
    const above = parentsOf(path)
    const { rows } = await tx.query(
      `SELECT min(path) FILTER (WHERE path = ANY($4)) AS file_above, count(*) FILTER (WHERE path <> $3)::int AS files,
         coalesce(sum(size) FILTER (WHERE path <> $3), 0)::float8 AS bytes
       FROM virtual_files WHERE ${within(tree)}`,
      [workspaceId, owner.id, path, above],
    )
    const { file_above: fileAbove, files, bytes } = rows[0]
    if (fileAbove) return refuse(`${fileAbove} is a file, so nothing can be in it.`)
    if (files >= limits.virtualTreeFiles) return refuse(`There are ${files} files already, and no more are kept.`)
    if (bytes + content.byteLength > limits.virtualTreeBytes)
      return refuse(`The files here would be more than ${limits.virtualTreeBytes} bytes together. Make some smaller.`)
    const column = owner.kind === 'agent' ? 'agent_id' : 'conversation_id'
    const owners = owner.kind === 'agent' ? 'agents' : 'conversations'
    const written = await tx.query(
      `INSERT INTO virtual_files (id, workspace_id, ${column}, path, content, size)
       SELECT $3, o.workspace_id, o.id, $4, $5, octet_length($5::bytea) FROM ${owners} o WHERE o.workspace_id = $1 AND o.id = $2
       ON CONFLICT (${column}, path) DO UPDATE SET content = excluded.content, size = excluded.size, updated_at = clock_timestamp()
       RETURNING id = $3 AS created`,
      [workspaceId, owner.id, newId('file'), path, Buffer.from(content)],
    )
    if (!written.rows[0]) return refuse('The conversation or agent whose files these are is gone.')
    return { ok: true, path, created: written.rows[0].created }
  })
}

async function listFiles(
  db: Database,
  tree: FileTree,
  given: string,
  page: { after?: string },
): Promise<{ ok: true; path: string; entries: FileEntry[]; more: boolean } | FileProblem> {
  const path = normalizePath(given)
  if (typeof path !== 'string') return path
  const after = page.after === undefined ? null : normalizePath(page.after)
  if (after !== null && typeof after !== 'string') return after
  const { rows } = await db.pool.query(
    `WITH inside AS (
       SELECT path, size, $3 || split_part(substr(path, length($3) + 1), '/', 1) AS entry
       FROM virtual_files WHERE ${within(tree)} AND starts_with(path, $3)
     ), entries AS (
       SELECT entry, bool_and(path = entry) AS is_file, sum(size)::int AS size FROM inside GROUP BY entry
     )
     SELECT entry AS path, is_file, size FROM entries
     WHERE $4::text IS NULL OR (is_file, entry COLLATE "C") > (EXISTS (SELECT 1 FROM inside WHERE path = $4), $4::text COLLATE "C")
     ORDER BY is_file, entry COLLATE "C" LIMIT $5`,
    [tree.workspaceId, tree.owner.id, prefixOf(path), after, limits.pageRows + 1],
  )
  if (rows.length === 0 && after === null && path !== '/') {
    const file = await readFile(db, tree, path)
    return refuse(file.ok ? `${path} is a file. Read it.` : `There is no directory ${path}.`)
  }
  const entries = rows.slice(0, limits.pageRows).map(
    (row): FileEntry => ({
      kind: row.is_file ? 'file' : 'directory',
      path: row.path,
      size: row.is_file ? row.size : 0,
    }),
  )
  return { ok: true, path, entries, more: rows.length > limits.pageRows }
}

async function isDirectory(tx: Queryable, tree: FileTree, path: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM virtual_files WHERE ${within(tree)} AND starts_with(path, $3) LIMIT 1`,
    [tree.workspaceId, tree.owner.id, prefixOf(path)],
  )
  return rowCount === 1
}

const prefixOf = (path: string): string => (path === '/' ? '/' : `${path}/`)

/** `/a/b/c` → `/a`, `/a/b`. */
function parentsOf(path: string): string[] {
  const names = path.split('/').slice(1, -1)
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`)
}

/**
 * One path for one file: from the root, without `.`, `..`, doubled and trailing slashes, composed characters. What
 * leads out of the tree or cannot be seen is refused.
 */
export function normalizePath(given: string): string | FileProblem {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is looking for.
  if (!given.isWellFormed() || /[\u0000-\u001f\u007f]/.test(given))
    return refuse('A path must not have control characters in it.')
  const names: string[] = []
  for (const name of given.normalize('NFC').split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.pop() === undefined) return refuse('A path must not lead out of the root by `..`.')
  }
  const path = `/${names.join('/')}`
  return Buffer.byteLength(path) > limits.virtualPathBytes
    ? refuse(`The path is too long: ${limits.virtualPathBytes} bytes are the most.`)
    : path
}

const refuse = (problem: string): FileProblem => ({ ok: false, problem })
