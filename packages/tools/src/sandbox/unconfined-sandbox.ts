// Where the machine has no sandbox. A program runs under its limits, in a process group, without our environment, and
// (as root) under an account without rights; but it reads what this account reads and reaches what the machine reaches.
// Tools that promise more ask for `kind` first.

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { limitCommand } from './bubblewrap-command.ts'
import { checkRequest, isReachable } from './check-request.ts'
import { runProgram } from './run-program.ts'
import { type ProgramEnd, type ProgramRequest, type Sandbox, SandboxProblem } from './sandbox.ts'
import { sandboxAccount } from './sandbox-account.ts'

export interface UnconfinedPrograms {
  prlimit: string | null
  setpriv: string | null
}

/** By which all that a program started is found again, also what left its process group (`setsid`). */
const marker = 'QM_PROGRAM'

export class UnconfinedSandbox implements Sandbox {
  readonly kind = 'none'
  readonly #programs: UnconfinedPrograms

  constructor(programs: UnconfinedPrograms) {
    this.#programs = programs
  }

  async run(request: ProgramRequest): Promise<ProgramEnd> {
    if (typeof request.network === 'object')
      throw new SandboxProblem(
        'This machine has no sandbox, so a program cannot be held to a list of hosts. Install bubblewrap, or allow all hosts.',
      )
    checkRequest(request)
    const id = randomBytes(12).toString('hex')
    const { end } = await runProgram(request, {
      command: [...this.#before(request), ...request.command] as [string, ...string[]],
      cwd: request.cwd,
      environment: { ...request.environment, [marker]: id },
      more: [],
      sweep: (_read, group) => killMarked(id, group),
      targets: (_read, group) => [-group],
    })
    return end
  }

  /** What is put before the program, as far as this system has it. */
  #before(request: ProgramRequest): string[] {
    const { prlimit, setpriv } = this.#programs
    const account = sandboxAccount()
    if (account && !setpriv)
      throw new SandboxProblem('Programs are not run as root, and setpriv (package util-linux) is not installed.')
    if (account && !isReachable(`${request.cwd}/.`, account))
      throw new SandboxProblem(
        `Programs are not run as root, and the account they run under cannot get to ${JSON.stringify(request.cwd)}.`,
      )
    const drop = account ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : []
    return [
      // Without us there is nobody who would end it.
      ...(setpriv ? [setpriv, ...drop, '--no-new-privs', '--pdeathsig', 'KILL', '--'] : []),
      ...(prlimit ? limitCommand(prlimit, request.limits) : []),
    ]
  }
}

/** True when nothing was left to kill. A program that also hides its environment gets away: that is why it is "none". */
function killMarked(id: string, group: number): boolean {
  const found = process.platform === 'linux' ? findMarked(`${marker}=${id}`) : []
  for (const pid of group > 0 ? [-group, ...found] : found)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone meanwhile.
    }
  return found.length === 0
}

function findMarked(entry: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        // What is dead but not collected has no environment any more.
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(entry)
      } catch {
        return false
      }
    })
}
