// Runs the corpus in a sandbox, and looks at the world outside afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import type { ProgramRequest, Sandbox } from '../sandbox.ts'
import { sandboxAccount } from '../sandbox-account.ts'
import { type EscapeCase, escapeCorpus } from './escape-corpus.ts'
import { makeWorkFolder } from './work-folder.ts'

export interface Attempts {
  /** How many ran to their end. */
  attempted: number
  /** What shows that one got out; a sentence each. */
  evidence: string[]
}

export interface AttemptOptions {
  only?: (attempt: EscapeCase) => boolean
  /** A planted bug: the request with a hole in it. `outside` is what must not be reached. */
  weaken?: (request: ProgramRequest, outside: string) => ProgramRequest
}

const limits = {
  wallClockMs: 60_000,
  cpuSeconds: 60,
  memoryBytes: 1024 ** 3,
  processes: 100,
  fileBytes: 16 * 1024 ** 2,
  openFiles: 1024,
}

export async function attemptEscapes(
  sandbox: Sandbox,
  { only = () => true, weaken = (request) => request }: AttemptOptions = {},
): Promise<Attempts> {
  const chosen = escapeCorpus.filter(only)
  const folder = makeWorkFolder()
  const world = await openWorld(join(folder.parent, 'outside'))
  const outputs = new Map<EscapeCase, string>()
  const run = async (cases: readonly EscapeCase[]) => {
    const batch = randomBytes(4).toString('hex')
    const scripts = join(folder.path, batch)
    mkdirSync(scripts)
    for (const [index, { code, language }] of cases.entries())
      writeFileSync(join(scripts, `${index}.${language === 'python' ? 'py' : 'sh'}`), `${code}\n`)
    writeFileSync(join(folder.path, 'run-all'), runAll)
    let output = ''
    await sandbox.run(
      weaken(
        {
          command: ['/bin/sh', 'run-all', batch],
          cwd: folder.path,
          environment: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...world.environment },
          writePaths: [folder.path],
          network: 'none',
          limits,
          signal: new AbortController().signal,
          onOutput: (_stream, chunk) => {
            output += Buffer.from(chunk).toString('latin1')
            return output.length < 10_000_000
          },
        },
        world.outside,
      ),
    )
    for (const part of output.split('\n#case ').slice(1)) {
      const attempt = cases[Number.parseInt(part, 10)]
      if (attempt) outputs.set(attempt, part)
    }
  }
  try {
    await run(chosen.filter(({ alone }) => !alone))
    await Promise.all(chosen.filter(({ alone }) => alone).map((attempt) => run([attempt])))
    const evidence = [...outputs].flatMap(([{ what, by }, output]) => {
      if (output.includes(world.canary)) return [`${by}: ${what} read the canary`]
      return output.includes('ESCAPED') ? [`${by}: ${what} worked: ${output.slice(0, 300)}`] : []
    })
    return { attempted: outputs.size, evidence: [...evidence, ...(await world.look())] }
  } finally {
    await world.close()
    folder.remove()
  }
}

const runAll = `
escaped() { echo "ESC""APED" "$@"; }
for case in "$1"/*; do
  case $case in
    *.sh) printf '\\n#case %s\\n' "\${case##*/}"; (. "./$case") </dev/null 2>&1 | head -c 20000 ;;
    *.py) printf '\\n#case %s\\n' "\${case##*/}"; timeout 5 python3 -S "$case" </dev/null 2>&1 | head -c 20000 ;;
  esac
done
`

/** What lies outside and must not be reached. */
async function openWorld(outside: string) {
  const canary = `canary-${randomBytes(12).toString('hex')}`
  mkdirSync(outside)
  writeFileSync(join(outside, 'canary'), canary)
  chmodSync(outside, 0o777)
  chmodSync(join(outside, 'canary'), 0o666)
  const abstract = `qm-${randomBytes(8).toString('hex')}`
  let connections = 0
  const listen = async (...where: [path: string] | [port: number, host: string]): Promise<Server> => {
    const server = createServer((socket) => {
      connections++
      socket
        .on('error', () => {})
        .resume()
        .end('hello')
    })
    server.listen(...(where as [string]))
    await once(server, 'listening')
    return server
  }
  const tcp = await listen(0, '::')
  const servers = [tcp, await listen(join(outside, 'socket')), await listen(`\0${abstract}`)]
  chmodSync(join(outside, 'socket'), 0o777)
  const victim = await startVictim()
  const before = readdirSync(outside).sort().join()
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? [])
  return {
    outside,
    canary,
    environment: {
      OUTSIDE: outside,
      PORT: String((tcp.address() as { port: number }).port),
      ABSTRACT: abstract,
      VICTIM: String(victim.pid),
      ADDRESSES: addresses.join(' '),
    },
    async look(): Promise<string[]> {
      await new Promise((resolve) => setTimeout(resolve, 50))
      const evidence: string[] = []
      const after = readdirSync(outside).sort().join()
      const beside = readdirSync(dirname(outside)).sort().join()
      if (beside !== 'outside,work') evidence.push(`write: beside the work folder there is now ${beside}`)
      if (after !== before) evidence.push(`write: the folder outside has now ${after}`)
      const file = join(outside, 'canary')
      if (!existsSync(file) || readFileSync(file, 'utf8') !== canary) evidence.push('write: the canary was changed')
      if (connections > 0) evidence.push(`network: ${connections} connections arrived`)
      if (victim.exitCode !== null || victim.signalCode !== null) evidence.push('process: the victim was ended')
      return evidence
    },
    async close() {
      victim.kill('SIGKILL')
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

/** Of the very account that programs run under: what protects it is not its account. */
async function startVictim(): Promise<ChildProcess> {
  const account = sandboxAccount()
  const victim = spawn('/bin/sleep', ['300'], { stdio: 'ignore', env: {}, ...(account ?? {}) })
  await once(victim, 'spawn')
  return victim
}
