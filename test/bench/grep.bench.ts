// What file.grep costs beside ripgrep itself on the same tree; turn by turn, so that a busy machine is busy for both.
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandbox, detectSandbox, sandboxAccount } from '@quartermaster/tools'
import { sampleContext } from '@quartermaster/tools/testing'
import { createFileTools } from '../../packages/tools/src/builtin/files/file-tools.ts'
import { type Bench, type Measurement, percentile } from './measure.ts'

const fileCount = 50_000
const perFolder = 100
const turns = 15
const warmUp = 2

const bench: Bench = {
  about: `a search through ${fileCount.toLocaleString('en')} files, ${turns} turns. Goal: file.grep ≤ 1.2 × ripgrep at p50`,
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
  const grep = createFileTools({ folders: { folderOf: async () => root }, sandbox }).find(
    ({ name }) => name === 'file.grep',
  )!
  // The very program that the tool runs; its package is the tools', not ours.
  const fromTools = createRequire(join(import.meta.dirname, '../../packages/tools/package.json'))
  const { rgPath } = (await import(fromTools.resolve('@vscode/ripgrep'))) as { rgPath: string }
  const common = { pattern: 'needle', path: '.', ignore_case: false, context: 0, multiline: false }

  const modes = { files_with_matches: ['--files-with-matches'], content: ['--line-number'], count: ['--count'] }
  const rows: Measurement[] = []
  for (const [output_mode, args] of Object.entries(modes)) {
    const [plain, tool]: [number[], number[]] = [[], []]
    for (let turn = 0; turn < turns + warmUp; turn++) {
      const plainMs = await timed(() => runPlain(rgPath, ['--hidden', ...args, 'needle', './'], root))
      const toolMs = await timed(async () => {
        const result = await grep.execute({ ...common, output_mode }, sampleContext())
        // A search that finds nothing would look very fast.
        if (!('output' in result) || result.output.split('\n').length !== fileCount / 100)
          throw new Error(`file.grep did not find everything: ${JSON.stringify(result).slice(0, 300)}`)
      })
      if (turn < warmUp) continue
      plain.push(plainMs)
      tool.push(toolMs)
    }
    const p50 = { plain: percentile(plain, 0.5), tool: percentile(tool, 0.5) }
    rows.push({
      what: `${output_mode} (${sandbox.kind})`,
      figures: {
        'rg p50 (ms)': p50.plain,
        'file.grep p50 (ms)': p50.tool,
        'file.grep p95 (ms)': percentile(tool, 0.95),
        'ratio of p50': p50.tool / p50.plain,
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

function runPlain(program: string, args: string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout.resume()
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`ripgrep ended with ${code}`))))
  })
}
