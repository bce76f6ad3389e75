// `git status --porcelain=v2 --branch -z`, read. Names come as they are, between NULs.

export interface RepositoryStatus {
  /** Null where HEAD is at no branch. */
  branch: string | null
  /** Null before the first commit. */
  commit: string | null
  upstream: string | null
  ahead: number
  behind: number
  staged: ChangedFile[]
  modified: ChangedFile[]
  untracked: string[]
  conflicts: string[]
}

export interface ChangedFile {
  path: string
  change: string
  /** Where it was before. */
  from?: string
}

/** By git's letter. */
export const changes: Readonly<Record<string, string>> = {
  M: 'modified',
  T: 'type changed',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  U: 'in conflict',
}

export function parseStatus(output: string): RepositoryStatus {
  const status: RepositoryStatus = {
    branch: null,
    commit: null,
    upstream: null,
    ahead: 0,
    behind: 0,
    staged: [],
    modified: [],
    untracked: [],
    conflicts: [],
  }
  const entries = output.split('\0')
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at]!
    if (entry.startsWith('# ')) readHeader(status, entry)
    else if (entry.startsWith('? ')) status.untracked.push(entry.slice(2))
    else if (entry.startsWith('u ')) status.conflicts.push(fieldsAfter(entry, 10))
    else if (entry.startsWith('1 ')) addChange(status, entry.slice(2, 4), fieldsAfter(entry, 8))
    // The name before follows as an entry of its own.
    else if (entry.startsWith('2 ')) addChange(status, entry.slice(2, 4), fieldsAfter(entry, 9), entries[++at])
  }
  return status
}

function readHeader(status: RepositoryStatus, entry: string): void {
  const [, name, ...rest] = entry.split(' ')
  const value = rest.join(' ')
  if (name === 'branch.head') status.branch = value === '(detached)' ? null : value
  else if (name === 'branch.oid') status.commit = value === '(initial)' ? null : value
  else if (name === 'branch.upstream') status.upstream = value
  else if (name === 'branch.ab')
    [status.ahead, status.behind] = rest.map((count) => Math.abs(Number(count))) as [number, number]
}

function addChange(status: RepositoryStatus, letters: string, path: string, from?: string): void {
  const more = from === undefined ? {} : { from }
  const [inIndex = '.', inTree = '.'] = letters
  if (inIndex !== '.') status.staged.push({ path, change: changes[inIndex] ?? inIndex, ...more })
  if (inTree !== '.') status.modified.push({ path, change: changes[inTree] ?? inTree })
}

/** What follows the first `count` fields, spaces included. */
function fieldsAfter(entry: string, count: number): string {
  let at = 0
  for (let field = 0; field < count; field++) at = entry.indexOf(' ', at) + 1
  return entry.slice(at)
}
