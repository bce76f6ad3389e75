// Programs that go on when the call that started them has ended. They live in this process's memory and end with it: at a
// graceful stop through `stop`, at any other end of the bot through the sandbox.
import { randomInt } from 'node:crypto'
import type { ProgramEnd, ProgramRequest, RunningProgram, Sandbox } from '../../sandbox/sandbox.ts'
import { readable } from './captured-output.ts'

/** Bytes of output kept of each; the older ones are forgotten. */
const tailBytes = 64 * 1024
/** At once, of one agent. */
const mostRunning = 20
/** Ended ones that are remembered, of all agents; the oldest go first. */
const mostEnded = 500
/** Milliseconds a process has after it was asked to end. */
const graceMs = 3_000

export interface ProcessOwner {
  workspaceId: string
  agentId: string
}

export interface BackgroundProcess {
  /** A number of ours; the machine's own means nothing inside a sandbox. */
  readonly pid: number
  readonly command: string
  readonly cwd: string
  readonly startedAt: number
  /** Null while it runs. */
  end: ProgramEnd | null
  /** Why it could not be started or was lost. */
  problem: string | null
  endedAt: number | null
}

interface Entry extends BackgroundProcess {
  owner: ProcessOwner
  tail: Uint8Array[]
  bytes: number
  controller: AbortController
  program: RunningProgram | null
  done: Promise<void>
}

export class BackgroundProcesses {
  readonly #entries = new Map<number, Entry>()
  #stopping = false

  /** Resolves when it runs or has failed to start. Throws a sentence where there are too many. */
  async start(
    sandbox: Sandbox,
    owner: ProcessOwner,
    request: Omit<ProgramRequest, 'signal' | 'onOutput' | 'onStart'>,
  ): Promise<{ ok: true; process: BackgroundProcess } | { ok: false; problem: string }> {
    if (this.#stopping) return { ok: false, problem: 'The bot is being stopped.' }
    const running = [...this.#entries.values()].filter((entry) => isOf(entry, owner) && !entry.endedAt)
    if (running.length >= mostRunning)
      return {
        ok: false,
        problem: `There are ${mostRunning} processes already. End one first: ${running.map(({ pid }) => pid).join(', ')}.`,
      }
    const controller = new AbortController()
    const entry: Entry = {
      pid: this.#newNumber(),
      command: request.command.join(' '),
      cwd: request.cwd,
      startedAt: Date.now(),
      end: null,
      problem: null,
      endedAt: null,
      owner,
      tail: [],
      bytes: 0,
      controller,
      program: null,
      done: Promise.resolve(),
    }
    this.#entries.set(entry.pid, entry)
    const started = new Promise<void>((resolve) => {
      entry.done = sandbox
        .run({
          ...request,
          signal: controller.signal,
          onOutput: (_stream, chunk) => keepTail(entry, chunk),
          onStart: (program) => {
            entry.program = program
            resolve()
          },
        })
        .then((end) => {
          entry.end = end
        })
        .catch((error: Error) => {
          entry.problem = error.message
        })
        .finally(() => {
          entry.endedAt = Date.now()
          this.#forgetOldest()
          resolve()
        })
    })
    await started
    if (entry.problem !== null) {
      this.#entries.delete(entry.pid)
      return { ok: false, problem: entry.problem }
    }
    return { ok: true, process: entry }
  }

  /** Only what this owner started. */
  find(pid: number, owner: ProcessOwner): BackgroundProcess | null {
    const entry = this.#entries.get(pid)
    return entry && isOf(entry, owner) ? entry : null
  }

  list(owner: ProcessOwner): BackgroundProcess[] {
    return [...this.#entries.values()].filter((entry) => isOf(entry, owner))
  }

  tail({ pid }: BackgroundProcess): string {
    const entry = this.#entries.get(pid)
    return entry ? readable(Buffer.concat(entry.tail).subarray(-tailBytes)) : ''
  }

  /** True when it is gone. SIGTERM may be ignored; SIGKILL takes all that it started along. */
  async kill({ pid }: BackgroundProcess, signal: 'SIGTERM' | 'SIGKILL', stop?: AbortSignal): Promise<boolean> {
    const entry = this.#entries.get(pid)
    if (!entry || entry.endedAt) return true
    if (signal === 'SIGKILL') entry.controller.abort()
    else entry.program?.terminate()
    await Promise.race([entry.done, pause(graceMs, stop)])
    return entry.endedAt !== null
  }

  /** For the bot's graceful stop: everything is asked to end, then ended. Nothing can be started any more. */
  async stop(): Promise<void> {
    this.#stopping = true
    const running = [...this.#entries.values()].filter((entry) => !entry.endedAt)
    for (const entry of running) entry.program?.terminate()
    const all = Promise.all(running.map((entry) => entry.done))
    await Promise.race([all, pause(graceMs)])
    for (const entry of running) entry.controller.abort()
    await all
  }

  #newNumber(): number {
    // Not counted from 1: a number from before a restart must not mean another process.
    for (;;) {
      const pid = randomInt(10_000, 1_000_000)
      if (!this.#entries.has(pid)) return pid
    }
  }

  #forgetOldest(): void {
    const ended = [...this.#entries.values()].filter((entry) => entry.endedAt)
    for (const entry of ended.slice(0, Math.max(0, ended.length - mostEnded))) this.#entries.delete(entry.pid)
  }
}

const isOf = (entry: Entry, owner: ProcessOwner): boolean =>
  entry.owner.workspaceId === owner.workspaceId && entry.owner.agentId === owner.agentId

function keepTail(entry: Entry, chunk: Uint8Array): true {
  entry.tail.push(chunk)
  entry.bytes += chunk.length
  for (let first = entry.tail[0]; first && entry.bytes - first.length >= tailBytes; first = entry.tail[0]) {
    entry.tail.shift()
    entry.bytes -= first.length
  }
  return true
}

function pause(ms: number, stop?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    stop?.addEventListener('abort', () => resolve(), { once: true })
  })
}
