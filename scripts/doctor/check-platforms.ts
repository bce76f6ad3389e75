import type { PartHealth } from '@quartermaster/db'
import { findBrowser } from '@quartermaster/tools'
import type { BotEnv } from '../../apps/bot/src/env.ts'
import { lookAround } from '../../apps/bot/src/health/look-around.ts'
import { type Check, ok, problem, warning } from './check.ts'

/** Sandbox, model, Slack and Telegram, as the bot itself sees them. */
export async function checkPlatforms(env: BotEnv): Promise<Check[]> {
  const health = await lookAround(env, AbortSignal.timeout(15_000))
  // A team that talks in one place does not lack the other one.
  const canTalk = [health.slack, health.telegram].some((part) => part.state !== 'off')
  return [
    toCheck('Sandbox', health.sandbox),
    toCheck('Model', health.model),
    toCheck('Slack', health.slack, canTalk),
    toCheck('Telegram', health.telegram, canTalk),
  ]
}

function toCheck(name: string, part: PartHealth, mayBeOff = false): Check {
  if (part.state === 'ok' || (part.state === 'off' && mayBeOff)) return ok(name, part.detail)
  const fix = `${part.next ?? 'Try again in a minute'}.`
  return part.state === 'problem' ? problem(name, part.detail, fix) : warning(name, part.detail, fix)
}

const sources = {
  setting: 'set by QM_BROWSER',
  system: 'of the system',
  playwright: 'that Playwright installed',
  packaged: 'that came with the packages',
}

export async function checkBrowser(setting: string | undefined): Promise<Check> {
  const browser = await findBrowser({ setting, mayUnpack: false })
  if (browser) return ok('Browser', `The one ${sources[browser.source]}.`)
  return setting
    ? problem(
        'Browser',
        'QM_BROWSER does not name a program that can be started.',
        'Set it to the full path of a Chromium or Chrome, or remove it.',
      )
    : warning(
        'Browser',
        'There is none. Only tests and screenshots need one.',
        'Install Chromium (apt install chromium).',
      )
}
