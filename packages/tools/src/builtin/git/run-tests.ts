// The tests that must pass before a commit, where the installation says so.
import type { Sandbox } from '../../sandbox/sandbox.ts'

export interface TestRun {
  passed: boolean
  /** How it ended, in words. */
  how: string
  /** The last of what it printed: failures are summed up at the end. */
  tail: string
}

export const testMs = 10 * 60_000
const tailBytes = 24 * 1024
/** Bytes of all output; past them the tests are ended. */
const mostBytes = 64 * 1024 * 1024

export async function runTests(
  sandbox: Sandbox,
  command: string,
  { root, cwd }: { root: string; cwd: string },
  signal: AbortSignal,
): Promise<TestRun> {
  let tail = Buffer.alloc(0)
  let bytes = 0
  const end = await sandbox.run({
    command: ['/bin/sh', '-c', command],
    cwd,
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: '/tmp',
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      CI: 'true',
      NO_COLOR: '1',
    },
    writePaths: [root],
    network: 'none',
    limits: {
      wallClockMs: testMs,
      cpuSeconds: 1_800,
      memoryBytes: 8 * 1024 ** 3,
      processes: 512,
      fileBytes: 1024 ** 3,
      openFiles: 4_096,
      diskBytes: 10 * 1024 ** 3,
    },
    signal,
    onOutput(_stream, chunk) {
      bytes += chunk.byteLength
      tail = Buffer.concat([tail, chunk]).subarray(-tailBytes)
      return bytes <= mostBytes
    },
  })
  signal.throwIfAborted()
  const how = {
    timeout: `did not end within ${testMs / 60_000} minutes`,
    output: 'printed too much',
    memory: 'took too much memory',
    disk: 'wrote too much to the disk',
    stop: 'were stopped',
    none: `failed (${end.exitCode === null ? end.signal : `exit code ${end.exitCode}`})`,
  }[end.endedBy ?? 'none']
  const cut = bytes > tailBytes ? '(the last part)\n' : ''
  return { passed: end.endedBy === null && end.exitCode === 0, how, tail: cut + tail.toString().trimEnd() }
}
