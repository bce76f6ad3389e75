// Start, signals, graceful stop. Exit codes: 0 after a stop that was asked for, 1 when something went wrong.
// main.ts runs it as it is; tests run it with tools of their own.
import { flushCompileCache } from 'node:module'
import { describeFailure } from '@quartermaster/db'
import { type ComposeOptions, composeBot, findDatabaseUrl } from './compose.ts'
import { passwordOf, readBotEnv } from './env.ts'
import { limits } from './limits.ts'
import { createLog, type Log } from './log.ts'
import { createSecretMask } from './secret-mask.ts'

// Whoever reads our output may be gone before we are; a line that nobody reads must not end the process in disorder.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

/** Resolves with the reason when somebody wants the bot to end. Later requests change nothing. */
const stopRequested = new Promise<string>((request) => {
  process.on('SIGTERM', () => request('SIGTERM'))
  process.on('SIGINT', () => request('SIGINT'))
  // The process that started us is gone: nobody would ever stop us.
  process.on('disconnect', () => request('the parent process is gone'))
})

let mask = createSecretMask([])

async function main(options: ComposeOptions): Promise<void> {
  const env = readBotEnv()
  mask = createSecretMask(env.secrets)
  const databaseUrl = findDatabaseUrl(env.data)
  const secrets = [...env.secrets, passwordOf(databaseUrl)]
  mask = createSecretMask(secrets)
  const log = createLog({ level: env.logLevel, secrets, plain: process.stdout.isTTY })
  const broken = watchForSurprises(log)
  // From the request on, the time runs, even if the start is not over yet.
  void Promise.race([stopRequested, broken]).then(() => endForSure(log))

  const bot = await composeBot(env, databaseUrl, log, options)
  log.info({ gateway: bot.gatewayUrl, roles: env.roles, pid: process.pid }, 'the bot is ready')
  tellParent({ ready: true, gateway: bot.gatewayUrl, health: bot.health(), roles: env.roles })
  // Now, because a process that is killed keeps nothing.
  flushCompileCache()

  const reason = await Promise.race([stopRequested, broken])
  log.info({ reason: String(reason) }, 'stopping')
  await bot.stop()
  log.info('stopped')
  process.exit(reason instanceof Error ? 1 : 0)
}

/** An error that nobody expected leaves the process in an unknown state: it ends, in order where it can. */
function watchForSurprises(log: Log): Promise<Error> {
  return new Promise((done) => {
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (error: unknown) => {
        log.fatal({ error }, 'an error that nobody handled')
        done(error instanceof Error ? error : new Error(String(error)))
      })
  })
}

function endForSure(log: Log): void {
  setTimeout(() => {
    log.error('the stop took too long: ending now')
    process.exit(1)
  }, limits.stopMs).unref()
}

function tellParent(message: Record<string, unknown>): void {
  // The parent may go in this very moment; then "disconnect" tells.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

export async function runBot(options: ComposeOptions = {}): Promise<void> {
  try {
    await main(options)
  } catch (error) {
    process.stderr.write(`${mask.text(describeFailure(error))}\n`)
    process.exit(1)
  }
}
