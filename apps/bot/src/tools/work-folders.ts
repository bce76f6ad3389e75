import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sandboxAccount, type WorkFolders } from '@quartermaster/tools'

/**
 * One folder a workspace, below `root`. Where programs run under an account of their own, the folder is that account's
 * and ours as root; nobody else gets in. It is looked at once a process: what agents do in it changes neither.
 */
export function createWorkFolders(root: string): WorkFolders {
  const ready = new Map<string, Promise<string>>()
  return {
    folderOf({ workspaceId }) {
      // It becomes a name on the disk, so it must be one and nothing more.
      if (!/^[\w-]{1,100}$/.test(workspaceId)) throw new Error('a workspace has no such id')
      let folder = ready.get(workspaceId)
      if (!folder) {
        folder = prepare(root, workspaceId)
        ready.set(workspaceId, folder)
        // A full disk today must not refuse the folder for ever.
        folder.catch(() => ready.delete(workspaceId))
      }
      return folder
    },
  }
}

async function prepare(root: string, workspaceId: string): Promise<string> {
  const account = sandboxAccount()
  // Others may pass through it to their own, and see nothing.
  await mkdir(root, { recursive: true, mode: account ? 0o711 : 0o700 })
  const path = join(root, workspaceId)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const found = await lstat(path)
  if (!found.isDirectory()) throw new Error(`${path} is not a folder`)
  if (account && (found.uid !== account.uid || found.gid !== account.gid)) await chown(path, account.uid, account.gid)
  if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700)
  return path
}
