// Whose calls a run's calls are: what the executor and the policy need to know of it, read once a step.
import { type ClaimedRun, type Database, loadAttachments, readTaint } from '@quartermaster/db'
import type { Caller, LynkrPolicy, Policy } from '@quartermaster/tools'
import type { Policies } from '../policy/load-policy.ts'

type Config = Readonly<Record<string, unknown>>

export async function composeCaller(
  db: Database,
  policies: Policies,
  installation: Pick<LynkrPolicy, 'configs'>,
  run: ClaimedRun,
): Promise<{ caller: Caller; policy: Policy }> {
  const [{ policy, agents }, attachments, taint] = await Promise.all([
    policies.of(run.workspaceId, run.agentId),
    loadAttachments(db, run.agentId),
    readTaint(db, run.conversationId),
  ])
  const agent = agents.get(run.agentId)
  const unattended = run.trigger === 'schedule' || run.trigger === 'watch'
  const caller: Caller = {
    workspaceId: run.workspaceId,
    conversationId: run.conversationId,
    runId: run.runId,
    agentId: run.agentId,
    requesterId: run.requestedBy,
    interactive: !unattended,
    policy: {
      agent: run.agentId,
      ...(agent ? { provider: agent.provider } : {}),
      autonomy: agent?.autonomy ?? 'supervised',
      attachments: attachments && [...attachments.attached.keys()],
      unattended,
      taint,
    },
    configs: narrowConfigs(attachments?.attached ?? new Map(), installation.configs),
  }
  return { caller, policy }
}

/**
 * The attachments' configurations under what the installation fixed. Its values win; where both have a list (of hosts
 * that may be reached), what is left is in both: an attachment narrows, and never widens.
 */
export function narrowConfigs(
  attached: ReadonlyMap<string, Config>,
  fixed: Readonly<Record<string, Config>>,
): Map<string, Config> {
  const configs = new Map(attached)
  for (const [tool, values] of Object.entries(fixed)) {
    const own = attached.get(tool)
    const narrowed = Object.entries(values).map(([key, value]) => {
      const given = own && Object.hasOwn(own, key) ? own[key] : undefined
      if (!Array.isArray(value) || !Array.isArray(given)) return [key, value]
      return [key, given.filter((entry) => value.includes(entry))]
    })
    configs.set(tool, Object.freeze({ ...own, ...Object.fromEntries(narrowed) }))
  }
  return configs
}
