import { Problem } from '@quartermaster/db'
import { checkPorts } from '../doctor/check-machine.ts'

/**
 * A taken port is told before the first start spends a minute on everything else. The apps tell it too: between this
 * look and their start somebody may still take it.
 */
export async function refuseTakenPorts(env: { PORT: number; QM_BOT_PORT: number; bind: string }): Promise<void> {
  const checks = await checkPorts(
    [
      { variable: 'PORT', kind: 'console', port: env.PORT, bind: env.bind },
      { variable: 'QM_BOT_PORT', kind: 'bot', port: env.QM_BOT_PORT, bind: env.bind },
    ],
    null,
  )
  const taken = checks.filter((check) => check.state === 'problem')
  const [first] = taken
  if (first?.fix)
    throw new Problem(
      taken.map((check) => `${check.name}: ${check.detail}`).join('\n'),
      taken.length > 1 ? 'Stop those programs, or set PORT and QM_BOT_PORT to free ports.' : first.fix,
    )
}
