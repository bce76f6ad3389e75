import { type Database, type Environment, withDotEnv } from '@quartermaster/db'
import { readConsoleEnv } from '../../apps/admin/src/env.ts'
import { createSecretMask } from '../../apps/bot/src/secret-mask.ts'
import { mistakesOf } from '../environment.ts'
import type { Check } from './check.ts'
import { problem } from './check.ts'
import { checkDatabase, sentenceOf } from './check-database.ts'
import { checkClock, checkDisk, checkPorts } from './check-machine.ts'
import { checkMasterKeyOf } from './check-master-key.ts'
import { checkBrowser, checkPlatforms } from './check-platforms.ts'
import { checkNode, checkPackages } from './check-runtime.ts'
import { checkDotEnv, checkSettings } from './check-settings.ts'
import { checkSlackApp } from './check-slack-app.ts'

/** Looks at everything Quartermaster stands on, and changes nothing. One look that fails is a line like any other. */
export async function examine(root: string, outer: Environment): Promise<Check[]> {
  const checks: Check[] = []
  const look = async (name: string, work: () => Check | Check[] | Promise<Check | Check[]>) => {
    try {
      checks.push(...[await work()].flat())
    } catch (error) {
      checks.push(
        problem(name, `It could not be looked at: ${sentenceOf(error)}`, 'Run it again; if it stays, report it.'),
      )
    }
  }

  await look('Node', () => checkNode(root))
  await look('Packages', () => checkPackages(root))
  await look('.env', () => checkDotEnv(root))
  const environment = withDotEnv(outer, root)
  const { check: settings, env } = checkSettings(environment)
  checks.push(settings)
  const mask = createSecretMask(env.secrets)

  let db: Database | null = null
  await look('Database', async () => {
    const found = await checkDatabase(env.data)
    db = found.db
    return found.checks
  })
  await look('Master key', () => checkMasterKeyOf(env.data, db))
  await look('Platforms', () => checkPlatforms(env))
  await look('Slack app', () => checkSlackApp(env.slack, outer.SLACK_CONFIG_TOKEN))
  await look('Browser', () => checkBrowser(environment.QM_BROWSER))
  await look('Ports', () =>
    checkPorts(
      [
        {
          variable: 'PORT',
          kind: 'console',
          port: portOf(environment),
          bind: env.gateway.bind,
        },
        { variable: 'QM_BOT_PORT', kind: 'bot', ...env.gateway },
      ],
      db,
    ),
  )
  await look('Clock', () => checkClock(env, db))
  await look('Disk', () => checkDisk(env.data.dir))
  await (db as Database | null)?.close()
  return checks.map((check) => ({ ...check, detail: mask.text(check.detail), fix: check.fix && mask.text(check.fix) }))
}

/** Where the console would listen; a wrong setting has its line already, and the usual port is looked at then. */
function portOf(environment: Environment): number {
  const isWrong = mistakesOf(() => readConsoleEnv(environment)).length > 0
  return readConsoleEnv(isWrong ? {} : environment).port
}
