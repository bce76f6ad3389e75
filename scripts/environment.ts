import { dataVariables, type Environment, port, readEnvironment, SettingsProblem, withDotEnv } from '@quartermaster/db'
import { z } from 'zod'
import { readConsoleEnv } from '../apps/admin/src/env.ts'
import { parseBotEnv } from '../apps/bot/src/env.ts'

export const scriptVariables = {
  ...dataVariables,
  PORT: port(3000),
  QM_BOT_PORT: port(3001),
  QM_OWNER_EMAIL: z.email('an e-mail address').toLowerCase().default('owner@quartermaster.local'),
  QM_OWNER_PASSWORD: z.string().min(12, 'at least 12 characters').max(256, 'at most 256 characters').optional(),
}

/** What the scripts themselves read; each app has an `env.ts` of its own. */
export function readScriptEnvironment(environment: Environment = withDotEnv(process.env)) {
  return { ...readEnvironment(scriptVariables, environment), environment }
}

/** For what starts both apps: the mistakes in the settings of either are told at once, and before anything is done. */
export function readProductEnvironment(environment: Environment = withDotEnv(process.env)) {
  const mistakes = findMistakes(environment)
  if (mistakes.length) throw new SettingsProblem(mistakes)
  return { ...readScriptEnvironment(environment), bind: readConsoleEnv(environment).bind }
}

/** Every mistake in the settings of the apps and the scripts, each once. */
export function findMistakes(environment: Environment): string[] {
  const mistakes = [readScriptEnvironment, readConsoleEnv, parseBotEnv].flatMap((read) =>
    mistakesOf(() => read(environment)),
  )
  if (!mistakes.length) {
    const { PORT, QM_BOT_PORT } = readScriptEnvironment(environment)
    if (PORT === QM_BOT_PORT) mistakes.push(`PORT and QM_BOT_PORT are both ${PORT}: expected a port for each`)
  }
  return [...new Set(mistakes)]
}

/** What a reader of settings finds wrong; empty when it is content. */
export function mistakesOf(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof SettingsProblem) return error.mistakes
    throw error
  }
}
