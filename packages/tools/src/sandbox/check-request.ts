// What of a request can be said to be wrong before anything is started.
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, normalize } from 'node:path'
import { type ProgramLimits, type ProgramRequest, SandboxProblem } from './sandbox.ts'

/** Never bound from outside: the sandbox has its own, or none at all. */
const ownFolders = ['/proc', '/dev', '/sys', '/tmp']
/** Never writable, whatever the request says. */
const systemRoots = ['/usr', '/etc', '/bin', '/sbin', '/lib', '/lib64', '/boot', '/run', '/var/run']
/** Characters of one argument; the kernel takes no longer one. */
const argumentBytes = 128 * 1024 - 1
const argumentsBytes = 1024 * 1024

export interface CheckedPaths {
  read: readonly string[]
  write: readonly string[]
}

/** The paths to bind, each real and there. Throws a SandboxProblem. */
export function checkRequest(request: ProgramRequest): CheckedPaths {
  checkLimits(request.limits)
  checkCommand(request)
  if (!isAbsolute(request.cwd)) throw new SandboxProblem(`The folder ${quote(request.cwd)} is not an absolute path.`)
  const write = (request.writePaths ?? []).map((path) => checkPath(path, true))
  const read = (request.readPaths ?? []).map((path) => checkPath(path, false))
  return { read, write }
}

function checkLimits(limits: ProgramLimits): void {
  for (const [name, value] of Object.entries(limits))
    if (!Number.isFinite(value) || value <= 0) throw new SandboxProblem(`The limit ${name} must be a positive number.`)
}

function checkCommand({ command, environment }: ProgramRequest): void {
  if (!command[0]) throw new SandboxProblem('There is no program to start.')
  let total = 0
  for (const argument of command) {
    const bytes = Buffer.byteLength(argument)
    total += bytes
    if (argument.includes('\0')) throw new SandboxProblem('The command contains a NUL character.')
    if (bytes > argumentBytes || total > argumentsBytes)
      throw new SandboxProblem(
        `The command is too long: an argument may have ${argumentBytes} bytes. Put long input into a file.`,
      )
  }
  for (const [name, value] of Object.entries(environment)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new SandboxProblem(`${quote(name)} is not the name of an environment variable.`)
    if (value.includes('\0')) throw new SandboxProblem(`The environment variable ${name} contains a NUL character.`)
  }
}

function checkPath(path: string, writable: boolean): string {
  if (!isAbsolute(path) || path.includes('\0')) throw new SandboxProblem(`${quote(path)} is not an absolute path.`)
  const plain = normalize(path).replace(/(.)\/+$/, '$1')
  // The private folders of a test or of a work folder may lie in /tmp; /tmp itself is the sandbox's own.
  if (plain === '/' || ownFolders.includes(plain) || ownFolders.slice(0, 3).some((own) => plain.startsWith(`${own}/`)))
    throw new SandboxProblem(`${quote(path)} cannot be opened to a program: the sandbox has its own.`)
  if (writable && systemRoots.some((root) => plain === root || plain.startsWith(`${root}/`)))
    throw new SandboxProblem(`${quote(path)} belongs to the system and cannot be opened for writing.`)
  const stat = lstatSync(plain, { throwIfNoEntry: false })
  if (!stat) throw new SandboxProblem(`There is no ${quote(path)}.`)
  // Whoever can put a link there would choose what is opened.
  if (realpathSync(plain) !== plain)
    throw new SandboxProblem(`${quote(path)} leads over a symbolic link. Give the path that it leads to.`)
  if (!stat.isDirectory() && !stat.isFile()) throw new SandboxProblem(`${quote(path)} is neither a folder nor a file.`)
  return plain
}

/** Whether an account that owns nothing on the way can get to a path. */
export function isReachable(path: string, account: { uid: number; gid: number }): boolean {
  let folder = path
  while (folder !== '/') {
    folder = folder.slice(0, folder.lastIndexOf('/')) || '/'
    const { mode, uid, gid } = statSync(folder)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if (!(mode & bit)) return false
  }
  return true
}

const quote = (text: string) => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
