// npm start: everything from a fresh clone (or yesterday's data) to a running product, and back to nothing on Ctrl-C.
import { projectRoot } from '@quartermaster/db'
import { runProgram } from './program.ts'
import { startChild } from './start/child.ts'
import { buildConsoleIfStale } from './start/console-build.ts'
import { runProduct } from './start/run-product.ts'

await runProgram(() =>
  runProduct(async ({ environment, stop, say }) => {
    const dist = await buildConsoleIfStale(() => say('Building the console (about a minute)'), stop)
    const production = { ...environment, NODE_ENV: 'production' as const, QM_CONSOLE_DIST: dist }
    return [
      startChild('console', [`${projectRoot}/apps/admin/src/server.ts`], production, { stop }),
      startChild('bot', [`${projectRoot}/apps/bot/src/main.ts`], production, { stop }),
    ]
  }),
)
