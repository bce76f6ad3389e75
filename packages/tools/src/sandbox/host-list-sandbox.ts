// Programs that may reach some hosts. They run in bubblewrap without any network, but for one socket: behind it is the
// filtering proxy of sandbox-runtime, in this process, which looks at each host's name and at the address it resolves to.
//
// Only that proxy is taken from sandbox-runtime, not its command line: that one leaves most of the machine readable,
// passes our environment on, needs socat, and cannot leave root behind first.
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SandboxPrograms } from './bubblewrap-command.ts'
import { runInBubblewrap } from './bubblewrap-sandbox.ts'
import { relayPort, relayScript } from './host-list-relay.ts'
import { type ProgramEnd, type ProgramRequest, type Sandbox, SandboxProblem } from './sandbox.ts'

/** Where the socket is inside. */
const insideSocket = '/run/proxy.sock'
/** The relay's own threads are counted with the program's processes. */
const relayThreads = 16

export class HostListSandbox implements Sandbox {
  readonly kind = 'sandbox-runtime'
  readonly #programs: SandboxPrograms

  constructor(programs: SandboxPrograms) {
    this.#programs = programs
  }

  async run(request: ProgramRequest): Promise<ProgramEnd> {
    if (typeof request.network !== 'object') throw new SandboxProblem('There is no list of hosts.')
    const proxy = await createProxy(request.network.hosts)
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'qm-hosts-')))
    try {
      const socket = join(folder, 'proxy.sock')
      await new Promise<void>((resolve, reject) => proxy.once('error', reject).listen(socket, resolve))
      // The program runs under another account than we do.
      chmodSync(folder, 0o711)
      chmodSync(socket, 0o666)
      return await runInBubblewrap(this.#programs, withRelay(request), {
        arguments: ['--bind', socket, insideSocket],
        wrapper: [process.execPath, '--max-old-space-size=64', '--eval', relayScript, '--', insideSocket],
      })
    } finally {
      proxy.closeAllConnections()
      proxy.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function withRelay(request: ProgramRequest): ProgramRequest {
  const address = `http://127.0.0.1:${relayPort}`
  const proxies = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy']
  return {
    ...request,
    readPaths: [...(request.readPaths ?? []), realpathSync(process.execPath)],
    environment: { ...request.environment, ...Object.fromEntries(proxies.map((name) => [name, address])) },
    limits: { ...request.limits, processes: request.limits.processes + relayThreads },
  }
}

async function createProxy(hosts: readonly string[]): Promise<Server> {
  // Loaded where it is needed for the first time: most machines never have a list of hosts.
  const [{ createHttpProxyServer }, patterns, { canonicalizeHost }, { createResolvedAddressGuard }] = await Promise.all(
    [
      import('@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js'),
      import('@anthropic-ai/sandbox-runtime/dist/sandbox/domain-pattern.js'),
      import('@anthropic-ai/sandbox-runtime/dist/sandbox/parent-proxy.js'),
      import('@anthropic-ai/sandbox-runtime/dist/sandbox/resolved-address-guard.js'),
    ],
  )
  for (const host of hosts)
    if (!patterns.isValidAllowedDomainEntry(host))
      throw new SandboxProblem(
        `${JSON.stringify(host)} is not a host: write example.com, *.example.com or example.com:8443.`,
      )
  const guard = createResolvedAddressGuard({ allowedDomains: hosts, deniedResolvedAddresses: privateAddresses })
  const allows = (port: number, host: string) => {
    const canonical = canonicalizeHost(host)
    return (
      canonical !== undefined && hosts.some((entry) => patterns.matchesDomainPatternWithPort(canonical, port, entry))
    )
  }
  return createHttpProxyServer({
    filter: (port, host) => allows(port, host),
    lookupFor: (port) => guard.lookupFor(port),
  })
}

/** Besides loopback, link-local and metadata addresses, which it refuses by itself: a name must not lead into the building. */
const privateAddresses = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']
