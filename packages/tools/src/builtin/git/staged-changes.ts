// What a commit without `files` would commit, in a form that fits on a card and holds the index to what was shown.
import { createHash } from 'node:crypto'
import { type ChangedFile, changes } from './parse-status.ts'
import { complaintOf, GitProblem, type Repository } from './repository.ts'

export interface StagedChanges {
  /** The first of them, by their path in the repository. */
  files: ChangedFile[]
  total: number
  /** Of all of them, with their contents and modes. */
  digest: string
}

/** Files that are named; the rest is counted. */
const namedFiles = 200

/** Throws a GitProblem. */
export async function readStaged(repository: Repository): Promise<StagedChanges> {
  const ended = await repository.run([
    ...['diff', '--cached', '--raw', '-z', '--no-abbrev', '--no-renames', '--no-relative', '--no-ext-diff'],
    // A repository can say that its submodules are not to be listed; they are committed all the same.
    '--ignore-submodules=dirty',
  ])
  if (ended.isCut) throw new GitProblem('Too much is staged to list it. Say which files to commit.')
  if (ended.exitCode !== 0) throw new GitProblem(complaintOf(ended))
  const files = parseRaw(ended.stdout)
  const digest = createHash('sha256').update(ended.stdout).digest('hex')
  return { files: files.slice(0, namedFiles), total: files.length, digest }
}

/** `:mode mode blob blob letter NUL path NUL`, over and over. */
function parseRaw(output: string): ChangedFile[] {
  const fields = output.split('\0')
  const files: ChangedFile[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const letter = fields[at]!.slice(fields[at]!.lastIndexOf(' ') + 1)
    files.push({ path: fields[at + 1]!, change: changes[letter] ?? letter })
  }
  return files
}

/** A list that somebody made up does not match; one with another index neither. */
export const isSameStaged = (planned: StagedChanges, now: StagedChanges): boolean =>
  planned.digest === now.digest &&
  planned.total === now.total &&
  planned.files.length === now.files.length &&
  now.files.every(({ path, change }, index) => {
    const other = planned.files[index]!
    return path === other.path && change === other.change
  })
