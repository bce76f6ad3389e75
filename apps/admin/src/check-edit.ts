// Whether edited arguments may run, for answers that are given in the console: as the bot would decide it, from the same
// policy, attachments and taint. The console runs no tool; it makes them to know their schemas and summaries.
import type { CheckEdit } from '@quartermaster/db'
import { data } from './data.ts'
import { runtime } from './runtime.ts'

/** Loaded by Node, as in data.ts: compiled schemas and patterns are not for a bundle. */
const tools: typeof import('@quartermaster/tools') = await import(/* turbopackIgnore: true */ '@quartermaster/tools')

export const checkEdit: CheckEdit = async (proposed) => {
  const { db } = runtime()
  const { workspaceId, agentId, conversationId, runId, requestedBy } = proposed
  const [stored, attachments, taint, fixed] = await Promise.all([
    data.loadPolicy(db, workspaceId),
    data.loadAttachments(db, agentId),
    data.readTaint(db, conversationId),
    data.readInstallationPolicy(db),
  ])
  const agent = stored?.agents.get(agentId)
  if (!stored || !agent) return { ok: false, problems: ['The agent that asked is not there any more.'] }
  const installation = tools.fromLynkrSettings(fixed?.settings ?? {})
  const policy = new tools.Policy({ ...stored.config, rules: [...installation.rules, ...stored.config.rules] })
  const registry = new tools.ToolRegistry()
  registry.registerMany(tools.describeBuiltinTools())
  const unattended = proposed.trigger === 'schedule' || proposed.trigger === 'watch'
  const caller = {
    workspaceId,
    conversationId,
    runId,
    agentId,
    requesterId: requestedBy,
    interactive: !unattended,
    policy: {
      agent: agentId,
      ...agent,
      attachments: attachments && [...attachments.attached.keys()],
      unattended,
      taint,
    },
    configs: tools.narrowConfigs(attachments?.attached ?? new Map(), installation.configs),
  }
  return tools.checkEditedCall(registry, policy, caller, proposed)
}
