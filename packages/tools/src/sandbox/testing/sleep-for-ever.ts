// For tests that kill the bot: runs a program in the sandbox named by the first argument, which starts others and sleeps
// for as many seconds as the second says.
import { createSandbox } from '../create-sandbox.ts'
import { detectSandbox } from '../detect-sandbox.ts'

const [kind, seconds = '1000'] = process.argv.slice(2)
const sandbox = createSandbox(kind === 'none' ? { kind, detail: '', fix: null } : await detectSandbox())
await sandbox.run({
  command: ['/bin/sh', '-c', `setsid sleep ${seconds} & sleep ${seconds} & echo started; exec sleep ${seconds}`],
  cwd: '/tmp',
  environment: { PATH: '/usr/bin:/bin' },
  network: 'none',
  limits: {
    wallClockMs: 600_000,
    cpuSeconds: 60,
    memoryBytes: 1024 ** 3,
    processes: 10_000,
    fileBytes: 1024,
    openFiles: 64,
  },
  signal: new AbortController().signal,
  onOutput: (_stream, chunk) => process.stdout.write(chunk) || true,
})
