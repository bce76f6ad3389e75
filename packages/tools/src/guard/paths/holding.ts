// How a thing on disk is held on to, so that what was checked is what is used.
//
// On Linux by handle: `O_PATH` opens the thing itself without touching it (no FIFO blocks, no device wakes up), and
// `/proc/self/fd/<n>/<name>` is a name in the folder that is held, wherever the folder is by now: openat(2), for Node.
// Where there is no /proc, the checks are repeated after each open instead; a swap in between can be missed, and
// `describeHolding` says so.
import { constants, existsSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PathProblem, showPath } from './path-problem.ts'

export interface Held {
  /** Leads to the very thing that is held; with `/name` behind it, into it. */
  readonly path: string
  readonly stat: Stats
  close(): Promise<void>
}

export interface Holding {
  readonly kind: 'handles' | 'checked'
  /** The thing itself, also if it is a link; throws what the system says. */
  hold(path: string): Promise<Held>
  /** Opens what is held; `shown` is its name in errors. */
  reopen(held: Held, flags: number, shown: string): Promise<FileHandle>
  /** Before something is changed through a held folder. */
  verify(folder: Held, shown: string): Promise<void>
}

// Not in Node's constants; the same number on every architecture that Node is built for on Linux.
const pathOnly = 0o10000000

export const byHandle: Holding = {
  kind: 'handles',
  async hold(path) {
    const handle = await open(path, pathOnly | constants.O_NOFOLLOW)
    try {
      return { path: `/proc/self/fd/${handle.fd}`, stat: await handle.stat(), close: () => handle.close() }
    } catch (error) {
      await handle.close()
      throw error
    }
  },
  reopen: (held, flags) => open(held.path, flags | constants.O_NONBLOCK),
  verify: async () => {},
}

export const byChecking: Holding = {
  kind: 'checked',
  hold: async (path) => ({ path, stat: await lstat(path), close: async () => {} }),
  async reopen(held, flags, shown) {
    const handle = await open(held.path, flags | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const stat = await handle.stat()
      const isSame = stat.ino === held.stat.ino && stat.dev === held.stat.dev
      if (!isSame || (await realpath(dirname(held.path))) !== dirname(held.path)) throw changed(shown)
      return handle
    } catch (error) {
      await handle.close()
      throw error
    }
  },
  async verify(folder, shown) {
    const stat = await lstat(folder.path)
    const isSame = stat.ino === folder.stat.ino && stat.dev === folder.stat.dev
    if (!isSame || (await realpath(folder.path)) !== folder.path) throw changed(shown)
  },
}

export const chooseHolding = (): Holding =>
  process.platform === 'linux' && existsSync('/proc/self/fd') ? byHandle : byChecking

/** For the doctor and the health page. */
export function describeHolding(): { kind: Holding['kind']; detail: string } {
  const { kind } = chooseHolding()
  return {
    kind,
    detail:
      kind === 'handles'
        ? 'Paths are held by handle: a folder that is swapped for a link in mid-work is not followed.'
        : 'There is no /proc here: paths are checked before and after each use, and a swap in between can be missed.',
  }
}

const changed = (shown: string) =>
  new PathProblem('changed', `${showPath(shown)} was changed while it was being used. Try again.`)
