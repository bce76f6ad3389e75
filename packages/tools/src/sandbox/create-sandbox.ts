import { existsSync } from 'node:fs'
import { BubblewrapSandbox } from './bubblewrap-sandbox.ts'
import type { SandboxFinding } from './detect-sandbox.ts'
import { HostListSandbox } from './host-list-sandbox.ts'
import type { ProgramRequest, Sandbox } from './sandbox.ts'
import { UnconfinedSandbox } from './unconfined-sandbox.ts'

/**
 * The sandbox of this machine: bubblewrap where it works, with sandbox-runtime's proxy for requests with a list of
 * hosts; none where it does not, which refuses such requests.
 */
export function createSandbox(finding: SandboxFinding): Sandbox {
  if (finding.kind === 'none' || !finding.programs) {
    const find = (path: string) => (existsSync(path) ? path : null)
    return new UnconfinedSandbox({ prlimit: find('/usr/bin/prlimit'), setpriv: find('/usr/bin/setpriv') })
  }
  const bubblewrap = new BubblewrapSandbox(finding.programs)
  const hostList = new HostListSandbox(finding.programs)
  return {
    kind: bubblewrap.kind,
    run: (request: ProgramRequest) => (typeof request.network === 'object' ? hostList : bubblewrap).run(request),
  }
}
