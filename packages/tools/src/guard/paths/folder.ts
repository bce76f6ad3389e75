// A folder that is held: names are looked up in it and nowhere else.
import type { Stats } from 'node:fs'
import { chown, mkdir, readlink } from 'node:fs/promises'
import type { Held, Holding } from './holding.ts'
import { PathProblem, problemFromSystem, showPath } from './path-problem.ts'

export type Kind = 'file' | 'folder' | 'link' | 'pipe' | 'socket' | 'device'

export class Folder {
  readonly held: Held
  readonly holding: Holding
  /** From the work folder; empty for the work folder itself. */
  readonly names: readonly string[]

  constructor(held: Held, holding: Holding, names: readonly string[]) {
    this.held = held
    this.holding = holding
    this.names = names
  }

  /** A path that leads to this name in this very folder. */
  at(name: string): string {
    return `${this.held.path}/${name}`
  }

  pathOf(name: string): string {
    return [...this.names, name].join('/')
  }

  /** What is there under this name; null where nothing is. The caller closes it. */
  async look(name: string): Promise<Held | null> {
    try {
      return await this.holding.hold(this.at(name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw problemFromSystem(error, this.pathOf(name))
    }
  }

  /** Where a link leads; null where it is no link any more. */
  async readLink(name: string): Promise<string | null> {
    try {
      return await readlink(this.at(name))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EINVAL' || code === 'ENOENT') return null
      throw problemFromSystem(error, this.pathOf(name))
    }
  }

  /** A folder that is made by us is its parent's owner's: programs in the sandbox do not run as root. */
  async makeFolder(name: string): Promise<void> {
    checkNewName(name)
    try {
      await this.holding.verify(this.held, this.pathOf(name))
      await mkdir(this.at(name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
      throw problemFromSystem(error, this.pathOf(name))
    }
    const made = await this.look(name)
    if (!made) return
    try {
      if (kindOf(made.stat) !== 'folder' || !isOurs(made.stat)) return
      await chown(made.path, this.held.stat.uid, this.held.stat.gid)
    } finally {
      await made.close()
    }
  }

  close(): Promise<void> {
    return this.held.close()
  }
}

/** Made by root, for somebody else. */
const isOurs = (stat: Stats) => process.getuid?.() === 0 && stat.uid === 0

export function kindOf(stat: Stats): Kind {
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'folder'
  if (stat.isSymbolicLink()) return 'link'
  if (stat.isFIFO()) return 'pipe'
  return stat.isSocket() ? 'socket' : 'device'
}

/** A name with a backslash is legal, and almost always a path meant for another system. */
export function checkNewName(name: string): void {
  if (name.includes('\\'))
    throw new PathProblem(
      'malformed',
      `The new name ${showPath(name)} has a backslash. Write / between folders: ${showPath(name.replaceAll('\\', '/'))}.`,
    )
}
