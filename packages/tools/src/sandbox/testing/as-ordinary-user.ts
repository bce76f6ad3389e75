import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isReachable } from '../check-request.ts'

/** Neither root nor the account of programs. */
const account = { uid: 48_240, gid: 48_240 }
const project = join(import.meta.dirname, '../../../../..')

/** Runs a script of ours under an account without rights, wherever the project lies, and returns what it prints. */
export async function runAsOrdinaryUser(script: string, ...args: string[]): Promise<string> {
  const drop = ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--']
  const folders = [project, dirname(process.execPath)]
  // Below /root nobody else gets to the project; it is put where they do, for this one process.
  const isHidden = folders.some((folder) => !isReachable(join(folder, 'x'), account))
  const placed = (path: string) => {
    const index = isHidden ? folders.findIndex((folder) => path.startsWith(`${folder}/`)) : -1
    return index < 0 ? path : path.replace(folders[index] ?? '', `/sys/${index}`)
  }
  const binds = folders.flatMap((folder, index) => ['--bind', folder, `/sys/${index}`])
  const stage = isHidden ? ['bwrap', '--dev-bind', '/', '/', '--tmpfs', '/sys', ...binds, '--'] : []
  const [file = '', ...rest] = [...stage, ...drop, placed(process.execPath), placed(script), ...args]
  const { stdout } = await promisify(execFile)(file, rest, {
    env: { PATH: '/usr/bin:/bin', HOME: '/tmp', TMPDIR: '/tmp' } as unknown as NodeJS.ProcessEnv,
    cwd: '/',
    timeout: 200_000,
    maxBuffer: 64 * 1024 ** 2,
  })
  return stdout
}
