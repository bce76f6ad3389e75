import { dataVariables, port, readEnvironment, withDotEnv } from '@quartermaster/db'
import { z } from 'zod'

/** What the scripts themselves read; each app has an `env.ts` of its own. */
export function readScriptEnvironment() {
  const environment = withDotEnv(process.env)
  const values = readEnvironment(
    {
      ...dataVariables,
      PORT: port(3000),
      QM_BOT_PORT: port(3001),
      QM_OWNER_EMAIL: z.email('an e-mail address').toLowerCase().default('owner@quartermaster.local'),
      QM_OWNER_PASSWORD: z.string().min(12, 'at least 12 characters').max(256, 'at most 256 characters').optional(),
    },
    environment,
  )
  return { ...values, environment }
}
