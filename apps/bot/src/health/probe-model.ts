import type { PartHealth } from '@quartermaster/db'
import type { BotEnv } from '../env.ts'

/** Whether there is a key. It is not tried out: a call would cost money each time. */
export function probeModel(model: BotEnv['model']): PartHealth {
  if (!model) return { state: 'off', detail: 'No model is connected.', next: 'Set ANTHROPIC_API_KEY (docs/model.md)' }
  const where = model.baseUrl ? ` for ${new URL(model.baseUrl).host}` : ''
  return { state: 'ok', detail: `A model key is set${where}; it has not been tried.`, next: null }
}
