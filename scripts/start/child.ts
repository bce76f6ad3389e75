import { type ChildProcess, spawn } from 'node:child_process'
import { Problem } from '@quartermaster/db'
import { unlessStopped } from '../stop-signal.ts'

/** How long a child may take to say that it serves, and to end when asked. */
const readyMs = 60_000
const stopMs = 12_000

export interface Child {
  name: string
  /** What it said when it was ready. */
  ready: Record<string, unknown>
  stop(): Promise<void>
  exited: Promise<number | null>
}

/**
 * Starts one of our programs in a process group of its own (so that Ctrl-C reaches only us, and we end things in
 * order) with a channel to us (so that it ends when we are gone), and waits until it serves. When the stop comes
 * before that, it is ended and the wait is over.
 */
export async function startChild(
  name: string,
  argv: string[],
  env: NodeJS.ProcessEnv,
  options: {
    stop?: AbortSignal
    /** Gets everything it writes, which otherwise goes where ours goes. */
    onOutput?: (text: string) => void
  } = {},
): Promise<Child> {
  const { stop, onOutput } = options
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...argv], {
    stdio: ['ignore', onOutput ? 'pipe' : 'inherit', 'pipe', 'ipc'],
    detached: true,
    env,
  })
  const tell = onOutput ?? ((text: string) => process.stderr.write(text))
  let errors = ''
  child.stdout?.on('data', (chunk: Buffer) => tell(String(chunk)))
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk).slice(-8_000)
    if (serving) tell(String(chunk))
  })
  let serving = false
  const exited = new Promise<number | null>((done) => child.on('exit', (code) => done(code)).on('error', () => done(1)))
  const served = Promise.race([
    new Promise<Record<string, unknown>>((done) => {
      child.on('message', (message: Record<string, unknown>) => message.ready && done(message))
    }),
    exited.then(() => null),
    new Promise<null>((done) => setTimeout(() => done(null), readyMs).unref()),
  ])
  const ready = await (stop ? unlessStopped(stop, served).catch(() => null) : served)
  if (!ready) {
    await stopChild(child, exited)
    throw new ChildFailed(name, errors.trim())
  }
  serving = true
  if (errors) tell(errors)
  return { name, ready, exited, stop: () => stopChild(child, exited) }
}

/** A child that said why, in a sentence and a fix of its own. */
export class ChildFailed extends Problem {
  readonly said: string
  constructor(name: string, said: string) {
    super(`The ${name} did not start.`, 'Run npm run doctor for a check of everything around it.')
    this.said = said
  }
}

async function stopChild(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.pid) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
  await exited
  clearTimeout(timer)
}
