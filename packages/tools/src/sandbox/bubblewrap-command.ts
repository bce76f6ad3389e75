// The command line that shuts a program in. Every part of it was measured or escaped from without it; see docs/sandbox.md.
import { type CheckedPaths, isReachable } from './check-request.ts'
import type { ProgramLimits, ProgramRequest } from './sandbox.ts'
import type { SandboxAccount } from './sandbox-account.ts'
import { systemFolders, systemSettings } from './system-folders.ts'

/** Where the programs lie that we put before the one that was asked for. */
export interface SandboxPrograms {
  bwrap: string
  prlimit: string
  /** Only root needs it. */
  setpriv: string | null
}

/** The numbers under which bwrap finds what it is given as open files. */
export const openFiles = { status: 3, arguments: 4, passwd: 5, group: 6, seccomp: 7 } as const

/** Whom a program takes itself for. */
export const insideAccount = { uid: 1000, gid: 1000, name: 'agent' } as const

/** No namespace shared, none to be made inside, no capability, no environment, nothing left when we are gone. */
export const isolation = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--die-with-parent'],
  ...['--new-session', '--clearenv', '--hostname', 'sandbox'],
  ...['--uid', String(insideAccount.uid), '--gid', String(insideAccount.gid)],
] as const

export interface BubblewrapCommand {
  /** What everybody on the machine sees of it. */
  command: [string, ...string[]]
  /** What bwrap reads from `openFiles.arguments`: environment and paths are nobody's business. */
  hidden: string[]
}

export interface BubblewrapOptions {
  programs: SandboxPrograms
  account: SandboxAccount | null
  withSeccomp: boolean
  /** More of bwrap's arguments, and what is put before the program (a relay for the host list). */
  more?: readonly string[]
  wrapper?: readonly string[]
}

export function composeBubblewrap(
  request: ProgramRequest,
  paths: CheckedPaths,
  { programs, account, withSeccomp, more = [], wrapper = [] }: BubblewrapOptions,
): BubblewrapCommand {
  const staged = account ? [...paths.read, ...paths.write].filter((path) => !isReachable(path, account)) : []
  const sourceOf = (path: string) => (staged.includes(path) ? stageOf(staged.indexOf(path)) : path)
  const hidden = [
    ...isolation,
    ...(request.network === 'all' ? ['--share-net'] : []),
    ...systemFolders(),
    ...systemSettings(request.network !== 'none'),
    ...['--ro-bind-data', String(openFiles.passwd), '/etc/passwd'],
    ...['--ro-bind-data', String(openFiles.group), '/etc/group'],
    ...['--proc', '/proc', '--dev', '/dev'],
    // Memory files are memory: without a size they would be the way round the limit.
    ...['--size', String(memoryFileBytes(request.limits)), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ...['--size', String(memoryFileBytes(request.limits)), '--perms', '1777', '--tmpfs', '/tmp'],
    ...paths.read.flatMap((path) => ['--ro-bind', sourceOf(path), path]),
    // Last, so that a writable folder inside a readable one is writable.
    ...paths.write.flatMap((path) => ['--bind', sourceOf(path), path]),
    ...more,
    // What bwrap made to hang the others in would be memory without a limit as well.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', request.cwd],
    ...Object.entries(request.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(withSeccomp ? ['--seccomp', String(openFiles.seccomp)] : []),
  ]
  const inner = [
    programs.bwrap,
    ...['--json-status-fd', String(openFiles.status), '--args', String(openFiles.arguments), '--'],
    ...wrapper,
    ...limitCommand(programs.prlimit, request.limits),
    ...request.command,
  ]
  return { command: [...leaveRoot(programs, account, staged), ...inner] as [string, ...string[]], hidden }
}

/** Per process, all of them; how many there may be at once is counted for the whole sandbox. */
export function limitCommand(prlimit: string, limits: ProgramLimits): string[] {
  const { memoryBytes, cpuSeconds, processes, openFiles: files, fileBytes } = limits
  const round = (value: number) => String(Math.ceil(value))
  return [
    ...[prlimit, `--as=${round(memoryBytes)}`, `--cpu=${round(cpuSeconds)}`, `--nproc=${round(processes)}`],
    ...[`--nofile=${round(files)}`, `--fsize=${round(fileBytes)}`, '--core=0', '--'],
  ]
}

/**
 * As root: under an account without rights before bwrap does anything. A folder that this account cannot get to (below
 * /root, say) is first bound to a place where it can, in a mount namespace of this call alone. That place is /sys:
 * it is there on every system, and nothing inside needs what it hides.
 */
function leaveRoot(programs: SandboxPrograms, account: SandboxAccount | null, staged: readonly string[]): string[] {
  if (!account) return []
  const drop = [
    programs.setpriv ?? 'setpriv',
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    // From here until bwrap sees to it itself.
    ...['--pdeathsig', 'KILL', '--'],
  ]
  if (staged.length === 0) return drop
  const binds = staged.flatMap((path, index) => ['--bind', path, stageOf(index)])
  return [programs.bwrap, '--die-with-parent', '--dev-bind', '/', '/', '--tmpfs', '/sys', ...binds, '--', ...drop]
}

const stageOf = (index: number) => `/sys/${index}`

/** Bytes of /tmp and of /dev/shm together are at most what one program may have. */
const memoryFileBytes = (limits: ProgramLimits) => Math.ceil(Math.min(limits.memoryBytes / 2, 256 * 1024 * 1024))
