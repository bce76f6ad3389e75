// What the `file.*` tools share.
import { posix } from 'node:path'
import { failed, type LeaseScope, type ToolResult } from '../../contract.ts'
import { PathProblem, quotePath, WorkFolder } from '../../guard/paths/index.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'

export const fileCommon = { category: 'filesystem', groups: ['fs'] } as const

/** Every limit of the `file.*` tools, with its unit and what happens at it. */
export const fileLimits = {
  /** Bytes of a text that is read at once; a larger one is read in parts. */
  readBytes: 256 * 1024,
  /** Bytes of a file that is read as base64; a larger one is refused. */
  base64Bytes: 190 * 1024,
  /** Bytes looked through for the line that was asked for; past them the call ends. */
  scanBytes: 2 * 1024 ** 3,
  /** Bytes of a file that is edited; a larger one is refused. */
  editBytes: 10 * 1024 * 1024,
  /** Entries of one page of a list. */
  listEntries: 1_000,
  /** Entries looked at for a glob or a batch; past them the call says that it did not see everything. */
  walkEntries: 500_000,
  /** Bytes of what a search found; past them it is ended. */
  grepBytes: 100 * 1024,
  /** Milliseconds of a search. */
  grepMs: 60_000,
  /** Files of one batch; more are refused. */
  batchFiles: 1_000,
  /** Bytes of a file that a batch transforms; a larger one is skipped, as the nodyn document has it. */
  batchFileBytes: 10 * 1024 * 1024,
  /** Bytes of all files of one batch; more are refused. */
  batchBytes: 200 * 1024 * 1024,
} as const

/** Calls `use` with the caller's work folder; what is wrong with a path becomes the result. */
export async function inWorkFolder(
  folders: WorkFolders,
  caller: { workspaceId: string; agentId: string },
  use: (folder: WorkFolder) => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await WorkFolder.use(await folders.folderOf(caller), use)
  } catch (error) {
    if (error instanceof PathProblem) return failed(error.message)
    throw error
  }
}

export const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

export function sizeOf(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1]
  return unit === 0 ? countOf(bytes, 'byte') : `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

/** Text of a file; null where the bytes are something else. A NUL byte is valid UTF-8, but nobody's text. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Not entered unless they are named: thousands of files that nobody wrote. */
export const closedFolders: ReadonlySet<string> = new Set(['.git', 'node_modules'])

/** "Approve for this thread" of a tool that changes a file speaks for the files of the same folder, and no others. */
export function leaseOfFolder(tool: string, path: string): LeaseScope {
  const folder = posix.dirname(posix.normalize(path))
  return {
    key: folder,
    words: `${tool} in ${folder === '.' ? 'the work folder itself' : `the folder ${quotePath(folder)}`}`,
  }
}
