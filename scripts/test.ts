// npm test: every check, in the order in which they fail fastest. Ends with a line `N passed, N failed`.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '@quartermaster/db'
import { runProgram } from './program.ts'
import { buildConsoleIfStale } from './start/console-build.ts'

const bin = (name: string) => join(projectRoot, 'node_modules/.bin', name)
const filters = process.argv.slice(2)

await runProgram(async () => {
  const counts = { passed: 0, failed: 0 }
  const check = async (name: string, work: () => Promise<boolean>) => {
    console.log(`\n▸ ${name}`)
    const ok = await work()
    counts[ok ? 'passed' : 'failed']++
    if (!ok) console.log(`✗ ${name} failed`)
  }
  if (!filters.length) {
    await check('lint and format', () => run(bin('biome'), ['check', '--error-on-warnings', '.']))
    await check('types', () => run(bin('turbo'), ['run', 'types', '--output-logs=errors-only', '--ui=stream']))
  }
  let dist = ''
  await check('console build', async () => {
    dist = await buildConsoleIfStale(() => console.log('building'))
    return true
  })

  console.log('\n▸ tests')
  const scratch = mkdtempSync(join(tmpdir(), 'qm-report-'))
  const report = join(scratch, 'report.json')
  try {
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters]
    const ok = await run(bin('vitest'), args, { QM_CONSOLE_DIST: dist })
    const results = JSON.parse(readFileSync(report, 'utf8')) as {
      numPassedTests: number
      numTotalTests: number
      numFailedTestSuites: number
      success: boolean
    }
    counts.passed += results.numPassedTests
    const failed = results.numTotalTests - results.numPassedTests
    // A file that cannot even be loaded, or an error outside a test, counts as a failure too.
    counts.failed += ok ? failed : Math.max(1, failed)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
  return counts.failed ? 1 : 0
})

function run(file: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const child = spawn(file, args, {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', ...env },
  })
  return new Promise((done) => child.on('error', () => done(false)).on('exit', (code) => done(code === 0)))
}
