// The workspace's work folder as the console can reach it: it is another process than the bot, perhaps on another
// machine, and then there is nothing to see here, which is said and not guessed around.
import { lstat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { data } from './data.ts'
import { runtime } from './runtime.ts'

export type WorkFolderState =
  | { state: 'there'; path: string }
  /** `elsewhere`: the hosts of the bots that are alive, where none of them is this machine. */
  | { state: 'missing' | 'denied'; path: string; host: string; elsewhere: string[] }

export async function findWorkFolder(workspaceId: string): Promise<WorkFolderState> {
  // It becomes a name on the disk, so it must be one and nothing more.
  if (!/^[\w-]{1,100}$/.test(workspaceId)) throw new Error('a workspace has no such id')
  const path = join(runtime().env.workspaceRoot, workspaceId)
  const host = hostname()
  try {
    const found = await lstat(path)
    if (found.isDirectory()) return { state: 'there', path }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') return { state: 'denied', path, host, elsewhere: [] }
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
  }
  const bots = (await data.listProcesses(runtime().db)).filter(({ kind }) => kind === 'bot')
  const hosts = [...new Set(bots.map((bot) => bot.host))]
  return { state: 'missing', path, host, elsewhere: hosts.includes(host) ? [] : hosts }
}
