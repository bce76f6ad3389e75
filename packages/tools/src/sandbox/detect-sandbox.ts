// Whether programs can be shut in on this machine. A `bwrap` that is there may still not work (no user namespaces in
// a container, AppArmor, an old kernel), so it is tried with the very flags that tools would run under.
import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface SandboxFinding {
  kind: 'bubblewrap' | 'none'
  /** One sentence on what was found. */
  detail: string
  /** What to do about it; null when there is nothing to do. */
  fix: string | null
}

export interface DetectSandboxOptions {
  /** Where programs are looked for; the system's usual folders if not said. */
  folders?: string[]
  signal?: AbortSignal
}

const usualFolders = ['/usr/bin', '/bin', '/usr/local/bin']
/** The account `nobody`: as root, programs run under an account without rights before bwrap does anything. */
const nobody = '65534'
const trialMs = 5_000

export async function detectSandbox(options: DetectSandboxOptions = {}): Promise<SandboxFinding> {
  if (process.platform !== 'linux')
    return none(
      `Bubblewrap needs Linux, and this is ${process.platform}.`,
      'Run the bot on Linux or in a Linux container',
    )
  const folders = options.folders ?? usualFolders
  const find = (name: string) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  const bwrap = find('bwrap')
  if (!bwrap) return none('bwrap is not installed.', 'Install the package "bubblewrap" (apt install bubblewrap)')
  const prlimit = find('prlimit') ?? '/usr/bin/prlimit'
  const setpriv = find('setpriv')
  const isRoot = process.getuid?.() === 0
  if (!existsSync(prlimit) || (isRoot && !setpriv))
    return none(
      `bwrap is installed, but ${existsSync(prlimit) ? 'setpriv' : 'prlimit'} is not.`,
      'Install the package "util-linux" (apt install util-linux)',
    )

  const command = [
    ...(isRoot && setpriv ? [setpriv, `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : []),
    bwrap,
    ...isolation,
    ...systemFolders(),
    ...[prlimit, '--as=536870912', '--cpu=5', '--nproc=64', '--nofile=256', '--fsize=1048576', '--', '/usr/bin/true'],
  ]
  const [program = '', ...args] = command
  try {
    await promisify(execFile)(program, args, {
      timeout: trialMs,
      killSignal: 'SIGKILL',
      signal: options.signal,
      env: {} as NodeJS.ProcessEnv,
    })
    return { kind: 'bubblewrap', detail: 'Bubblewrap works: tools can run shut in.', fix: null }
  } catch (error) {
    return none(
      `bwrap is installed but does not work here: ${reasonOf(error)}.`,
      'Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0), or give the container the right to make them',
    )
  }
}

/** The flags of SECURITY.md: no namespace shared, none to be made inside, no capability, no environment. */
const isolation = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--die-with-parent'],
  ...['--new-session', '--clearenv', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
]

/** The folders that every program needs, read-only; as links where this system has links. */
function systemFolders(): string[] {
  const args = ['--ro-bind', '/usr', '/usr']
  for (const path of ['/bin', '/sbin', '/lib', '/lib64']) {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) args.push('--symlink', readlinkSync(path), path)
    else if (stat) args.push('--ro-bind', path, path)
  }
  return args
}

const none = (detail: string, fix: string): SandboxFinding => ({ kind: 'none', detail, fix })

function reasonOf(error: unknown): string {
  const { stderr, killed, message } = error as { stderr?: string; killed?: boolean; message: string }
  if (killed) return `it did not answer within ${trialMs / 1000} s`
  const line = stderr?.trim().split('\n').at(-1)
  return (line || message.split('\n')[0] || 'it failed').replace(/\.$/, '')
}
