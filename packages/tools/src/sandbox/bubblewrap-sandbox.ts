import { readFileSync } from 'node:fs'
import { composeBubblewrap, insideAccount, type SandboxPrograms } from './bubblewrap-command.ts'
import { checkRequest } from './check-request.ts'
import { runProgram } from './run-program.ts'
import { type ProgramEnd, type ProgramRequest, type Sandbox, SandboxProblem } from './sandbox.ts'
import { sandboxAccount } from './sandbox-account.ts'
import { seccompFilter } from './seccomp-filter.ts'
import { UnnamedFile } from './unnamed-file.ts'

const { uid, gid, name } = insideAccount
const passwd = new UnnamedFile(`root:x:0:0::/:/bin/sh\n${name}:x:${uid}:${gid}::/tmp:/bin/sh\n`)
const group = new UnnamedFile(`root:x:0:\n${name}:x:${gid}:\n`)
const filter = seccompFilter()
const seccomp = filter && new UnnamedFile(filter)

/** Something that a request is given besides what it says. */
export interface BubblewrapExtras {
  /** More of bwrap's arguments. */
  arguments: readonly string[]
  /** Put before the program, without its limits. */
  wrapper: readonly string[]
}

export class BubblewrapSandbox implements Sandbox {
  readonly kind = 'bubblewrap'
  readonly #programs: SandboxPrograms

  constructor(programs: SandboxPrograms) {
    this.#programs = programs
  }

  async run(request: ProgramRequest): Promise<ProgramEnd> {
    if (typeof request.network === 'object')
      throw new SandboxProblem('Bubblewrap alone opens the network to all hosts or to none.')
    return runInBubblewrap(this.#programs, request)
  }
}

export async function runInBubblewrap(
  programs: SandboxPrograms,
  request: ProgramRequest,
  extras: BubblewrapExtras = { arguments: [], wrapper: [] },
): Promise<ProgramEnd> {
  const { command, hidden } = composeBubblewrap(request, checkRequest(request), {
    programs,
    account: sandboxAccount(),
    withSeccomp: seccomp !== null,
    more: extras.arguments,
    wrapper: extras.wrapper,
  })
  const { end, read, firstErrors } = await runProgram(request, {
    command,
    cwd: '/',
    environment: {},
    more: [
      'read',
      { write: hidden.map((argument) => `${argument}\0`).join('') },
      { file: passwd.open() },
      { file: group.open() },
      ...(seccomp ? [{ file: seccomp.open() }] : []),
    ],
    sweep: ([status = '']) => isGone(firstProcess(status)),
    targets: ([status = '']) => childrenOf(firstProcess(status)),
  })
  // bwrap says how the program ended only if it got as far as starting it.
  if (end.endedBy === null && !read[0]?.includes('"exit-code"'))
    throw new SandboxProblem(`The sandbox could not be set up: ${reasonOf(firstErrors)}.`)
  return end
}

/** The process that all others inside go with; null where bwrap did not come so far. */
function firstProcess(status: string): number | null {
  const found = /"child-pid": (\d+)/.exec(status)
  return found ? Number(found[1]) : null
}

/** All that were started by a process, themselves or through others. */
function childrenOf(pid: number | null): number[] {
  if (pid === null) return []
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return children === '' ? [] : children.split(' ').flatMap((child) => [Number(child), ...childrenOf(Number(child))])
  } catch {
    return [] // It is gone.
  }
}

/** A process that nobody has collected yet (a container without an init) does nothing any more. */
function isGone(pid: number | null): boolean {
  if (pid === null) return true
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

function reasonOf(errors: string): string {
  const line = errors.trim().split('\n').at(-1) ?? ''
  return line.replace(/^bwrap: /, '').replace(/\.$/, '') || 'bwrap ended without a word'
}
