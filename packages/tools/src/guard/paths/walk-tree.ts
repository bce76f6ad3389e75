// Everything below a folder, in one order: a folder before what is in it, names by their characters. Links are listed and
// never followed. Each folder is entered by the handle of the one above.
import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { Folder, type Kind, kindOf } from './folder.ts'
import { pathLimits } from './parse-path.ts'
import { PathProblem, problemFromSystem, showPath } from './path-problem.ts'

export interface TreeEntry {
  /** From the work folder. */
  path: string
  kind: Kind
  /** The folder it is in, held until the walk goes on. */
  folder: Folder
  name: string
  /** False for a name whose bytes are not UTF-8: no path leads to it. */
  reachable: boolean
  /** A folder that the walk will not enter, because of `enter` or its depth. */
  closed: boolean
}

export interface TreeOptions {
  signal: AbortSignal
  /** Whether to go into a folder; by its path from the work folder. */
  enter(path: string, name: string): boolean
  /** A folder below that could not be read; the walk goes on beside it. */
  skipped?(problem: PathProblem): void
}

/** Names of one folder; one with more is not listed. */
const mostNames = 200_000

export async function* walkTree(folder: Folder, options: TreeOptions): AsyncGenerator<TreeEntry> {
  for (const { name, kind: known, reachable } of await readNames(folder, options.signal)) {
    options.signal.throwIfAborted()
    const path = folder.pathOf(name)
    const kind = known ?? (await lookKind(folder, name))
    if (kind === null) continue
    const closed =
      kind === 'folder' && (!reachable || folder.names.length + 1 >= pathLimits.depth || !options.enter(path, name))
    yield { path, kind, folder, name, reachable, closed }
    if (kind !== 'folder' || closed) continue
    const held = await folder.look(name)
    if (!held) continue
    const inner = new Folder(held, folder.holding, [...folder.names, name])
    try {
      // It may be a link by now.
      if (kindOf(held.stat) === 'folder') yield* walkTree(inner, options)
    } catch (error) {
      if (!(error instanceof PathProblem)) throw error
      options.skipped?.(error)
    } finally {
      await inner.close()
    }
  }
}

interface Name {
  name: string
  kind: Kind | null
  reachable: boolean
}

async function readNames(folder: Folder, signal: AbortSignal): Promise<Name[]> {
  const names: Name[] = []
  const shown = folder.names.join('/') || '.'
  try {
    // The types do not know that the names are bytes then.
    const directory = await opendir(folder.held.path, { encoding: 'buffer' as BufferEncoding, bufferSize: 512 })
    for await (const entry of directory) {
      const bytes = entry.name as unknown as Buffer
      const name = bytes.toString()
      names.push({ name, kind: kindOfEntry(entry), reachable: bytes.equals(Buffer.from(name)) })
      signal.throwIfAborted()
      if (names.length > mostNames)
        throw new PathProblem('too-large', `${showPath(shown)} has more than ${mostNames} names in it.`)
    }
  } catch (error) {
    throw problemFromSystem(error, shown)
  }
  return names.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

/** Null where the file system does not say. */
function kindOfEntry(entry: Dirent): Kind | null {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isFIFO()) return 'pipe'
  if (entry.isSocket()) return 'socket'
  return entry.isBlockDevice() || entry.isCharacterDevice() ? 'device' : null
}

async function lookKind(folder: Folder, name: string): Promise<Kind | null> {
  const held = await folder.look(name)
  await held?.close()
  return held ? kindOf(held.stat) : null
}
