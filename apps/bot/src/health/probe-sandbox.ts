import type { PartHealth } from '@quartermaster/db'
import { detectSandbox } from '@quartermaster/tools'

export async function probeSandbox(signal: AbortSignal): Promise<PartHealth> {
  const sandbox = await detectSandbox({ signal })
  // Without one the bot works, and the tools that need one are refused.
  return { state: sandbox.kind === 'none' ? 'warning' : 'ok', detail: sandbox.detail, next: sandbox.fix }
}
