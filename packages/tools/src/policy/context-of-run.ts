// Whose call a call of a run is, for the policy: the same for the bot that decides it, for the console that checks an
// edit of it, and for a draft that is tried on what was recorded.
import type { Autonomy, PolicyContext } from './policy-config.ts'

export interface RunOfCall {
  agentId: string
  /** What started the run. */
  trigger: string
  /** What the newest published version of the agent says; undefined where nothing is known of it. */
  agent: { provider: string; autonomy: Autonomy } | undefined
  /** The canonical names of the agent's usable attachments; null: nothing is attached. */
  attachments: readonly string[] | null
  /** Where strangers' content in the conversation came from. */
  taint: readonly string[]
}

export function contextOfRun({ agentId, trigger, agent, attachments, taint }: RunOfCall): PolicyContext {
  return {
    agent: agentId,
    ...(agent ? { provider: agent.provider } : {}),
    // Of an agent that nobody knows, everything asks.
    autonomy: agent?.autonomy ?? 'supervised',
    attachments,
    unattended: isUnattended(trigger),
    taint,
  }
}

/** Nobody sits in front of a run that the clock started. */
export const isUnattended = (trigger: string): boolean => trigger === 'schedule' || trigger === 'watch'
