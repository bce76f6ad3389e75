// The folder that an agent's tools may use, held for the time of a call. Nothing that is asked of it leads out of it,
// whatever the path says and whatever is renamed meanwhile.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, realpath } from 'node:fs/promises'
import { missing, nameOf, notAFile } from './describe-place.ts'
import { findPlace, type Place, type Start } from './find-place.ts'
import { Folder } from './folder.ts'
import { chooseHolding, type Holding } from './holding.ts'
import { sweepLeftovers } from './leftovers.ts'
import { PathProblem, problemFromSystem, showPath } from './path-problem.ts'
import { type ReplaceOptions, replaceFile } from './replace-file.ts'

export interface OpenFile {
  handle: FileHandle
  stat: Stats
  /** From the work folder, links resolved. */
  path: string
}

export class WorkFolder {
  /** Absolute, links resolved. */
  readonly path: string
  readonly #start: Start
  /** Folders that were cleared of leftovers: once a call, not once a file. */
  readonly #swept = new Set<string>()

  private constructor(path: string, start: Start) {
    this.path = path
    this.#start = start
  }

  /** Opens the folder for as long as `use` takes. */
  static async use<Result>(
    path: string,
    use: (folder: WorkFolder) => Promise<Result>,
    holding: Holding = chooseHolding(),
  ): Promise<Result> {
    // The installation chose this path, so its own links are followed.
    const real = await realpath(path)
    const held = await holding.hold(real)
    try {
      if (!held.stat.isDirectory()) throw new PathProblem('not-a-folder', `The work folder ${path} is not a folder.`)
      const root = new Folder(held, holding, [])
      return await use(new WorkFolder(real, { root, rootNames: [...new Set([real, path])] }))
    } finally {
      await held.close()
    }
  }

  /** Where a path leads. The place is held until `use` ends. */
  async place<Result>(
    path: string,
    use: (place: Place) => Promise<Result>,
    options: { createParents?: boolean } = {},
  ): Promise<Result> {
    return findPlace(this.#start, path, options, use)
  }

  /** A regular file, open for reading, until `use` ends. */
  async file<Result>(path: string, use: (file: OpenFile) => Promise<Result>): Promise<Result> {
    return this.place(path, async (place) => {
      if (place.kind !== 'file') throw notAFile(place)
      let handle: FileHandle
      try {
        handle = await place.folder.holding.reopen(place.held, constants.O_RDONLY, place.path)
      } catch (error) {
        throw problemFromSystem(error, place.path)
      }
      try {
        return await use({ handle, stat: await handle.stat(), path: place.path })
      } finally {
        await handle.close()
      }
    })
  }

  /** A folder, until `use` ends. */
  async folder<Result>(path: string, use: (folder: Folder, path: string) => Promise<Result>): Promise<Result> {
    return this.place(path, async (place) => {
      if (place.kind === 'folder') return use(place.folder, place.path)
      if (place.kind === 'missing') throw missing(place.path)
      throw new PathProblem('not-a-folder', `${showPath(place.path)} is ${nameOf[place.kind]}, not a folder.`)
    })
  }

  /** Puts a file there as a whole or not at all; folders on the way are made. */
  async replace(path: string, content: Uint8Array, options: ReplaceOptions = {}) {
    const put = async (place: Place) => {
      const replaced = await replaceFile(place, content, options)
      await this.#sweep(place.folder)
      return replaced
    }
    return this.place(path, put, { createParents: true })
  }

  async #sweep(folder: Folder): Promise<void> {
    const which = `${folder.held.stat.dev}:${folder.held.stat.ino}`
    if (this.#swept.has(which)) return
    this.#swept.add(which)
    await sweepLeftovers(folder)
  }
}
