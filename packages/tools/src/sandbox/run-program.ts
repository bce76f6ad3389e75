// Starts a program, streams what it says, and ends it: at its time, when it was told to, or when it was enough.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { inheritedFiles } from './inherited-files.ts'
import { type ProgramEnd, type ProgramRequest, SandboxProblem } from './sandbox.ts'
import { watchLimits } from './watch-limits.ts'

export interface Launch {
  command: readonly [string, ...string[]]
  cwd: string
  environment: Readonly<Record<string, string>>
  /** From 3 on: a file that the program gets, or what it is written into a pipe of its own, or a pipe to read from. */
  more: readonly ({ file: number } | { write: string } | 'read')[]
  /**
   * Whether nothing is left of it; ends what is. Called when the program is gone, and again until nothing is left. `read`
   * is what came through the pipes to read from, in their order; `group` the process group it was started in.
   */
  sweep?: (read: readonly string[], group: number) => boolean
  /** The processes to ask for their end; a group is negative. */
  targets: (read: readonly string[], group: number) => readonly number[]
}

export interface Ended {
  end: ProgramEnd
  /** What came through the pipes to read from, in their order. */
  read: string[]
  /** The first of what it said as an error, for our own messages. */
  firstErrors: string
}

const keptErrors = 4_000
/** Milliseconds for what is left behind to go away after it was killed; it takes one or two. */
const sweepMs = 2_000

export async function runProgram(request: ProgramRequest, launch: Launch): Promise<Ended> {
  const { signal } = request
  const start = performance.now()
  if (signal.aborted) {
    closeFiles(launch)
    return { end: { exitCode: null, signal: null, endedBy: 'stop', durationMs: 0 }, read: [], firstErrors: '' }
  }
  const child = startChild(launch)
  let endedBy: ProgramEnd['endedBy'] = null
  const kill = (why: ProgramEnd['endedBy']) => {
    endedBy ??= why
    killGroup(child)
  }
  const stop = () => kill('stop')
  signal.addEventListener('abort', stop, { once: true })
  const clock = setTimeout(() => kill('timeout'), request.limits.wallClockMs)
  let firstErrors = ''
  const take = (stream: 'stdout' | 'stderr') => (chunk: Buffer) => {
    if (stream === 'stderr' && firstErrors.length < keptErrors)
      firstErrors += chunk.toString('utf8').slice(0, keptErrors)
    if (endedBy !== 'output' && !request.onOutput(stream, chunk)) kill('output')
  }
  child.stdout?.on('data', take('stdout'))
  child.stderr?.on('data', take('stderr'))
  feed(child.stdin, request.input)
  const read = launch.more.map(() => '')
  for (const [index, kind] of launch.more.entries()) {
    const pipe = child.stdio[index + 3]
    if (kind === 'read') (pipe as Readable).on('data', (chunk: Buffer) => (read[index] += chunk.toString('utf8')))
    else if ('write' in kind) feed(pipe as Writable, kind.write)
  }
  const unwatch = watchLimits(request, () => launch.targets(read, child.pid ?? 0), kill)
  request.onStart?.({ terminate: () => launch.targets(read, child.pid ?? 0).forEach(askToEnd) })
  try {
    const { exitCode, exitSignal } = await untilGone(child, () => launch.sweep?.(read, child.pid ?? 0) ?? true)
    const durationMs = performance.now() - start
    return { end: { exitCode, signal: exitSignal, endedBy, durationMs }, read, firstErrors }
  } finally {
    clearTimeout(clock)
    unwatch()
    signal.removeEventListener('abort', stop)
  }
}

function startChild(launch: Launch): ChildProcess {
  const [file, ...args] = launch.command
  const stdio: (number | 'pipe' | 'ignore')[] = ['pipe', 'pipe', 'pipe']
  stdio.push(...launch.more.map((kind) => (isFile(kind) ? kind.file : 'pipe')))
  const leaks = inheritedFiles().filter((leak) => leak >= stdio.length)
  const nothing = leaks.length > 0 ? openSync('/dev/null', 'r') : null
  for (const leak of leaks) {
    while (stdio.length < leak) stdio.push('ignore')
    if (nothing !== null) stdio.push(nothing)
  }
  try {
    return spawn(file, args, {
      cwd: launch.cwd,
      env: launch.environment as NodeJS.ProcessEnv,
      // Its own process group, so that one signal reaches all of it.
      detached: true,
      stdio,
    })
  } catch (error) {
    throw new SandboxProblem(`The program could not be started: ${(error as Error).message}.`)
  } finally {
    if (nothing !== null) closeSync(nothing)
    closeFiles(launch)
  }
}

const isFile = (kind: Launch['more'][number]): kind is { file: number } => typeof kind === 'object' && 'file' in kind

function closeFiles({ more }: Launch): void {
  for (const kind of more) if (isFile(kind)) closeSync(kind.file)
}

/** A program that does not read to the end is no error. */
function feed(pipe: Writable | null, input: string | Uint8Array | undefined): void {
  pipe?.on('error', () => {})
  pipe?.end(input)
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL') // The group is gone already, or was never made.
  }
}

function askToEnd(target: number): void {
  try {
    if (target !== 0) process.kill(target, 'SIGTERM')
  } catch {
    // Gone meanwhile.
  }
}

function untilGone(
  child: ChildProcess,
  sweep: () => boolean,
): Promise<{ exitCode: number | null; exitSignal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    let closed = false
    child.once('error', (error) => {
      if (child.pid === undefined) reject(new SandboxProblem(`The program could not be started: ${error.message}.`))
    })
    child.once('close', () => (closed = true))
    child.once('exit', (exitCode, exitSignal) => {
      const deadline = performance.now() + sweepMs
      const look = () => {
        const gone = sweep()
        if ((gone && closed) || performance.now() > deadline) {
          for (const stream of child.stdio) stream?.destroy()
          resolve({ exitCode, exitSignal })
        } else setTimeout(look, 1)
      }
      if (closed) look()
      else setImmediate(look)
    })
  })
}
