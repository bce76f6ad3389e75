// In which folder a command runs: where the last command of the conversation ended, unless the call says otherwise. It is
// kept relative to the work folder, because the next call may run on another machine.
import { realpath, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { ConversationNotes } from '../../ports/conversation-notes.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'

const note = 'shell.directory'

export interface DirectoryCaller {
  workspaceId: string
  conversationId: string
  agentId: string
}

export class WorkingDirectory {
  readonly #folders: WorkFolders
  readonly #notes: ConversationNotes

  constructor(folders: WorkFolders, notes: ConversationNotes) {
    this.#folders = folders
    this.#notes = notes
  }

  /** The work folder itself, over no symbolic link: a sandbox opens nothing that lies behind one. */
  async root(caller: DirectoryCaller): Promise<string> {
    return realpath(await this.#folders.folderOf(caller))
  }

  /**
   * The folder to run in, inside the work folder and there: where it lies on this machine, and from the work folder (`.`
   * for that itself). What is asked for is from the work folder as with the file tools, and never from where the last
   * command ended: what was approved must mean the same folder when it runs.
   */
  async resolve(
    asked: string | undefined,
    caller: DirectoryCaller,
  ): Promise<{ ok: true; path: string; relative: string } | { ok: false; problem: string }> {
    const root = await this.root(caller)
    const found = (path: string) => ({ ok: true as const, path, relative: relative(root, path) || '.' })
    if (asked === undefined) return found(await this.#kept(root, caller))
    const path = resolve(root, asked)
    const shown = JSON.stringify(asked)
    if (asked.includes('\0') || !isInside(root, path))
      return {
        ok: false,
        problem: `The folder ${shown} is outside of the work folder. Give a path inside of it, or none.`,
      }
    if (!(await isFolderInside(root, path)))
      return { ok: false, problem: `There is no folder ${shown} in the work folder. Make it first, or leave cwd out.` }
    return found(path)
  }

  /** Where a command ended; outside of the work folder (in /tmp, which is gone by then) it is forgotten. */
  async keep(path: string, caller: DirectoryCaller): Promise<void> {
    const root = await this.root(caller)
    const value = isInside(root, path) ? relative(root, path) : null
    const before = await this.#notes.read(caller.conversationId, note)
    if ((before ?? '') !== (value ?? '')) await this.#notes.write(caller.conversationId, note, value)
  }

  async #kept(root: string, caller: DirectoryCaller): Promise<string> {
    const value = await this.#notes.read(caller.conversationId, note)
    if (typeof value !== 'string') return root
    const path = join(root, value)
    return isInside(root, path) && (await isFolderInside(root, path)) ? path : root
  }
}

const isInside = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`)

async function isFolderInside(root: string, path: string): Promise<boolean> {
  try {
    return isInside(root, await realpath(path)) && (await stat(path)).isDirectory()
  } catch {
    return false
  }
}
