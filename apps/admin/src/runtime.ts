import type { Database, MasterKeys } from '@quartermaster/db'
import type { RateLimiter } from './api/rate-limiter.ts'
import type { ConsoleEnv } from './env.ts'
import type { LiveHub } from './live-hub.ts'

/** What the server opened once and every page uses. */
export interface Runtime {
  env: ConsoleEnv
  db: Database
  /** Whether the database is the embedded one. */
  embedded: boolean
  keys: MasterKeys
  live: LiveHub
  /** Of the REST API. */
  rates: RateLimiter
  version: string
}

// The pages are a bundle of their own, with their own copies of our modules, in the same process as server.ts. The
// global object is the one place that both can see.
const slot = Symbol.for('quartermaster.console')
const holder = globalThis as { [slot]?: Runtime }

export function provideRuntime(runtime: Runtime): void {
  holder[slot] = runtime
}

export function runtime(): Runtime {
  const provided = holder[slot]
  if (!provided) throw new Error('The console was not started through apps/admin/src/server.ts.')
  return provided
}
