// Whether programs can be shut in on this machine. A `bwrap` that is there may still not work (no user namespaces in
// a container, AppArmor, an old kernel), so it is tried with the very flags that tools would run under.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isolation, limitCommand, type SandboxPrograms } from './bubblewrap-command.ts'
import { sandboxAccount } from './sandbox-account.ts'
import { systemFolders } from './system-folders.ts'

export interface SandboxFinding {
  kind: 'bubblewrap' | 'none'
  /** One sentence on what was found. */
  detail: string
  /** What to do about it; null when there is nothing to do. */
  fix: string | null
  /** What to start, where it works. */
  programs?: SandboxPrograms
}

export interface DetectSandboxOptions {
  /** Where programs are looked for; the system's usual folders if not said. */
  folders?: string[]
  signal?: AbortSignal
}

const usualFolders = ['/usr/bin', '/bin', '/usr/local/bin']
const trialMs = 5_000
const trialLimits = {
  wallClockMs: trialMs,
  cpuSeconds: 5,
  memoryBytes: 512 * 1024 * 1024,
  processes: 64,
  fileBytes: 1024 * 1024,
  openFiles: 256,
}

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
  const setpriv = find('setpriv') ?? null
  const account = sandboxAccount()
  if (!existsSync(prlimit) || (account && !setpriv))
    return none(
      `bwrap is installed, but ${existsSync(prlimit) ? 'setpriv' : 'prlimit'} is not.`,
      'Install the package "util-linux" (apt install util-linux)',
    )

  const command = [
    ...(account && setpriv
      ? [setpriv, `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--']
      : []),
    ...[
      bwrap,
      ...isolation,
      ...systemFolders(),
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--size',
      '1048576',
      '--tmpfs',
      '/tmp',
    ],
    ...['--remount-ro', '/', ...limitCommand(prlimit, trialLimits), '/usr/bin/true'],
  ]
  const [program = '', ...args] = command
  try {
    await promisify(execFile)(program, args, {
      timeout: trialMs,
      killSignal: 'SIGKILL',
      signal: options.signal,
      env: {} as NodeJS.ProcessEnv,
    })
    const programs = { bwrap, prlimit, setpriv }
    return { kind: 'bubblewrap', detail: 'Bubblewrap works: programs run shut in.', fix: null, programs }
  } catch (error) {
    return none(
      `bwrap is installed but does not work here: ${reasonOf(error)}.`,
      'Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0), or give the container the right to make them',
    )
  }
}

const none = (detail: string, fix: string): SandboxFinding => ({ kind: 'none', detail, fix })

function reasonOf(error: unknown): string {
  const { stderr, killed, message } = error as { stderr?: string; killed?: boolean; message: string }
  if (killed) return `it did not answer within ${trialMs / 1000} s`
  const line = stderr?.trim().split('\n').at(-1)
  return (line || message.split('\n')[0] || 'it failed').replace(/\.$/, '')
}
