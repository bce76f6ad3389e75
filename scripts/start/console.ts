import { join } from 'node:path'
import { projectRoot } from '@quartermaster/db'
import { findFreePort } from '@quartermaster/db/embedded-postgres'
import { startChild } from './child.ts'

export interface StartedConsole {
  url: string
  stop(): Promise<void>
}

interface StartConsole {
  /** The build to serve, as buildConsoleIfStale names it. */
  dist: string
  databaseUrl: string
  dataDir: string
  /** More variables of the console. Nothing else of this machine's environment reaches it. */
  settings?: Record<string, string>
  /** Where its lines go; ours, unless somebody wants to read them. */
  onOutput?: (text: string) => void
}

/** The console alone, on a free port: for pictures and for tests in a browser. */
export async function startConsole(options: StartConsole): Promise<StartedConsole> {
  const port = options.settings?.PORT ?? String(await findFreePort())
  const child = await startChild(
    'console',
    [join(projectRoot, 'apps/admin/src/server.ts')],
    {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'production',
      DATABASE_URL: options.databaseUrl,
      QM_DATA_DIR: options.dataDir,
      QM_CONSOLE_DIST: options.dist,
      PORT: port,
      ...options.settings,
    },
    options.onOutput ? { onOutput: options.onOutput } : {},
  )
  return { url: `http://localhost:${port}`, stop: () => child.stop() }
}
