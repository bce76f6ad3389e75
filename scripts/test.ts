// npm test: every check, in the order in which they fail fastest. Ends with a line `N passed, N failed`.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeFailure, projectRoot } from '@quartermaster/db'
import { installBubblewrapIfMissing } from './install-bubblewrap.ts'
import { runProgram } from './program.ts'
import { buildConsoleIfStale } from './start/console-build.ts'
import { listenForStop } from './stop-signal.ts'
import { describeMissing, readTestReport } from './test-report.ts'

const bin = (name: string) => join(projectRoot, 'node_modules/.bin', name)
const filters = process.argv.slice(2)

await runProgram(async () => {
  // Ctrl-C reaches what is running here as well; this waits for its end, takes its own things away, and goes.
  const stop = listenForStop()
  const counts = { passed: 0, failed: 0 }
  const check = async (name: string, work: () => Promise<boolean>) => {
    console.log(`\n▸ ${name}`)
    const ok = await work()
    stop.throwIfAborted()
    counts[ok ? 'passed' : 'failed']++
    if (!ok) console.log(`✗ ${name} failed`)
  }
  if (!filters.length) {
    await check('lint and format', () => run(bin('biome'), ['check', '--error-on-warnings', '.']))
    await check('types', () => run(bin('turbo'), ['run', 'types', '--output-logs=errors-only', '--ui=stream']))
  }
  let dist = ''
  await check('console build', async () => {
    try {
      dist = await buildConsoleIfStale(() => console.log('building'), stop)
      return true
    } catch (error) {
      stop.throwIfAborted()
      console.log(describeFailure(error))
      return false
    }
  })

  await installBubblewrapIfMissing((line) => console.log(line), stop)

  console.log('\n▸ tests')
  let notRun: string[] = []
  const scratch = mkdtempSync(join(tmpdir(), 'qm-report-'))
  const report = join(scratch, 'report.json')
  try {
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters]
    const ok = await run(bin('vitest'), args, { QM_CONSOLE_DIST: dist })
    stop.throwIfAborted()
    const results = readTestReport(report)
    counts.passed += results.passed
    notRun = describeMissing(results.missing)
    // In a whole run a skipped test is one that did not pass; where somebody chose (-t), the others are skipped.
    const failed = results.failed + (filters.length ? 0 : results.skipped)
    // A file that cannot even be loaded, or an error outside a test, counts as a failure too.
    counts.failed += ok ? failed : Math.max(1, failed)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  if (notRun.length) console.log(`\n${notRun.join('\n')}`)
  console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
  return counts.failed ? 1 : 0
})

function run(file: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const child = spawn(file, args, {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', ...env },
  })
  // A signal to this process alone (kill, a CI that gives up) is passed on; from a terminal it arrives there by itself.
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGTERM', pass).on('SIGHUP', pass)
  return new Promise((done) => child.on('error', () => done(false)).on('exit', (code) => done(code === 0)))
}
