// npm start: everything from a fresh clone (or yesterday's data) to a running product, and back to nothing on Ctrl-C.
import { projectRoot } from '@quartermaster/db'
import { readScriptEnvironment } from './environment.ts'
import { runProgram } from './program.ts'
import { type Child, startChild } from './start/child.ts'
import { buildConsoleIfStale } from './start/console-build.ts'
import { lockInstance } from './start/instance-lock.ts'
import { prepare } from './start/prepare.ts'
import { renderSummary } from './start/summary.ts'
import { superviseUntilEnd } from './start/supervise.ts'

const say = (what: string) => console.log(what)

await runProgram(async () => {
  const began = performance.now()
  const env = readScriptEnvironment()
  const unlock = lockInstance(env.QM_DATA_DIR)
  const children: Child[] = []
  let end: (() => Promise<void>) | null = null
  // Until everything is up, a signal must not leave half of it behind.
  const cancel = () => {
    say('Stopping …')
    Promise.resolve(end?.()).finally(() => process.exit(130))
  }
  process.once('SIGINT', cancel).once('SIGTERM', cancel).once('disconnect', cancel)
  try {
    const { databaseUrl, postgres, owner } = await prepare(env, say)
    end = async () => {
      for (const child of children) await child.stop()
      await postgres?.stop()
      unlock()
    }
    const dist = await buildConsoleIfStale(() => say('Building the console (about a minute)'))
    const environment = {
      ...(env.environment as NodeJS.ProcessEnv),
      NODE_ENV: 'production' as const,
      DATABASE_URL: databaseUrl,
      DATABASE_URL_FILE: '',
      QM_DATABASE: postgres ? 'embedded' : 'external',
      QM_DATA_DIR: env.QM_DATA_DIR,
      QM_CONSOLE_DIST: dist,
    }
    const starting = await Promise.allSettled([
      startChild('console', [`${projectRoot}/apps/admin/src/server.ts`], environment),
      startChild('bot', [`${projectRoot}/apps/bot/src/main.ts`], environment),
    ])
    for (const start of starting) if (start.status === 'fulfilled') children.push(start.value)
    for (const start of starting) if (start.status === 'rejected') throw start.reason

    process.off('SIGINT', cancel).off('SIGTERM', cancel).off('disconnect', cancel)
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
  } catch (error) {
    await end?.()
    throw error
  } finally {
    unlock()
  }
})
