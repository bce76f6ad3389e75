// Whose calls a run's calls are: what the executor and the policy need to know of it, read once a step.
import { type ClaimedRun, type Database, loadAttachments, readTaint } from '@quartermaster/db'
import { type Caller, type LynkrPolicy, narrowConfigs, type Policy } from '@quartermaster/tools'
import type { Policies } from '../policy/load-policy.ts'

/** What of a run says whose calls its calls are. */
export type CallingRun = Pick<
  ClaimedRun,
  'workspaceId' | 'conversationId' | 'runId' | 'agentId' | 'requestedBy' | 'trigger'
>

export async function composeCaller(
  db: Database,
  policies: Policies,
  installation: Pick<LynkrPolicy, 'configs'>,
  run: CallingRun,
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
