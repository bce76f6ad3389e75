import { Problem, withDotEnv } from '@quartermaster/db'
import { findBrowser } from '@quartermaster/tools'
import { type Browser, chromium } from 'playwright-core'

/** The browser of this machine, without a window: for pictures and for tests. */
export async function launchBrowser(): Promise<Browser> {
  const found = await findBrowser({ setting: withDotEnv(process.env).QM_BROWSER })
  if (!found) throw new Problem('No browser was found.', 'Set QM_BROWSER to a Chromium or Chrome.')
  return chromium.launch({
    executablePath: found.executablePath,
    args: found.args,
    env: { ...(process.env as Record<string, string>), ...found.env },
  })
}
