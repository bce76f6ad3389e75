// What the sandbox costs around a program that does nothing, beside the plain program; turn by turn, so that a busy
// machine is busy for all of them.
import { spawn } from 'node:child_process'
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Problem } from '@quartermaster/db'
import { createPythonTool, createSandbox, detectSandbox, type Sandbox, sandboxAccount } from '@quartermaster/tools'
import { sampleContext } from '@quartermaster/tools/testing'
import { type Bench, type Measurement, percentile } from './measure.ts'

const turns = 100
const warmUp = 10

const bench: Bench = {
  about: `a program that does nothing, plain and shut in: ${turns} turns. Goals: overhead at p50 ≤ 8 ms, at p95 ≤ 15 ms; python.exec at p50 < 60 ms`,
  async run() {
    const finding = await detectSandbox()
    if (finding.kind === 'none') throw new Problem(finding.detail, `${finding.fix}.`)
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'qm-bench-')))
    const account = sandboxAccount()
    if (account) chownSync(folder, account.uid, account.gid)
    try {
      return await measure(createSandbox(finding), folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}
export default bench

async function measure(sandbox: Sandbox, folder: string): Promise<Measurement[]> {
  const python = createPythonTool({ sandbox })
  const subjects: Record<string, () => Promise<void>> = {
    'true, plain': runPlainly,
    'true in bubblewrap, no network': () => runShutIn(sandbox, folder, 'none'),
    'true in bubblewrap, all of the network': () => runShutIn(sandbox, folder, 'all'),
    'true with a list of hosts': () => runShutIn(sandbox, folder, { hosts: ['example.com'] }),
    'python.exec of print(1)': async () => {
      const result = await python.execute({ code: 'print(1)' }, sampleContext())
      if ('suspend' in result || result.output !== '1\n') throw new Error(`python.exec: ${JSON.stringify(result)}`)
    },
  }
  const times = new Map(Object.keys(subjects).map((what) => [what, [] as number[]]))
  for (let turn = -warmUp; turn < turns; turn++)
    for (const [what, run] of Object.entries(subjects)) {
      const start = performance.now()
      await run()
      if (turn >= 0) times.get(what)?.push(performance.now() - start)
    }
  const plain = times.get('true, plain') ?? []
  return [...times].map(([what, each]) => {
    const [p50, p95] = [percentile(each, 0.5), percentile(each, 0.95)]
    const overhead = { 'over plain p50': p50 - percentile(plain, 0.5), 'over plain p95': p95 - percentile(plain, 0.95) }
    return { what, figures: { 'p50 (ms)': p50, 'p95 (ms)': p95, ...overhead } }
  })
}

function runPlainly(): Promise<void> {
  return new Promise((done, fail) =>
    spawn('/usr/bin/true')
      .once('error', fail)
      .once('close', () => done()),
  )
}

async function runShutIn(sandbox: Sandbox, folder: string, network: Parameters<Sandbox['run']>[0]['network']) {
  const { exitCode } = await sandbox.run({
    command: ['/usr/bin/true'],
    cwd: folder,
    environment: {},
    writePaths: [folder],
    network,
    limits: {
      wallClockMs: 10_000,
      cpuSeconds: 10,
      memoryBytes: 1024 ** 3,
      processes: 64,
      fileBytes: 1024 ** 2,
      openFiles: 256,
    },
    signal: new AbortController().signal,
    onOutput: () => true,
  })
  if (exitCode !== 0) throw new Error(`true ended with ${exitCode}`)
}
