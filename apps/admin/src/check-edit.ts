import type { CheckEdit } from '@quartermaster/db'
import type { Caller } from '@quartermaster/tools'
import { data } from './data.ts'
import { runtime } from './runtime.ts'
import { toolKit } from './tool-kit.ts'

/**
 * For answerQuestion: edited arguments are checked as the bot checks a call, by the tool's schema and by the policy of
 * the workspace and of the installation. The bot decides again before it runs anything; this is so that the person who
 * edits learns at once what is wrong, and that nobody approves alone what needs others.
 */
export const checkEdit: CheckEdit = async (proposed) => {
  const { db } = runtime()
  const { workspaceId, agentId, conversationId, runId, requestedBy, trigger } = proposed
  const [stored, fixed, attachments, taint] = await Promise.all([
    data.loadPolicy(db, workspaceId),
    data.readInstallationPolicy(db),
    data.loadAttachments(db, agentId),
    data.readTaint(db, conversationId),
  ])
  // No bot has said yet what the installation fixed, so nobody knows what may be approved.
  if (!stored || !fixed) return { ok: false, problems: ['The policy cannot be read, so nothing can be edited now.'] }
  const agent = stored.agents.get(agentId)
  if (!agent) return { ok: false, problems: ['The agent that asked is not there any more.'] }
  const installation = toolKit.fromLynkrSettings(fixed.settings)
  const policy = new toolKit.Policy({
    ...stored.config,
    rules: [...installation.rules, ...stored.config.rules],
  })
  const caller: Caller = {
    workspaceId,
    conversationId,
    runId,
    agentId,
    requesterId: requestedBy,
    interactive: !toolKit.isUnattended(trigger),
    policy: toolKit.contextOfRun({
      agentId,
      trigger,
      agent,
      attachments: attachments && [...attachments.attached.keys()],
      taint,
    }),
    configs: toolKit.narrowConfigs(attachments?.attached ?? new Map(), installation.configs),
  }
  const registry = new toolKit.ToolRegistry()
  registry.registerMany(toolKit.describeBuiltinTools())
  return toolKit.checkEditedCall(registry, policy, caller, proposed)
}
