// npm run dev: the same product, with both apps started again (bot) or updated in place (console) when a file changes.
import { projectRoot } from '@quartermaster/db'
import { runProgram } from './program.ts'
import { startChild } from './start/child.ts'
import { followChanges } from './start/follow-changes.ts'
import { runProduct } from './start/run-product.ts'

const botSources = ['apps/bot/src', 'packages/db/src', 'packages/tools/src'].map((path) => `${projectRoot}/${path}`)

await runProgram(() =>
  runProduct(async ({ environment, stop, say }) => {
    const development = { ...environment, NODE_ENV: 'development' as const }
    const startBot = () => startChild('bot', [`${projectRoot}/apps/bot/src/main.ts`], development, { stop })
    return [
      startChild('console', [`${projectRoot}/apps/admin/src/server.ts`, '--dev'], development, { stop }),
      followChanges(botSources, startBot, say),
    ]
  }),
)
