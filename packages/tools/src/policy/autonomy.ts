// What an agent's autonomy does to a call: `supervised` asks about everything but reads, `standard` leaves it as it is,
// `autonomous` turns a hook's confirm into a log line. It never lowers what a rule asks or denies, nor what insists.
import type { Effect } from '../contract.ts'

/** Always asks, whatever the autonomy: it changes what agents can do. */
export const insistingTools: readonly string[] = ['tool.create']

/** People's own accounts: an autonomous agent reads in them, and changes nothing. */
export const readOnlyWhenAutonomous: readonly string[] = ['group:google']

const effects: ReadonlySet<unknown> = new Set<Effect>(['read', 'write', 'execute', 'send'])

/** The effect of this very call. A tool that cannot say counts as one that sends. */
export function effectOfCall(tool: { effect: Effect; effectOf?(args: unknown): Effect }, args: unknown): Effect {
  if (tool.effectOf === undefined) return tool.effect
  try {
    const effect = tool.effectOf(args)
    return effects.has(effect) ? effect : 'send'
  } catch {
    return 'send'
  }
}
