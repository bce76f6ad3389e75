import type { PartHealth } from '@quartermaster/db'
import { detectSandbox } from '@quartermaster/tools'

export async function probeSandbox(signal: AbortSignal): Promise<PartHealth> {
  const { kind, detail, fix } = await detectSandbox({ signal })
  if (kind !== 'none') return { state: 'ok', detail, next: null }
  // Without one the bot works, and the tools that need one are refused.
  return { state: 'warning', detail: `None: ${detail} Commands and Python are refused until there is one.`, next: fix }
}
