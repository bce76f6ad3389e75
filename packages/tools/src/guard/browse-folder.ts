// What people see and change of a work folder from the console. Every path is walked by handle like the tools' own
// (paths/work-folder.ts): nothing here leads out of the folder, whatever a path says or a link points at.
import type { Stats } from 'node:fs'
import { unlink } from 'node:fs/promises'
import {
  checkWritable,
  type Folder,
  type Kind,
  kindOf,
  notAFile,
  PathProblem,
  problemFromSystem,
  showPath,
  syncFolder,
  type TreeEntry,
  WorkFolder,
  walkTree,
} from './paths/index.ts'

export interface BrowsedEntry {
  name: string
  /** From the work folder; what may be given back. */
  path: string
  kind: Kind
  size: number
  modifiedAt: Date
  /** Where a link points, as it is written. */
  target: string | null
  /** False for a name that no path leads to. */
  reachable: boolean
}

export interface BrowsedFile {
  path: string
  size: number
  modifiedAt: Date
  /** Equal as long as it is the same file with the same content. */
  version: string
  /** The beginning, as much as was asked for. */
  bytes: Uint8Array
  /** Not writable, or one of git's own. */
  readOnly: boolean
}

const searchLimits = { entries: 100_000, found: 200 }
const closedFolders = new Set(['.git', 'node_modules'])

/** A page of what is in a folder, folders first; `next` is the `after` of the next page. */
export async function browseFolder(
  root: string,
  path: string,
  { after = '', limit, signal }: { after?: string; limit: number; signal: AbortSignal },
): Promise<{ path: string; entries: BrowsedEntry[]; next: string | null }> {
  return WorkFolder.use(root, (work) =>
    work.folder(path || '.', async (folder, found) => {
      const names: TreeEntry[] = []
      for await (const entry of walkTree(folder, { signal, enter: () => false })) names.push(entry)
      const sorted = names
        .map((entry) => ({ entry, key: `${entry.kind === 'folder' ? 0 : 1}${entry.name}` }))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .filter(({ key }) => key > after)
      const page = sorted.slice(0, limit)
      const entries = await Promise.all(page.map(({ entry }) => describe(folder, entry)))
      return {
        path: found === '.' ? '' : found,
        entries: entries.filter((entry) => entry !== null),
        next: sorted.length > limit ? (page.at(-1)?.key ?? null) : null,
      }
    }),
  )
}

async function describe(folder: Folder, { name, path, reachable }: TreeEntry): Promise<BrowsedEntry | null> {
  const held = await folder.look(name)
  if (!held) return null
  try {
    const { size, mtime } = held.stat
    const kind = kindOf(held.stat)
    const target = kind === 'link' ? await folder.readLink(name) : null
    return { name, path, kind, size: kind === 'file' ? size : 0, modifiedAt: mtime, target, reachable }
  } finally {
    await held.close()
  }
}

/** Files and folders whose name holds these characters, whatever their case; `more`: not everything was looked at. */
export async function searchFolder(
  root: string,
  text: string,
  signal: AbortSignal,
): Promise<{ entries: BrowsedEntry[]; more: boolean }> {
  const wanted = text.toLowerCase()
  return WorkFolder.use(root, (work) =>
    work.folder('.', async (folder) => {
      const entries: BrowsedEntry[] = []
      let seen = 0
      for await (const entry of walkTree(folder, { signal, enter: (_, name) => !closedFolders.has(name) })) {
        if (++seen > searchLimits.entries) return { entries, more: true }
        if (!entry.name.toLowerCase().includes(wanted)) continue
        if (entries.length === searchLimits.found) return { entries, more: true }
        const found = await describe(entry.folder, entry)
        if (found) entries.push(found)
      }
      return { entries, more: false }
    }),
  )
}

export async function browseFile(root: string, path: string, mostBytes: number): Promise<BrowsedFile> {
  return WorkFolder.use(root, (work) =>
    work.place(path, async (place) => {
      if (place.kind !== 'file') throw notAFile(place)
      return work.file(path, async ({ handle, stat, path: found }) => {
        const bytes = Buffer.alloc(Math.min(stat.size, mostBytes))
        let read = 0
        while (read < bytes.length) {
          const { bytesRead } = await handle.read(bytes, read, bytes.length - read, read)
          if (bytesRead === 0) break
          read += bytesRead
        }
        return {
          path: found,
          size: stat.size,
          modifiedAt: stat.mtime,
          version: versionOf(stat),
          bytes: bytes.subarray(0, read),
          readOnly: isReadOnly(() => checkWritable(place)),
        }
      })
    }),
  )
}

/** Writes a file anew that is still what `version` says. `before` is called when all is checked, and before anything changes. */
export async function overwriteFile(
  root: string,
  path: string,
  content: Uint8Array,
  version: string,
  before: (path: string) => Promise<void>,
): Promise<void> {
  await WorkFolder.use(root, (work) =>
    work.place(path, async (place) => {
      if (place.kind !== 'file') throw notAFile(place)
      checkWritable(place)
      mustBe(place.held.stat, version, place.path)
      await before(place.path)
      await work.replace(path, content, { expected: place.held.stat })
    }),
  )
}

/** Deletes a file that is still what `version` says. */
export async function deleteFile(
  root: string,
  path: string,
  version: string,
  before: (path: string) => Promise<void>,
): Promise<void> {
  await WorkFolder.use(root, (work) =>
    work.place(path, async (place) => {
      if (place.kind !== 'file') throw notAFile(place)
      checkWritable(place)
      mustBe(place.held.stat, version, place.path)
      await before(place.path)
      const { folder, name } = place
      try {
        await folder.holding.verify(folder.held, place.path)
        const now = await folder.look(name)
        await now?.close()
        if (!now) throw new PathProblem('missing', `${showPath(place.path)} is not there any more.`)
        mustBe(now.stat, version, place.path)
        await unlink(folder.at(name))
        await syncFolder(folder)
      } catch (error) {
        throw problemFromSystem(error, place.path)
      }
    }),
  )
}

const versionOf = ({ ino, mtimeMs, size }: Stats) => `${ino}.${mtimeMs}.${size}`

function mustBe(stat: Stats, version: string, path: string): void {
  if (versionOf(stat) !== version)
    throw new PathProblem('changed', `${showPath(path)} was changed by somebody else meanwhile. Look at it again.`)
}

function isReadOnly(check: () => void): boolean {
  try {
    check()
    return false
  } catch (error) {
    if (error instanceof PathProblem) return true
    throw error
  }
}
