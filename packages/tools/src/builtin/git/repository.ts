// A git repository in the work folder. A repository can name programs that git runs for it: hooks, filters, a monitor, a
// pager, diff drivers. Whoever can write a file there could start a program by asking for the status. So all of them are
// off, and git runs in the sandbox, without network; where it only reads, it cannot write either.
import { dirname } from 'node:path'
import { PathProblem, showPath, type WorkFolder } from '../../guard/paths/index.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'

/** A sentence for the model. */
export class GitProblem extends Error {}

export interface Repository {
  run(args: readonly string[], options?: GitOptions): Promise<GitEnd>
  /** What the repository's own configuration says. */
  setting(name: string): string | undefined
  /** Absolute; where git runs. */
  folder: string
}

export interface GitOptions {
  /** Whether git may change the work folder. */
  writes?: boolean
  input?: string
  environment?: Readonly<Record<string, string>>
  /** Bytes of standard output; past them git is ended. */
  mostBytes?: number
}

export interface GitEnd {
  exitCode: number | null
  stdout: string
  stderr: string
  /** There was more than `mostBytes`. */
  isCut: boolean
}

const limits = {
  wallClockMs: 60_000,
  cpuSeconds: 120,
  memoryBytes: 2 * 1024 ** 3,
  processes: 64,
  fileBytes: 1024 ** 3,
  openFiles: 1_024,
}
const usualBytes = 4 * 1024 * 1024
const complaintBytes = 16 * 1024

type Settings = readonly (readonly [name: string, value: string])[]

const safeSettings: Settings = [
  // The folder belongs to the sandbox's account, or to whoever put it there.
  ['safe.directory', '*'],
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.quotePath', 'false'],
  ['core.sshCommand', 'false'],
  ['core.untrackedCache', 'false'],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['diff.submodule', 'short'],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['commit.gpgSign', 'false'],
  ['commit.template', ''],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['status.submoduleSummary', 'false'],
  ['protocol.allow', 'never'],
]

/** Opens the repository that `path` is in. Throws a GitProblem, a PathProblem or a SandboxProblem. */
export async function openRepository(
  sandbox: Sandbox,
  work: WorkFolder,
  path: string,
  signal: AbortSignal,
): Promise<Repository> {
  const inside = await work.folder(path, async (_folder, found) => found)
  if (inside.split('/').includes('.git')) throw new PathProblem('denied', `${showPath(path)} is git's own folder.`)
  const folder = inside === '.' ? work.path : `${work.path}/${inside}`
  const run = (settings: Settings) => (args: readonly string[], options?: GitOptions) =>
    runGit(sandbox, work.path, folder, settings, args, options ?? {}, signal)

  const first = run(safeSettings)
  const found = await first(['rev-parse', '--is-inside-work-tree'])
  if (found.exitCode !== 0 || found.stdout.trim() !== 'true') throw notARepository(path, found)
  const listed = await first(['config', '--list', '-z'])
  if (listed.exitCode !== 0) throw new GitProblem(complaintOf(listed))
  const settings = new Map(listed.stdout.split('\0').map(splitSetting))
  return {
    run: run([...safeSettings, ...turnOff(settings.keys())]),
    setting: (name) => settings.get(name),
    folder,
  }
}

function notARepository(path: string, { stderr }: GitEnd): GitProblem {
  if (stderr !== '' && !/not a git repository|must be run in a work tree/i.test(stderr))
    return new GitProblem(`Git cannot use ${showPath(path)}: ${stderr.trim().split('\n')[0]}`)
  return new GitProblem(
    `${showPath(path)} is not in a git repository of the work folder. Give path, or make one with shell.exec (git init).`,
  )
}

function splitSetting(entry: string): [name: string, value: string] {
  const at = entry.indexOf('\n')
  return at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)]
}

/** Programs under names that the repository chose. An empty program is none. */
function turnOff(names: Iterable<string>): [name: string, value: string][] {
  const off = new Map<string, string>()
  for (const name of names) {
    const filter = /^(filter\..+)\.(?:clean|smudge|process|required)$/s.exec(name)?.[1]
    if (filter !== undefined) {
      for (const program of ['clean', 'smudge', 'process']) off.set(`${filter}.${program}`, '')
      off.set(`${filter}.required`, 'false')
    }
    const hook = /^(hook\..+)\.[^.]+$/s.exec(name)?.[1]
    if (hook !== undefined) {
      off.set(`${hook}.enabled`, 'false')
      off.set(`${hook}.command`, 'false')
    }
    if (/^diff\..+\.(?:command|textconv)$/s.test(name) || /^trailer\..+\.(?:command|cmd)$/s.test(name))
      off.set(name, '')
  }
  return [...off]
}

async function runGit(
  sandbox: Sandbox,
  root: string,
  cwd: string,
  settings: Settings,
  args: readonly string[],
  { writes = false, input, environment = {}, mostBytes = usualBytes }: GitOptions,
  signal: AbortSignal,
): Promise<GitEnd> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  let [outBytes, errBytes] = [0, 0]
  const end = await sandbox.run({
    command: ['git', '--no-pager', '--literal-pathspecs', ...args],
    cwd,
    environment: { ...environmentOf(root, settings, writes), ...environment },
    ...(writes ? { writePaths: [root] } : { readPaths: [root] }),
    network: 'none',
    limits,
    ...(input === undefined ? {} : { input }),
    signal,
    onOutput(stream, chunk) {
      if (stream === 'stderr') {
        if (errBytes < complaintBytes) err.push(Buffer.from(chunk))
        errBytes += chunk.byteLength
        return true
      }
      outBytes += chunk.byteLength
      out.push(Buffer.from(chunk))
      return outBytes <= mostBytes
    },
  })
  signal.throwIfAborted()
  if (end.endedBy === 'timeout') throw new GitProblem(`Git did not end within ${limits.wallClockMs / 1_000} s.`)
  return {
    exitCode: end.exitCode,
    stdout: Buffer.concat(out).subarray(0, mostBytes).toString(),
    stderr: Buffer.concat(err).toString(),
    isCut: end.endedBy === 'output',
  }
}

function environmentOf(root: string, settings: Settings, writes: boolean): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'false',
    // A repository above the work folder is somebody else's.
    GIT_CEILING_DIRECTORIES: dirname(root),
    GIT_OPTIONAL_LOCKS: writes ? '1' : '0',
    GIT_CONFIG_COUNT: String(settings.length),
  }
  for (const [index, [name, value]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = name
    environment[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return environment
}

/** What git said, without its `fatal:`. */
export function complaintOf({ stderr, stdout, exitCode }: GitEnd): string {
  const said = (stderr.trim() || stdout.trim()).replace(/^(?:fatal|error): /gm, '')
  return said === '' ? `Git ended with ${exitCode ?? 'a signal'} and said nothing.` : said.slice(0, 4_000)
}
