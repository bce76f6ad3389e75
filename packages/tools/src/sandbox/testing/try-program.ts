import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { ProgramEnd, ProgramLimits, ProgramRequest, Sandbox } from '../sandbox.ts'

const megabyte = 1024 * 1024
export const ampleLimits: ProgramLimits = {
  wallClockMs: 15_000,
  cpuSeconds: 15,
  memoryBytes: 1024 * megabyte,
  processes: 100,
  fileBytes: 100 * megabyte,
  openFiles: 256,
}

export type Tried = ProgramEnd & { stdout: string; stderr: string; bytes: number }
type Changes = Partial<Omit<ProgramRequest, 'limits'>> & { limits?: Partial<ProgramLimits>; most?: number }

/** A shell script in a sandbox, with what it said. */
export async function tryScript(sandbox: Sandbox, script: string, changes: Changes = {}): Promise<Tried> {
  const { limits, most = 10 * megabyte, ...more } = changes
  const said = { stdout: '', stderr: '' }
  let bytes = 0
  const end = await sandbox.run({
    command: ['/bin/sh', '-c', script],
    cwd: '/tmp',
    environment: { PATH: '/usr/bin:/bin', HOME: '/tmp' },
    network: 'none',
    limits: { ...ampleLimits, ...limits },
    signal: new AbortController().signal,
    onOutput: (stream, chunk) => {
      bytes += chunk.length
      if (bytes < megabyte) said[stream] += Buffer.from(chunk).toString()
      return bytes <= most
    },
    ...more,
  })
  return { ...end, ...said, bytes }
}

/** The sandbox with a bug planted in it: it takes requests for others than they are. */
export const weakened = (sandbox: Sandbox, weaken: (request: ProgramRequest) => ProgramRequest): Sandbox => ({
  kind: sandbox.kind,
  run: (request) => sandbox.run(weaken(request)),
})

/** A number of seconds that no other sleep has. */
export const uniqueSeconds = () => `${randomInt(100_000, 900_000)}.${randomInt(100_000, 900_000)}`

/** The processes of this machine that have a word on their command line. */
export function processesWith(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word)
      } catch {
        return false
      }
    })
}
