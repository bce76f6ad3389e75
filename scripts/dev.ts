// npm run dev: the same product, with both apps started again (bot) or updated in place (console) when a file changes.
import { projectRoot } from '@quartermaster/db'
import { readScriptEnvironment } from './environment.ts'
import { runProgram } from './program.ts'
import { startChild } from './start/child.ts'
import { lockInstance } from './start/instance-lock.ts'
import { prepare } from './start/prepare.ts'
import { renderSummary } from './start/summary.ts'
import { superviseUntilEnd } from './start/supervise.ts'

const say = (what: string) => console.log(what)

await runProgram(async () => {
  const began = performance.now()
  const env = readScriptEnvironment()
  const unlock = lockInstance(env.QM_DATA_DIR)
  try {
    const { databaseUrl, postgres, owner } = await prepare(env, say)
    const environment = {
      ...(env.environment as NodeJS.ProcessEnv),
      DATABASE_URL: databaseUrl,
      DATABASE_URL_FILE: '',
      QM_DATABASE: postgres ? 'embedded' : 'external',
      QM_DATA_DIR: env.QM_DATA_DIR,
    }
    const children = []
    try {
      children.push(
        await startChild('console', [`${projectRoot}/apps/admin/src/server.ts`, '--dev'], {
          ...environment,
          NODE_ENV: 'development',
        }),
        await startChild(
          'bot',
          ['--watch', '--watch-preserve-output', `${projectRoot}/apps/bot/src/main.ts`],
          environment,
        ),
      )
    } catch (error) {
      for (const child of children) await child.stop()
      await postgres?.stop()
      throw error
    }
    const ending = superviseUntilEnd(children, postgres, say)
    const ready = Object.assign({}, ...children.map((child) => child.ready)) as Record<string, never>
    say(
      renderSummary({
        consoleUrl: ready.url ?? '',
        owner,
        health: ready.health ?? {},
        seconds: (performance.now() - began) / 1000,
      }),
    )
    owner?.shown()
    return await ending
  } finally {
    unlock()
  }
})
