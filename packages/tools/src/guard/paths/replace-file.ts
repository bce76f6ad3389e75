// Writes a file as a whole or not at all: into a new file beside it, then renamed over it. Who reads meanwhile sees the
// old or the new content; a crash leaves the old one and, at worst, a file that the next write clears away (leftovers.ts).
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { notAFile } from './describe-place.ts'
import type { Place } from './find-place.ts'
import { checkNewName, type Folder } from './folder.ts'
import { temporaryName } from './leftovers.ts'
import { PathProblem, problemFromSystem, showPath } from './path-problem.ts'

export interface ReplaceOptions {
  /** What was read before; where it is another file or another content by now, nothing is written. */
  expected?: Pick<Stats, 'ino' | 'mtimeMs' | 'size'>
  signal?: AbortSignal
}

export interface Replaced {
  path: string
  created: boolean
}

export async function replaceFile(place: Place, content: Uint8Array, options: ReplaceOptions): Promise<Replaced> {
  checkWritable(place)
  if (place.kind !== 'file' && place.kind !== 'missing') throw notAFile(place)
  const { folder, name, path } = place
  const old = place.kind === 'file' ? place.held.stat : null
  if (!old) checkNewName(name)
  const beside = temporaryName()
  try {
    await folder.holding.verify(folder.held, path)
    await writeBeside(folder, beside, content, old)
    try {
      options.signal?.throwIfAborted()
      if (options.expected) await mustBe(folder, name, options.expected)
      await folder.holding.verify(folder.held, path)
      await rename(folder.at(beside), folder.at(name))
    } catch (error) {
      await unlink(folder.at(beside))
      throw error
    }
    await syncFolder(folder)
  } catch (error) {
    throw problemFromSystem(error, path)
  }
  return { path, created: old === null }
}

/** Neither through a file's write protection, nor into what git would run or trust. */
export function checkWritable(place: Place): void {
  const names = place.path.split('/')
  if (names.some((name) => name.toLowerCase() === '.git'))
    throw new PathProblem(
      'denied',
      `${showPath(place.path)} belongs to git itself, which runs programs named there. Use the git tools.`,
    )
  if (place.kind === 'file' && (place.held.stat.mode & 0o222) === 0)
    throw new PathProblem(
      'denied',
      `${showPath(place.path)} is read-only. Leave it, or ask for it to be made writable.`,
    )
}

/** As the file that it replaces, or as a new file of the folder's owner. */
async function writeBeside(folder: Folder, name: string, content: Uint8Array, old: Stats | null): Promise<void> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const handle = await open(folder.at(name), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, old ? 0o600 : 0o666)
  try {
    await handle.writeFile(content)
    await adopt(handle, old ?? folder.held.stat)
    // Without set-uid and the like, as the system does when a file is written.
    if (old) await handle.chmod(old.mode & 0o777)
    await handle.sync()
  } catch (error) {
    await unlink(folder.at(name))
    throw error
  } finally {
    await handle.close()
  }
}

async function adopt(handle: FileHandle, owner: Stats): Promise<void> {
  if (process.getuid?.() === 0) await handle.chown(owner.uid, owner.gid)
}

async function mustBe(folder: Folder, name: string, expected: Pick<Stats, 'ino' | 'mtimeMs' | 'size'>): Promise<void> {
  const now = await folder.look(name)
  await now?.close()
  const isSame =
    now?.stat.ino === expected.ino && now.stat.mtimeMs === expected.mtimeMs && now.stat.size === expected.size
  if (!isSame)
    throw new PathProblem(
      'changed',
      `${showPath(folder.pathOf(name))} was changed by somebody else meanwhile. Read it again.`,
    )
}

/** So that the new name is still there after a power cut. */
export async function syncFolder(folder: Folder): Promise<void> {
  const handle = await folder.holding.reopen(folder.held, constants.O_RDONLY | constants.O_DIRECTORY, '.')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
