// npm run dev: the same product, with both apps started again (bot) or updated in place (console) when a file changes.
import { projectRoot } from '@quartermaster/db'
import { runProgram } from './program.ts'
import { startChild } from './start/child.ts'
import { runProduct } from './start/run-product.ts'

const watching = ['--watch', '--watch-preserve-output']

await runProgram(() =>
  runProduct(async ({ environment, stop }) => {
    const development = { ...environment, NODE_ENV: 'development' as const, QM_CONSOLE_DIST: '' }
    return [
      startChild('console', [`${projectRoot}/apps/admin/src/server.ts`, '--dev'], development, stop),
      startChild('bot', [...watching, `${projectRoot}/apps/bot/src/main.ts`], development, stop),
    ]
  }),
)
