// What file.grep costs beside ripgrep itself on the same tree; turn by turn, so that a busy machine is busy for both.
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandbox, detectSandbox, type Sandbox, sandboxAccount } from '@quartermaster/tools'
import { sampleContext } from '@quartermaster/tools/testing'
import { createFileTools } from '../../packages/tools/src/builtin/files/file-tools.ts'
import { type Bench, type Measurement, percentile } from './measure.ts'

const fileCount = 50_000
const perFolder = 100
/** Turns of each mode: the most, and the fewest where the machine is so busy that the time is over before. */
const turns = { most: 15, fewest: 5, ms: 10_000, warmUp: 1 }

const bench: Bench = {
  about: `a search through ${fileCount.toLocaleString('en')} files, up to ${turns.most} turns. Goal: file.grep ≤ 1.2 × ripgrep at p50`,
  async run() {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'qm-bench-')))
    try {
      return await measure(createTree(base))
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  },
}
export default bench

/** One file in a hundred has the needle. */
function createTree(base: string): string {
  chmodSync(base, 0o711)
  const root = join(base, 'work')
  mkdirSync(root)
  const lines = Array.from(
    { length: 30 },
    (_, line) => `export const value${line} = compute(${line}) // some words\n`,
  ).join('')
  for (let index = 0; index < fileCount; index++) {
    const folder = join(root, `package${index % 10}`, `folder${Math.floor(index / perFolder)}`)
    if (index % perFolder < 10) mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file${index}.ts`), index % 100 === 0 ? `${lines}needle(${index})\n` : lines)
  }
  const account = sandboxAccount()
  if (account) chownSync(root, account.uid, account.gid)
  return root
}

async function measure(root: string): Promise<Measurement[]> {
  const sandbox = createSandbox(await detectSandbox())
  // Beside the tool runs the very command that it had run in the sandbox: the same program with the same flags.
  let command: readonly string[] = []
  const watched: Sandbox = {
    kind: sandbox.kind,
    run(request) {
      command = request.command
      return sandbox.run(request)
    },
  }
  const grep = createFileTools({ folders: { folderOf: async () => root }, sandbox: watched }).find(
    ({ name }) => name === 'file.grep',
  )!
  const common = { pattern: 'needle', path: '.', ignore_case: false, context: 0, multiline: false }

  const rows: Measurement[] = []
  for (const output_mode of ['files_with_matches', 'content', 'count']) {
    const search = async () => {
      const result = await grep.execute({ ...common, output_mode }, sampleContext())
      // A search that finds nothing would look very fast.
      if (!('output' in result) || result.output.split('\n').length !== fileCount / 100)
        throw new Error(`file.grep did not find everything: ${JSON.stringify(result).slice(0, 300)}`)
    }
    for (let turn = 0; turn < turns.warmUp; turn++) await search()
    const [plain, tool]: [number[], number[]] = [[], []]
    const end = performance.now() + turns.ms
    for (let turn = 0; turn < turns.most && (turn < turns.fewest || performance.now() < end); turn++) {
      // By turns first and second: what was searched a moment ago is nearer to the processor.
      if (turn % 2 === 0) plain.push(await timed(() => runPlain(command, root)))
      tool.push(await timed(search))
      if (turn % 2 === 1) plain.push(await timed(() => runPlain(command, root)))
    }
    const p50 = { plain: percentile(plain, 0.5), tool: percentile(tool, 0.5) }
    rows.push({
      what: `${output_mode} (${sandbox.kind})`,
      figures: {
        turns: tool.length,
        'rg p50 (ms)': p50.plain,
        'file.grep p50 (ms)': p50.tool,
        'file.grep p95 (ms)': percentile(tool, 0.95),
        'ratio of p50': p50.tool / p50.plain,
        // What a busy machine disturbs least.
        'ratio of the fastest': Math.min(...tool) / Math.min(...plain),
        load: loadavg()[0] ?? Number.NaN,
      },
    })
  }
  return rows
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function runPlain([program = '', ...args]: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { LC_ALL: 'C.UTF-8' },
      // A session of its own, as in the sandbox: a busy Linux shares its processors by session.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    child.stdout.resume()
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`ripgrep ended with ${code}`))))
  })
}
