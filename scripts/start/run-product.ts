// From a fresh clone (or yesterday's data) to a running product, and back to nothing: what `npm start` and
// `npm run dev` share. Whatever happens in between, what was started is stopped, in order: what talks to people
// first, the database last.
import type { EmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import { readProductEnvironment } from '../environment.ts'
import { listenForStop } from '../stop-signal.ts'
import { type Child, ChildFailed } from './child.ts'
import { lockInstance } from './instance-lock.ts'
import { prepare } from './prepare.ts'
import { refuseTakenPorts } from './refuse-taken-ports.ts'
import { renderSummary } from './summary.ts'
import { superviseUntilEnd } from './supervise.ts'

export interface Ground {
  /** For both apps: the settings, with the address of the database. */
  environment: NodeJS.ProcessEnv
  stop: AbortSignal
  say(what: string): void
}

/** Runs until it is stopped (0) or a part of it fails (1). `launch` starts the apps. */
export async function runProduct(launch: (ground: Ground) => Promise<Promise<Child>[]>): Promise<number> {
  const began = performance.now()
  const say = (what: string) => console.log(what)
  const stop = listenForStop()
  const env = readProductEnvironment()
  const unlock = lockInstance(env.QM_DATA_DIR)
  const children: Child[] = []
  let postgres: EmbeddedPostgres | null = null
  try {
    await refuseTakenPorts(env)
    const prepared = await prepare(env, say, stop)
    postgres = prepared.postgres
    const environment = {
      ...(env.environment as NodeJS.ProcessEnv),
      DATABASE_URL: prepared.databaseUrl,
      DATABASE_URL_FILE: '',
      QM_DATA_DIR: env.QM_DATA_DIR,
      QM_DATA_DIR_FILE: '',
    }
    const starts = await Promise.allSettled(await launch({ environment, stop, say }))
    for (const start of starts) if (start.status === 'fulfilled') children.push(start.value)
    stop.throwIfAborted()
    const failures = starts.flatMap((start) => (start.status === 'rejected' ? [start.reason] : []))
    if (failures.length) throw failures.every((error) => error instanceof ChildFailed) ? merge(failures) : failures[0]

    const ready = Object.assign({}, ...children.map((child) => child.ready)) as Record<string, never>
    say(
      renderSummary({
        consoleUrl: ready.url ?? '',
        owner: prepared.owner,
        health: ready.health ?? {},
        seconds: (performance.now() - began) / 1000,
      }),
    )
    prepared.owner?.shown()
    return await superviseUntilEnd(children, postgres, stop, say)
  } catch (error) {
    // What fails because the end was asked for (Ctrl-C reaches all that runs in the terminal) is no failure.
    stop.throwIfAborted()
    throw error
  } finally {
    if (stop.aborted || children.length) say('Stopping …')
    for (const child of children) await child.stop()
    await postgres?.stop()
    unlock()
    if (stop.aborted || children.length) say('Stopped.')
  }
}

/** Both may have something to say (two taken ports), and then both are heard. */
function merge(failures: ChildFailed[]): ChildFailed {
  const [first] = failures as [ChildFailed]
  return failures.length > 1 ? new ChildFailed('product', failures.map((failure) => failure.said).join('\n')) : first
}
