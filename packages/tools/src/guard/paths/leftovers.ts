// A crash in mid-write leaves the new file beside the old one, under a name that only we give. Whoever writes into the
// same folder later clears it away.
import { randomBytes } from 'node:crypto'
import { opendir, unlink } from 'node:fs/promises'
import { type Folder, kindOf } from './folder.ts'
import { PathProblem, problemFromSystem } from './path-problem.ts'

/** Of a file that is not there yet: half of it may be missing, and nobody needs it once its writer is gone. */
export const temporaryName = (): string => `.qm-${randomBytes(9).toString('base64url')}.tmp`

/** Of somebody's file that steps aside for a moment. It may be the only one: a name that is never cleared away. */
export const asideName = (): string => `.qm-aside-${randomBytes(9).toString('base64url')}`

const temporary = /^\.qm-[\w-]{12}\.tmp$/
/** No write takes that long: what is older has no writer any more. */
const staleMs = 10 * 60_000
/** Names looked at; a leftover behind so many others stays. */
const mostNames = 10_000

/** What may not be read or removed stays: it is no reason not to write. */
export async function sweepLeftovers(folder: Folder): Promise<void> {
  try {
    let looked = 0
    for await (const { name } of await opendir(folder.held.path, { bufferSize: 512 })) {
      if (temporary.test(name)) await removeStale(folder, name)
      if (++looked >= mostNames) return
    }
  } catch (error) {
    const problem = problemFromSystem(error, folder.names.join('/') || '.')
    if (!(problem instanceof PathProblem)) throw problem
  }
}

async function removeStale(folder: Folder, name: string): Promise<void> {
  const held = await folder.look(name)
  if (!held) return
  try {
    // One with a second name is somebody's.
    const isLeftover = kindOf(held.stat) === 'file' && held.stat.nlink === 1
    if (!isLeftover || Date.now() - held.stat.mtimeMs < staleMs) return
    await folder.holding.verify(folder.held, folder.pathOf(name))
    await unlink(folder.at(name))
  } finally {
    await held.close()
  }
}
