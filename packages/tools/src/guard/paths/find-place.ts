// Walks a path name by name, each looked up in the folder that is held before it. Links are followed by us, so that one
// that leaves the work folder is seen; the system is never asked to follow one.
import { Folder, type Kind, kindOf } from './folder.ts'
import type { Held } from './holding.ts'
import { parsePath, pathLimits } from './parse-path.ts'
import { PathProblem, showPath } from './path-problem.ts'

/** Where a path leads: a folder, or a name in a folder with what is there now. */
export type Place =
  | { kind: 'folder'; folder: Folder; path: string }
  | { kind: 'missing'; folder: Folder; name: string; path: string }
  | { kind: Exclude<Kind, 'folder' | 'link'>; folder: Folder; name: string; path: string; held: Held }

/** Retries of one walk where names change under it; more means that somebody is at it on purpose. */
const mostChanges = 20

export interface Start {
  root: Folder
  rootNames: readonly string[]
}

/** Calls `use` with the place, and lets go of everything that was held on the way afterwards. */
export async function findPlace<Result>(
  start: Start,
  text: string,
  options: { createParents?: boolean },
  use: (place: Place) => Promise<Result>,
): Promise<Result> {
  const walk = new Walk(start, text)
  try {
    return await use(await walk.run(options.createParents ?? false))
  } finally {
    await walk.close()
  }
}

class Walk {
  readonly #start: Start
  readonly #text: string
  readonly #folders: Folder[] = []
  #last: Held | null = null
  #links = 0
  #changes = 0

  constructor(start: Start, text: string) {
    this.#start = start
    this.#text = text
  }

  get #folder(): Folder {
    return this.#folders.at(-1) ?? this.#start.root
  }

  async run(createParents: boolean): Promise<Place> {
    // Read from its end: a link puts its own names in front of what is left.
    const left = parsePath(this.#text, this.#start.rootNames).reverse()
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const folder = this.#folder
      if (name === '..') {
        await this.#leave()
        continue
      }
      const path = folder.pathOf(name)
      this.#last = await folder.look(name)
      if (this.#last === null) {
        if (left.length === 0) return { kind: 'missing', folder, name, path }
        if (!createParents || left.includes('..')) throw missing(path)
        await folder.makeFolder(name)
        this.#countChange()
        left.push(name)
        continue
      }
      const kind = kindOf(this.#last.stat)
      if (kind === 'folder') await this.#enter(name)
      else if (kind === 'link') await this.#follow(name, left)
      else if (left.length === 0) return { kind, folder, name, path, held: this.#last }
      else throw new PathProblem('not-a-folder', `${showPath(path)} is not a folder, so nothing is in it.`)
    }
    return { kind: 'folder', folder: this.#folder, path: this.#folder.names.join('/') || '.' }
  }

  async close(): Promise<void> {
    await this.#last?.close()
    await Promise.all(this.#folders.map((folder) => folder.close()))
  }

  async #enter(name: string): Promise<void> {
    if (this.#folders.length >= pathLimits.depth)
      throw new PathProblem('malformed', `${showPath(this.#text)} is deeper than ${pathLimits.depth} folders.`)
    const { holding, names } = this.#folder
    this.#folders.push(new Folder(this.#last!, holding, [...names, name]))
    this.#last = null
  }

  async #leave(): Promise<void> {
    const folder = this.#folders.pop()
    if (!folder) throw this.#outside()
    await folder.close()
  }

  async #follow(name: string, left: string[]): Promise<void> {
    await this.#last?.close()
    this.#last = null
    this.#links++
    if (this.#links > pathLimits.links)
      throw new PathProblem(
        'loop',
        `${showPath(this.#text)} goes through more than ${pathLimits.links} links: they lead in a circle.`,
      )
    const target = await this.#folder.readLink(name)
    if (target === null) {
      this.#countChange()
      left.push(name)
      return
    }
    let names: string[]
    try {
      names = parsePath(target, this.#start.rootNames)
    } catch (error) {
      throw error instanceof PathProblem && error.code === 'outside' ? this.#outside() : error
    }
    if (target.startsWith('/')) for (const folder of this.#folders.splice(0)) await folder.close()
    left.push(...names.reverse())
  }

  #countChange(): void {
    // Made folders count as well: there are at most as many as names.
    if (++this.#changes > mostChanges + pathLimits.depth)
      throw new PathProblem('changed', `${showPath(this.#text)} keeps changing while it is looked up. Try again.`)
  }

  #outside(): PathProblem {
    return new PathProblem(
      'outside',
      `${showPath(this.#text)} leads out of the work folder. Only what is in the work folder can be used.`,
    )
  }
}

function missing(path: string): PathProblem {
  const hint = path.includes('\\') ? 'Write / between folders.' : 'Look with file.list.'
  return new PathProblem('missing', `There is no folder ${showPath(path)}. ${hint}`)
}
